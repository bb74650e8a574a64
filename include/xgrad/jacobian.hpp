// Defines jacobian: the dense derivative of a function that gives a number or an array, by whichever mode has fewer passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/hessian.hpp>
#include <xgrad/vjp.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// What computes a Jacobian: the shorter side of it, a pass forward for every eight arguments, or one backward for each value.
enum class direction { by_shape, forward, reverse };

namespace detail {

template <class Y>
auto extents_of_value(Y const& y) {
    if constexpr (plain_array<Y>) {
        if constexpr (is_complex_number<typename Y::value_type>) return extents<1>{{2 * y.size()}};
        else return shape_of<rank_of<Y>>(y);
    } else if constexpr (is_complex_number<Y>) return extents<1>{{2}};
    else {
        static_assert(
            perturbable_number<Y>,
            "xgrad[E052]: jacobian(f, x...) requires a function that gives a number or an array: make an array of a vector by stack(v), and differentiate "
            "the parts of a tuple one by one, or by vjp");
        return extents<0>{};
    }
}

// The directions k of a result, as rows of n numbers, each of them in column c + k.
template <class Tag, class T>
struct store_columns {
    T* first;
    std::size_t n, c;
    template <class P>
    void put(std::size_t i, std::size_t k, P const& ydot) const {
        if constexpr (is_complex_number<P>) {
            put(2 * i, k, ydot.real());
            put(2 * i + 1, k, ydot.imag());
        } else first[i * n + c + k] = static_cast<T>(ydot);
    }
    template <class U>
    void operator()(U const& u) const {
        if constexpr (active<U>) {
            auto const p = part_source(u);
            if constexpr (U::rank == 0) number(p.forward(), 0);
            else if constexpr (number_dual<typename U::value_type>) {
                auto const a = p.source();
                for (std::size_t k = 0; k < U::value_type::count && c + k < n; ++k)
                    for_each_offset(a.shape, a.stride, [&](std::size_t i, std::ptrdiff_t at) { put(i, k, a.data.direction(k)[at]); });
            }
        } else if constexpr (number_dual<U>) number(u, 0);
    }
    template <class V>
    void number(V const& v, std::size_t i) const {
        if constexpr (has_level<Tag, V>)
            for (std::size_t k = 0; k < V::count && c + k < n; ++k) put(i, k, direction_at<Tag>(v, k));
    }
};

template <class F, class... X>
auto jacobian_forward(F& f, X const&... x) {
    using T = scalar_of_arguments<X...>;
    using Tag = level<std::remove_cvref_t<F>, X...>;
    using L = dual_lift<lanes_of_directions, Tag, T>;
    std::size_t const n = coordinates_of(x...);
    auto const s = shape_of_arguments<X...>::of(n, x...);
    bound_call<counted, L, X...> call;
    borrowed_workspace w;
    auto pass = [&](std::size_t c, auto take) {
        tangent_seeds d;
        d.first = c;
        return call.run(w.get(), x..., static_cast<std::tuple<gradient_type_t<X>...>*>(nullptr), gradient_memory::own, &d, [&](context& ctx, auto&&... h) {
            using R = std::remove_cvref_t<std::invoke_result_t<F&, decltype(h)...>>;
            if constexpr (declared_result<R>) return take(call_scalar<typename L::template type<typename R::value_type>>(f, ctx, h...));
            else {
                auto&& r = f(h...);
                if (ctx.deliveries != 0) other_delivery();
                return take(r);
            }
        });
    };
    auto j = pass(0, [&](auto const& r) {
        auto y = joined_array<T>(extents_of_value(part_of_result<Tag, false>{}(r)), s);
        store_columns<Tag, T>{data_of(y), n, 0}(r);
        return y;
    });
    for (std::size_t c = L::count; c < n; c += L::count)
        pass(c, [&](auto const& r) {
            store_columns<Tag, T>{data_of(j), n, c}(r);
            return 0;
        });
    return j;
}

// Row by row, the numbers of a gradient.
template <class T, class Address = void const*>
struct store_row {
    T* to;
    object_set<Address> met{};
    template <class D>
    void number(D const& g) {
        *to++ = static_cast<T>(real_part(g));
        if constexpr (is_complex_number<D>) *to++ = static_cast<T>(g.imag());
    }
    template <class P, class D>
    void operator()(P const& x, D const& g) {
        if constexpr (!differentiable<P>) return;
        else if constexpr (number_array<P>) {
            for (auto const& v : xt::flatten<xt::layout_type::row_major>(g)) number(v);
        } else if constexpr (perturbable_number<P>) number(g);
        else if (!met.again(x)) parts<P>::each(*this, x, g);
    }
};

template <class Y, class Pullback, class... X>
auto jacobian_reverse(Y const& y, Pullback& back, X const&... x) {
    using T = scalar_of_arguments<X...>;
    std::size_t const n = coordinates_of(x...);
    auto j = joined_array<T>(extents_of_value(y), shape_of_arguments<X...>::of(n, x...));
    auto row = [&](std::size_t i, auto const& ybar) {
        auto const g = back(ybar);
        store_row<T> store{data_of(j) + i * n};
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            auto one = [&]<class Z, class D>(Z const& z, D const& d) {
                if constexpr (!traits_of<Z>::is_constant) store(z, d);
            };
            (one(x, std::get<I>(g)), ...);
        }(std::index_sequence_for<X...>{});
    };
    if constexpr (!plain_array<Y>) {
        row(0, Y(1));
        if constexpr (is_complex_number<Y>) row(1, Y(0, 1));
    } else {
        using V = typename Y::value_type;
        Y ybar = zero_tangent(y);
        for (std::size_t i = 0; i < ybar.size(); ++i) {
            ybar.data()[i] = V(1);
            row(i * coordinates<V>, ybar);
            if constexpr (is_complex_number<V>) {
                ybar.data()[i] = V(0, 1);
                row(2 * i + 1, ybar);
            }
            ybar.data()[i] = V(0);
        }
    }
    return j;
}

}

