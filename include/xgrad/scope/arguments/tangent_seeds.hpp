// Defines tangent_seeds: the tangents that the arguments of a call on duals begin with, and where those of their gradients go, leaf by leaf.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <xgrad/scope/operand/constant.hpp>
#include <xgrad/scope/arguments/handle_type.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Either the tangents are given, as objects of the arguments' forms, or they are unit vectors: of all the real numbers in the arguments, counted
// in the order of parts and row by row, direction k is the one at first + k.
struct tangent_seeds {
    struct leaf {
        void const* xdot;
        void* gdot;  // null where there is no gradient
    };
    std::vector<leaf> leaves;
    bool given = false;
    std::size_t first = 0, at = 0;  // at: the leaf, or the coordinate, that is bound next
    void* rows = nullptr;           // the gradients' tangents, row after row; null where there is no gradient
    std::size_t width = 0;
};

// The place of one bound leaf.
struct leaf_place {
    tangent_seeds* d = nullptr;
    std::size_t at = 0;
};

// How many real numbers there are in a number.
template <class P>
inline constexpr std::size_t coordinates = is_complex_number<P> ? 2 : 1;
// The part of the unit vector k in a number whose coordinates begin with `at`.
template <class P>
P unit_vector(std::size_t k, std::size_t at) {
    using T = real_type_t<P>;
    if constexpr (is_complex_number<P>) return from_parts(T(k == at ? 1 : 0), T(k == at + 1 ? 1 : 0));
    else return P(k == at ? 1 : 0);
}
// A gradient by coordinates, from a cotangent as calls keep it.
template <class Row, class P>
void put_coordinates(Row* to, P const& xbar) {
    *to = static_cast<Row>(real_part(xbar));
    if constexpr (is_complex_number<P>) to[1] = static_cast<Row>(-imaginary_part(xbar));
}

// The tangents of a number.
template <class L, class P>
leaf_place bind_tangents(typename L::template type<P>& x, tangent_seeds& d) {
    leaf_place const place{&d, d.at};
    if (d.given) x.direction(0) = *static_cast<P const*>(d.leaves[d.at++].xdot);
    else {
        for (std::size_t k = 0; k < L::count; ++k) x.direction(k) = unit_vector<P>(d.first + k, d.at);
        d.at += coordinates<P>;
    }
    return place;
}
// The tangents of its gradient.
template <class L, class P>
void finish_tangents(typename L::template type<P> const& xbar, leaf_place const& place) noexcept {
    if (place.d->given) {
        if (auto* g = static_cast<P*>(place.d->leaves[place.at].gdot)) *g = conjugate(xbar.direction(0));
        return;
    }
    if constexpr (!std::is_void_v<typename L::row_type>)
        if (auto* rows = static_cast<typename L::row_type*>(place.d->rows))
            for (std::size_t k = 0; k < L::count; ++k) put_coordinates(rows + k * place.d->width + place.at, xbar.direction(k));
}

// The objects that several can point to, as binding meets them: each is bound once. Address is void const*: templates cost nobody who does not use them.
template <class Address>
class object_set {
public:
    // Whether x points to nothing, or to what was met before.
    template <class P>
    bool again([[maybe_unused]] P const& x) {
        if constexpr (pointer_argument<P>) {
            if constexpr (parts<P>::identity == identified::by_handle) return !is_there(x) || !met_.try_emplace(std::addressof(pointee(x))).second;
            else return !x;
        } else return false;
    }

private:
    std::map<Address, char> met_;
};

// Memory as that of an array with these strides: for its tangents. Gives the place of the first element, and the distance of two directions.
template <class T>
struct tangent_block {
    T* begin = nullptr;
    std::size_t span = 0;
    std::ptrdiff_t first = 0;

    template <int R>
    tangent_block(context& c, std::size_t count, extents<R> const& shape, strides<R> const& stride) {
        if (element_count(shape) == 0) return;
        std::ptrdiff_t low = 0, high = 0;
        for (int d = 0; d < shape.rank(); ++d) (stride[d] < 0 ? low : high) += (static_cast<std::ptrdiff_t>(shape[d]) - 1) * stride[d];
        span = static_cast<std::size_t>(high - low) + 1;
        first = -low;
        begin = static_cast<T*>(c.memory.take(count * span * sizeof(T)));
        for (std::size_t i = 0; i < count * span; ++i) begin[i] = T(0);
    }
    T* at(std::size_t k) const { return begin + k * span + first; }
};

// How many real numbers there are to perturb, an object that several point to counted once.
template <class Address = void const*>
class count_coordinates {
public:
    std::size_t count = 0;

    template <class P>
    void operator()(P const& x) {
        if constexpr (!differentiable<P>) return;
        else if constexpr (number_array<P>) count += x.size() * coordinates<array_element_t<P>>;
        else if constexpr (perturbable_number<P>) count += coordinates<P>;
        else if (!met_.again(x)) parts<P>::each(*this, x);
    }

private:
    object_set<Address> met_;
};

// Whether a tangent has the form of its primal, and what there is to perturb in them. The parts are those that binding meets, in its order.
template <class Address = void const*>
class collect_leaves {
public:
    explicit collect_leaves(tangent_seeds& d) : d_(d) { d.given = true; }

    template <class P, class D, class... G>
    void operator()(P const& x, D& xdot, G&... gdot) {
        if constexpr (!differentiable<P>) return;
        else if constexpr (number_array<P>) {
            auto check = [&](auto const& t) {
                if (!std::ranges::equal(x.shape(), t.shape())) wrong(shape_text(t.shape()), "an argument of shape " + shape_text(x.shape()));
            };
            check(xdot);
            (check(gdot), ...);
            if constexpr (is_rank_zero<P>) push(&xdot(), &gdot()...);
            else push(&xdot, &gdot...);
        } else if constexpr (perturbable_number<P>) push(&xdot, &gdot...);
        else {
            if (met_.again(x)) return;
            try {
                parts<P>::each([this](auto const& part, auto&... rest) { (*this)(part, rest...); }, x, xdot, gdot...);
            } catch (std::invalid_argument const& e) {
                if (std::string_view(e.what()).starts_with("xgrad[E208]: jvp")) throw;
                wrong("another form", "its primal");
            }
        }
    }

private:
    tangent_seeds& d_;
    object_set<Address> met_;

    template <class X>
    void push(X const* xdot, void* gdot = nullptr) { d_.leaves.push_back({xdot, gdot}); }
    [[noreturn, gnu::cold, gnu::noinline]] static void wrong(std::string const& found, std::string const& expected) {
        throw std::invalid_argument("xgrad[E208]: jvp(f, primals, tangents) and hvp(f, x, xdot) require tangents of the arguments' forms, found " + found +
                                    " for " + expected + ": begin with zero_tangent(x)");
    }
};

}
XGRAD_DETAIL_QUIET_END
