// Defines dual_of_result: what a function of active values over duals gave, as plain values and their tangents, each in its own object.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/call/call.hpp>
#include <xgrad/scope/call/result_form.hpp>
#include <xgrad/scope/call/rule_call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The elements that lie there, duals of a derivative around this one as such.
template <class T, int R>
auto whole_copy(array_ref<T const, R> const& a) {
    if constexpr (!number_dual<T>) return primal_copy(a);
    else {
        auto y = primal_of_shape<T>(a.shape);
        for_each_offset(a.shape, a.stride, [&](std::size_t i, std::ptrdiff_t at) { y.data()[i] = T(a.data[at]); });
        return y;
    }
}
// The elements of an array of duals without the derivative Tag, or its tangents alone: one plain array.
template <class Tag, bool Tangent, class T, int R>
auto part_of_array(array_ref<T const, R> const& a) {
    if constexpr (!has_level<Tag, T>) {
        if constexpr (!Tangent) return whole_copy(a);
        else {
            auto y = primal_of_shape<T>(a.shape);
            std::fill_n(y.data(), y.size(), T(0));
            return y;
        }
    } else {
        static_assert(std::is_same_v<Tag, typename T::tag>);
        using P = typename T::primal_type;
        return whole_copy(array_ref<P const, R>{Tangent ? a.data.direction(0) : a.data.primal(), a.shape, a.stride});
    }
}

template <class Tag, bool Tangent, class V>
auto part_of_number(V const& v) {
    if constexpr (!Tangent) return primal_at<Tag>(v);
    else if constexpr (has_level<Tag, V>) return direction_at<Tag>(v, 0);
    else return V(0);
}

// The value, or with Tangent its tangent of the derivative Tag, of a number, an active value, a tuple or a struct of them.
template <class Tag, bool Tangent>
struct part_of_result {
    template <class U>
    auto operator()(U const& u) const {
        if constexpr (active<U>) {
            auto const p = part_source(u);
            if constexpr (U::rank == 0) return part_of_number<Tag, Tangent>(p.forward());
            else return part_of_array<Tag, Tangent>(p.source());
        } else if constexpr (plain_scalar<U> || number_dual<U>) return part_of_number<Tag, Tangent>(u);
        else return plain(u);
    }

private:
    template <class... E>
    auto plain(std::tuple<E...> const& t) const {
        return detail::call_with([this](auto const&... e) { return std::tuple((*this)(e)...); }, t);
    }
    template <class A, class B>
    auto plain(std::pair<A, B> const& p) const {
        return std::pair((*this)(p.first), (*this)(p.second));
    }
    template <class E, std::size_t N>
    auto plain(std::array<E, N> const& a) const {
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::array{(*this)(a[I])...}; }(std::make_index_sequence<N>{});
    }
    template <class E>
    auto plain(std::vector<E> const& a) const {
        std::vector<decltype((*this)(a[0]))> r;
        for (auto const& e : a) r.push_back((*this)(e));
        return r;
    }
    template <class P>
    auto plain(P const& x) const {
        using T = typename P::value_type;
        if constexpr (!Tangent || number_dual<T>) return part_of_array<Tag, Tangent>(as_constant_array<T>(std::cref(x), plain_context()).source());
        else return zero_tangent(xt::eval(x));
    }
};

}
XGRAD_DETAIL_QUIET_END
