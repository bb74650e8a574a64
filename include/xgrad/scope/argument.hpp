// Defines argument<P>: the slots of one argument of a gradient call, and the handles by which the user's function sees it.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/scope/interface.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

// What a gradient does to the memory of one argument: it makes it, or adds to the caller's.
enum class gradient_memory { own, add };

template <class P>
struct argument;

namespace detail {

template <class P>
inline constexpr bool is_vector = false;
template <class P, class A>
inline constexpr bool is_vector<std::vector<P, A>> = true;

// An array of numbers, whose shadow is one array.
template <class P>
concept array_argument = is_plain_container<P> && perturbable_number<typename P::value_type>;
// An array that can only have one element is a scalar.
template <class P>
inline constexpr bool is_rank_zero = false;
template <array_argument P>
inline constexpr bool is_rank_zero<P> = rank_of<P> == 0;

// Whether two arrays of one shape have their elements in the same places.
template <int R>
bool same_steps(extents<R> const& shape, strides<R> const& a, strides<R> const& b) noexcept {
    if (element_count(shape) == 0) return true;
    for (int d = 0; d < shape.rank(); ++d)
        if (shape[d] > 1 && a[d] != b[d]) return false;
    return true;
}

struct to_argument {
    template <class P>
    using type = argument<std::remove_cvref_t<P>>;
};

// The type by which a function in mode M sees a P: with the same fields and the same indices.
template <class M>
struct to_handle {
    template <class P>
    static constexpr auto find() {
        if constexpr (!differentiable<P>) return std::type_identity<P const&>{};
        else if constexpr (perturbable_number<P>) return std::type_identity<in<P, rank_c<0>, M>>{};
        else if constexpr (array_argument<P>) return std::type_identity<in<typename P::value_type, rank_c<rank_of<P>>, M>>{};
        else if constexpr (is_vector<P>) return std::type_identity<std::span<typename to_handle::template type<typename P::value_type> const>>{};
        else return std::type_identity<typename parts<P>::template rebind<to_handle>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};

}

template <class P, class M>
using handle_t = typename detail::to_handle<M>::template type<P>;

// Something that has no derivative: it is passed on as it is.
template <class P>
    requires(!differentiable<P>)
struct argument<P> {
    P const* x = nullptr;

    template <class D>
    void bind(P const& primal, D*, context&, gradient_memory) { x = &primal; }
    template <class D>
    void finish(D*, gradient_memory) const noexcept {}
    template <class M>
    P const& handle() { return *x; }
};

template <perturbable_number P>
struct argument<P> {
    slot<P, rank_c<0>> s;

    void bind(P const& x, P*, context& c, gradient_memory) {
        s.owner = &c;
        s.value = x;
        s.cotangent = P(0);
        s.has = false;
    }
    void finish(P* dx, gradient_memory m) const noexcept {
        if (m == gradient_memory::own) *dx = s.cotangent;
        else if (s.has) *dx += s.cotangent;
    }
    template <class M>
    in<P, rank_c<0>, M> handle() { return in<P, rank_c<0>, M>(&s); }
};

template <detail::array_argument P>
    requires detail::is_rank_zero<P>
struct argument<P> : argument<typename P::value_type> {
    using base = argument<typename P::value_type>;
    void bind(P const& x, P*, context& c, gradient_memory m) { base::bind(x(), nullptr, c, m); }
    void finish(P* dx, gradient_memory m) const noexcept { base::finish(&(*dx)(), m); }
};

template <detail::array_argument P>
    requires(!detail::is_rank_zero<P>)
struct argument<P> {
    using T = typename P::value_type;
    static constexpr int R = rank_of<P>;
    // in the call's workspace: what is kept outside the function by mistake is given up together with it
    slot<T, rank_c<R>>* s_ = nullptr;