// The derivative of f(x...), of shape (value's shape..., argument's shape...) for one number or array; with respect to anything else the last dimension counts
// the real numbers in the arguments, in the order of flatten. f gives a number or an array. A complex number is two real ones, in the argument and in the
// value: its real and its imaginary part; complex values are counted in one dimension, as complex arguments are. Throws what f throws, and
// std::invalid_argument for shapes that do not fit.
template <direction By = direction::by_shape, class F, class... X>
auto jacobian(F&& f, X const&... x) {
    using Tag = detail::level<std::remove_cvref_t<F>, X...>;
    using L = dual_lift<detail::lanes_of_directions, Tag, detail::scalar_of_arguments<X...>>;
    if constexpr (By == direction::forward) {
        if constexpr (!detail::check_call<detail::gradient_owner::verb, F, L, X...>()) return detail::refused_call<double>();
        else return detail::jacobian_forward(f, x...);
    } else if constexpr (!detail::check_call<detail::gradient_owner::verb, F, identity_lift, X...>()) return detail::refused_call<double>();
    else if constexpr (By == direction::reverse) {
        auto [y, back] = vjp(f, x...);
        return detail::jacobian_reverse(y, back, x...);
    } else {
        // a value is known when it was computed, so the reverse mode is asked, unless a few passes forward are enough
        std::size_t const n = detail::coordinates_of(x...);
        if (n <= detail::lanes_of_directions) return detail::jacobian_forward(f, x...);
        auto [y, back] = vjp(f, x...);
        return element_count(detail::extents_of_value(y)) * detail::lanes_of_directions < n ? detail::jacobian_reverse(y, back, x...)
                                                                                            : detail::jacobian_forward(f, x...);
    }
}

}
XGRAD_DETAIL_QUIET_END
