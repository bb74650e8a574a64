// Defines index_place<Places, D>: elements of an array variable by their places, which reads as an array of them does, and is assigned to.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/ruleset/gather.hpp>
#include <xgrad/scope/place/place_view.hpp>

namespace xgrad {

namespace detail {
// The elements of the array at these places.
template <class Places, class D>
auto elements_at_places(Places const& places, D& array) {
    return array_operation(op::gather{}, array, Places(places));
}
template <class Places, class D>
using elements_at_places_t = decltype(elements_at_places(std::declval<Places const&>(), std::declval<D&>()));
}

// D is the variable, Places the operand that says where its elements are in row-major order. It reads the values that the variable had when it was made; after
// an assignment the new ones. As those of xtensor, where a place comes several times: a number is applied to it as often, and of an array the last element is
// what it becomes.
template <class Places, class D>
class index_place : public detail::elements_at_places_t<Places, D> {
    using elements = detail::elements_at_places_t<Places, D>;

public:
    index_place(char const* call, Places places, D& array)
        : elements(detail::elements_at_places(places, array)), places_(std::move(places)), array_(std::addressof(array)), size_(array.size()), call_(call) {}

    index_place(index_place const&) = default;
    index_place(index_place&&) = default;
    index_place& operator=(index_place const& e) { return *this = static_cast<elements const&>(e); }
    template <class E>
        requires(!std::is_same_v<std::remove_cvref_t<E>, index_place>)
    index_place& operator=(E&& e) {
        return write(std::forward<E>(e), [](auto& u, auto const& v) { u = v; });
    }
    template <class E>
    index_place& operator+=(E&& e) { return update(std::forward<E>(e), std::plus<>()); }
    template <class E>
    index_place& operator-=(E&& e) { return update(std::forward<E>(e), std::minus<>()); }
    template <class E>
    index_place& operator*=(E&& e) { return update(std::forward<E>(e), std::multiplies<>()); }
    template <class E>
    index_place& operator/=(E&& e) { return update(std::forward<E>(e), std::divides<>()); }
    // All of them; c is a number.
    template <class C>
    void fill(C&& c) { *this = std::forward<C>(c); }

private:
    Places places_;
    D* array_;
    std::size_t size_;
    char const* call_;

    template <class E>
    static constexpr bool is_number = detail::rank_of_operand<E>() == 0;

    // Which element of an array of this shape is broadcast to the k-th one.
    template <int G, int S>
    static std::size_t broadcast_from(extents<G> const& given, extents<S> const& shape, std::size_t k) {
        std::size_t from = 0, step = 1;
        for (int d = shape.rank() - 1, e = given.rank() - 1; e >= 0; --d, --e) {
            if (given[e] != 1) from += k % shape[d] * step;
            k /= shape[d];
            step *= given[e];
        }
        return from;
    }
    template <class E, class F>
    index_place& update(E&& e, F f) {
        if constexpr (is_number<E>) return write(std::forward<E>(e), [f](auto& u, auto const& v) { u = f(u, v); });
        else return *this = f(detail::elements_at_places(places_, *array_), std::forward<E>(e));
    }
    // set(element, value) of each. All of e is computed before any element changes.
    template <class E, class Set>
    index_place& write(E&& e, Set set) {
        if (array_->size() != size_) detail::other_size();
        auto const shape = places_.extent();
        auto const to = places_.source();
        auto const each = [&](auto const& value) {
            for (std::size_t k = 0, n = element_count(shape); k < n; ++k) set(array_->element_at(static_cast<std::size_t>(to.data[k])), value(k));
        };
        if constexpr (detail::is_plain_scalar<std::remove_cvref_t<E>>) return write(static_cast<typename D::value_type>(e()), set);
        else if constexpr (is_number<E> && !active<E>) each([&](std::size_t) -> auto const& { return e; });
        else if constexpr (is_number<E>) {
            variable const value = std::forward<E>(e);
            each([&](std::size_t) -> auto const& { return value; });
        } else {
            variable const values = std::forward<E>(e);
            auto const given = values.extent();
            if (!detail::broadcasts_to(shape, given)) detail::refuse_broadcast(call_, shape, given);
            if (detail::covers(shape, given)) each([&](std::size_t k) { return values.flat(k); });
            else each([&](std::size_t k) { return values.flat(broadcast_from(given, shape, k)); });
        }
        elements::operator=(detail::elements_at_places(places_, *array_));
        return *this;
    }
};

namespace detail {
template <class Places, class D>
inline constexpr bool is_place<index_place<Places, D>> = true;
}

}
