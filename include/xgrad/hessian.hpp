// Defines hessian: the second derivatives of a scalar function, by the forward mode over the reverse mode.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/jvp.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// The directions of one pass of hessian and jacobian.
inline constexpr std::size_t lanes_of_directions = 8;

template <class X>
struct scalar_of_argument { using type = double; };
template <class X>
    requires perturbable_number<X>
struct scalar_of_argument<X> { using type = real_type_t<X>; };
template <class X>
    requires number_array<X>
struct scalar_of_argument<X> { using type = real_type_t<array_element_t<X>>; };
template <class P>
struct scalar_of_argument<constant_argument<P>> { using type = float; };
template <class... X>
using scalar_of_arguments = std::common_type_t<typename scalar_of_argument<X>::type...>;

// The dense derivatives with respect to one array have its shape, those with respect to anything else are counted in one dimension, those with
// respect to complex numbers, too: each counts as two real ones.
template <class... X>
struct shape_of_arguments {
    static constexpr std::size_t count = (0 + ... + !traits_of<X>::is_constant);
    template <class Y>
    static consteval int rank_in() {
        using P = typename traits_of<Y>::primal;
        if constexpr (traits_of<Y>::is_constant) return 0;
        else if constexpr (perturbable_number<P>) return is_complex_number<P> ? 1 : 0;
        else if constexpr (is_real_array<P>) return rank_of<P>;
        else return 1;
    }
    template <class P>
    static constexpr bool is_real_array = [] {
        if constexpr (number_array<P>) return !is_complex_number<array_element_t<P>>;
        else return false;
    }();
    static constexpr int rank = count == 1 ? (0 + ... + rank_in<X>()) : 1;

    static extents<rank> of(std::size_t n, X const&... x) {
        extents<rank> s{};
        if constexpr (rank != 0) {
            s.set_rank(1);
            auto take = [&]<class Y>(Y const& y) {
                if constexpr (!traits_of<Y>::is_constant)
                    if constexpr (is_real_array<typename traits_of<Y>::primal>) s = shape_of<rank>(traits_of<Y>::get(y));
            };
            if constexpr (count == 1 && ((!traits_of<X>::is_constant && is_real_array<typename traits_of<X>::primal>) || ...)) (take(x), ...);
            else s[0] = n;
        }
        return s;
    }
};

template <class T, int A, int B>
auto joined_array(extents<A> const& a, extents<B> const& b) {
    constexpr int R = A == dynamic_rank || B == dynamic_rank ? dynamic_rank : A + B;
    extents<R> s{};
    s.set_rank(a.rank() + b.rank());
    for (int d = 0; d < a.rank(); ++d) s[d] = a[d];
    for (int d = 0; d < b.rank(); ++d) s[a.rank() + d] = b[d];
    if constexpr (R == 0) return T(0);
    else {
        auto y = primal_of_shape<T>(s);
        std::fill_n(y.data(), y.size(), T(0));
        return y;
    }
}
template <class Y>
auto* data_of(Y& y) {
    if constexpr (requires { y.data(); }) return y.data();
    else return &y;
}

template <class... X>
std::size_t coordinates_of(X const&... x) {
    count_coordinates count;
    auto one = [&]<class Y>(Y const& y) {
        if constexpr (!traits_of<Y>::is_constant) count(y);
    };
    (one(x), ...);
    return count.count;
}

}

// f(x...), its gradient, and its Hessian.
template <class T, class H, class... G>
struct value_with_hessian {
    T value;
    std::tuple<G...> gradient;
    H hessian;
};

// The Hessian is a number for one number; for one array of shape S an array of shape (S..., S...); for anything else a matrix, whose rows and columns are the
// real numbers in the arguments in the order of flatten, a complex one as its real and its imaginary part. It costs n / 8 passes, each with eight tangents side
// by side. f gives a real number. Throws what f throws, and std::invalid_argument for shapes that do not fit.
template <class F, class... X>
auto value_gradient_and_hessian(F&& f, X const&... x) {
    using T = detail::scalar_of_arguments<X...>;
    using Tag = detail::level<std::remove_cvref_t<F>, X...>;
    using L = dual_lift<detail::lanes_of_directions, Tag, T>;
    if constexpr (!detail::check_call<detail::gradient_owner::verb, F, L, X...>())
        return detail::refused_call<value_with_hessian<double, double, detail::refused_gradient<X>...>>();
    else {
        std::size_t const n = detail::coordinates_of(x...);
        using shapes = detail::shape_of_arguments<X...>;
        auto const s = shapes::of(n, x...);
        auto h = detail::joined_array<T>(s, s);
        T* const first = detail::data_of(h);
        gradient_call_of<L, std::remove_reference_t<F>, X...> call;
        std::tuple<gradient_type_t<X>...> gradient{};
        borrowed_workspace w;
        std::vector<T> rows(L::count * n);
        using V = typename decltype(call)::value_type;
        V y{};
        for (std::size_t c = 0; c == 0 || c < n; c += L::count) {
            std::fill(rows.begin(), rows.end(), T(0));
            detail::tangent_seeds d;
            d.first = c;
            d.rows = rows.data();
            d.width = n;
            y = call.run(f, w.get(), x..., &gradient, gradient_memory::own, &d);
            for (std::size_t k = 0; k < L::count && c + k < n; ++k) std::copy_n(rows.data() + k * n, n, first + (c + k) * n);
        }
        using Y = decltype(detail::primal_at<Tag>(y));
        return value_with_hessian<Y, decltype(h), gradient_type_t<X>...>{detail::primal_at<Tag>(y), std::move(gradient), std::move(h)};
    }
}

// The Hessian alone, in the form that value_gradient_and_hessian gives it, and with its errors.
template <class F, class... X>
auto hessian(F&& f, X const&... x) {
    return value_gradient_and_hessian(f, x...).hessian;
}

}
XGRAD_DETAIL_QUIET_END