    void bind(P const& x, P* dx, context& c, gradient_memory m) {
        slot<T, rank_c<R>>& s = *(s_ = new (c.memory.take(sizeof(slot<T, rank_c<R>>))) slot<T, rank_c<R>>);
        s.owner = &c;
        s.value = const_cast<T*>(x.data());
        s.shape = detail::shape_of<R>(x);
        s.stride = detail::strides_of<R>(x);
        s.size = x.size();
        s.contiguous = is_contiguous(s.shape, s.stride);
        s.version = nullptr;
        c.enter_array(x.data());
        s.cotangent = nullptr;
        s.has = m == gradient_memory::add;  // memory that others may share is only added to
        if (!dx) return;
        bool const same = dx->dimension() == x.dimension() && std::equal(x.shape().begin(), x.shape().end(), dx->shape().begin());
        if (m == gradient_memory::own) {
            if (!same) dx->resize(x.shape());
        } else if (!same)
            throw std::invalid_argument("xgrad: add_gradient(g, f, x...) requires gradients of the arguments' shapes, found " +
                                        to_string(detail::shape_of<R>(*dx)) + " for an argument of shape " + to_string(s.shape) + ": begin with zero_tangent(x)");
        if (!detail::same_steps(s.shape, detail::strides_of<R>(*dx), s.stride)) {
            if (m == gradient_memory::add) throw std::invalid_argument("xgrad: add_gradient(g, f, x...) requires gradients of the arguments' layouts: begin with zero_tangent(x)");
            if constexpr (P::static_layout == xt::layout_type::dynamic) *dx = P(x.shape(), x.strides());
        }
        s.cotangent = dx->data();
    }
    void finish(P* dx, gradient_memory m) noexcept {
        if (dx && m == gradient_memory::own && !s_->has) std::fill_n(dx->data(), dx->storage().size(), T(0));
    }
    template <class M>
    in<T, rank_c<R>, M> handle() { return in<T, rank_c<R>, M>(s_); }
};

namespace detail {

// Parts are bound one by one; without a tangent (nothing goes backward) there is only the primal.
struct bind_part {
    context& c;
    gradient_memory m;
    template <class A, class X, class D>
    void operator()(A& a, X const& x, D& dx) const { a.bind(x, &dx, c, m); }
    template <class A, class X>
    void operator()(A& a, X const& x) const { a.bind(x, static_cast<tangent_type_t<X>*>(nullptr), c, m); }
};

}

template <class P>
    requires(differentiable<P> && !perturbable_number<P> && !detail::array_argument<P> && !detail::is_vector<P>)
struct argument<P> {
    typename parts<P>::template rebind<detail::to_argument> a;

    template <class D>
    void bind(P const& x, D* dx, context& c, gradient_memory m) {
        if (dx) parts<P>::each(detail::bind_part{c, m}, a, x, *dx);
        else parts<P>::each(detail::bind_part{c, m}, a, x);
    }
    template <class D>
    void finish(D* dx, gradient_memory m) noexcept {
        if (dx) parts<P>::each([m](auto& part, auto& d) { part.finish(&d, m); }, a, *dx);
    }
    template <class M>
    handle_t<P, M> handle() {
        return parts<P>::template make<handle_t<P, M>>([](auto& part) -> decltype(auto) { return part.template handle<M>(); }, a);
    }
};

template <class P, class A>
    requires differentiable<std::vector<P, A>>
struct argument<std::vector<P, A>> {
    std::vector<argument<P>> a;
    // the handles of each mode, kept from call to call
    std::vector<handle_t<P, counted>> in_counted;
    std::vector<handle_t<P, scoped>> in_scoped;
    std::vector<handle_t<P, unchecked>> in_unchecked;

    template <class D>
    void bind(std::vector<P, A> const& x, D* dx, context& c, gradient_memory m) {
        a.resize(x.size());
        if (dx && m == gradient_memory::own) dx->resize(x.size());
        if (dx && dx->size() != x.size())
            throw std::invalid_argument("xgrad: add_gradient(g, f, x...) requires gradients of the arguments' sizes, found " + std::to_string(dx->size()) + " for a vector of " +
                                        std::to_string(x.size()) + ": begin with zero_tangent(x)");
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (dx) detail::bind_part{c, m}(a[i], x[i], (*dx)[i]);
            else detail::bind_part{c, m}(a[i], x[i]);
        }
    }
    template <class D>
    void finish(D* dx, gradient_memory m) noexcept {
        if (dx)
            for (std::size_t i = 0; i < a.size(); ++i) a[i].finish(&(*dx)[i], m);
    }
    // The elements' handles, in a span over this storage.
    template <class M>
    std::span<handle_t<P, M> const> handle() {
        auto& h = [this]() -> auto& {
            if constexpr (std::is_same_v<M, counted>) return in_counted;
            else if constexpr (std::is_same_v<M, scoped>) return in_scoped;
            else return in_unchecked;
        }();
        h.clear();
        h.reserve(a.size());
        for (auto& part : a) h.push_back(part.template handle<M>());
        return h;
    }
};

}
