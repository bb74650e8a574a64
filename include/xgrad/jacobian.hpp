// Defines jacobian: the dense derivative of a function that gives a number or an array, by whichever mode has fewer passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/flatten.hpp>
#include <xgrad/hessian.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/vjp.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// What computes a Jacobian: the shorter side of it, a pass forward for every eight arguments, or one backward for each value.
enum class direction { by_shape, forward, reverse };

namespace detail {

// Whether a value is a number, an array, or a fixed number of such.
template <class Y>
consteval bool is_dense_value() {
    if constexpr (plain_array<Y> || perturbable_number<Y> || !differentiable<Y>) return true;
    else if constexpr (!fixed_form<Y>) return false;
    else return []<class... P>(type_list<P...>) { return (is_dense_value<std::remove_cv_t<P>>() && ...); }(typename parts<Y>::types{});
}
// One array has its shape; the numbers of anything else are counted.
template <class Y>
auto extents_of_value(Y const& y) {
    static_assert(is_dense_value<Y>(),
                  "xgrad[E052]: jacobian(f, x...) requires a function that gives numbers and arrays, several of them as a std::tuple, a pair, a std::array or "
                  "a declared result, but it gives something else: make an array of a vector by stack(v)");
    if constexpr (shape_of_arguments<Y>::template is_real_array<Y>) return shape_of<rank_of<Y>>(y);
    else if constexpr (perturbable_number<Y> && !is_complex_number<Y>) return extents<0>{};
    else {
        count_coordinates count;
        count(y);
        return extents<1>{{count.count}};
    }
}

// The directions k of a result, as rows of n numbers, each of them in column c + k: from `row` on, for one part of it after the other.
template <class Tag, class T>
struct store_columns {
    T* first;
    std::size_t n, c, row = 0;
    template <class P>
    void put(std::size_t i, std::size_t k, P const& ydot) const {
        if constexpr (is_complex_number<P>) {
            put(2 * i, k, ydot.real());
            put(2 * i + 1, k, ydot.imag());
        } else first[(row + i) * n + c + k] = static_cast<T>(ydot);
    }
    template <class U>
    void operator()(U const& u) {
        if constexpr (active<U>) {
            auto const p = part_source(u);
            if constexpr (U::rank == 0) number(p.forward());
            else {
                auto const a = p.source();
                if constexpr (number_dual<typename U::value_type>)
                    for (std::size_t k = 0; k < U::value_type::count && c + k < n; ++k)
                        for_each_offset(a.shape, a.stride, [&](std::size_t i, std::ptrdiff_t at) { put(i, k, a.data.direction(k)[at]); });
                row += element_count(a.shape) * coordinates<typename without_duals<typename U::value_type>::type>;
            }
        } else if constexpr (number_dual<U> || perturbable_number<U>) number(u);
        else if constexpr (plain_array<U>) row += u.size() * coordinates<typename U::value_type>;
        else if constexpr (requires { std::tuple_size<U>::value; }) detail::call_with([this](auto const&... part) { ((*this)(part), ...); }, u);
    }
    template <class S, class L>
    void operator()(delivered_parts<S, L>& r) {
        r.each_number([this](auto const& v) { number(v); });
    }
    template <class V>
    void number(V const& v) {
        if constexpr (has_level<Tag, V>)
            for (std::size_t k = 0; k < V::count && c + k < n; ++k) put(0, k, direction_at<Tag>(v, k));
        row += coordinates<typename without_duals<V>::type>;
    }
};
// A result without its tangents.
template <class Tag>
struct value_of_result : part_of_result<Tag, false> {
    using part_of_result<Tag, false>::operator();
    template <class S, class L>
    auto operator()(delivered_parts<S, L>& r) const {
        return r.template part<Tag, false>();
    }
};

template <class F, class... X>
auto jacobian_forward(F& f, X const&... x) {
    using T = scalar_of_arguments<X...>;
    using Tag = level<std::remove_cvref_t<F>, X...>;
    using L = dual_lift<lanes_of_directions, Tag, T>;
    std::size_t const n = coordinates_of(x...);
    auto const s = shape_of_arguments<X...>::of(n, x...);
    bound_call<valued, L, X...> call;
    borrowed_workspace w;
    auto pass = [&](std::size_t c, auto take) {
        tangent_seeds d;
        d.first = c;
        return call.run(w.get(), x..., static_cast<std::tuple<gradient_type_t<X>...>*>(nullptr), gradient_memory::own, &d, [&](context& ctx, auto&&... h) {
            using R = std::remove_cvref_t<std::invoke_result_t<F&, decltype(h)...>>;
            if constexpr (declares_parts<R>) {
                delivered_parts<typename R::value_type, lift_of_results<L, X...>> y(ctx);
                call_parts(f, ctx, y, h...);
                return take(y);
            } else if constexpr (declared_result<R>) return take(call_scalar<typename decltype(find_call_value<L, R, X...>())::type>(f, ctx, h...));
            else if constexpr (!check_result<R>()) return take(0.0);
            else {
                auto&& r = f(h...);
                if (ctx.deliveries != 0) other_delivery();
                return take(r);
            }
        });
    };
    auto j = pass(0, [&](auto&& r) {
        auto y = joined_array<T>(extents_of_value(value_of_result<Tag>{}(r)), s);
        store_columns<Tag, T>{data_of(y), n, 0}(r);
        return y;
    });
    for (std::size_t c = L::count; c < n; c += L::count)
        pass(c, [&](auto&& r) {
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
    auto ybar = zero_tangent(y);
    std::size_t i = 0;
    auto one = [&]<class V>(V& v) {
        v = V(1);
        row(i++, ybar);
        if constexpr (is_complex_number<V>) {
            v = V(0, 1);
            row(i++, ybar);
        }
        v = V(0);
    };
    visit_numbers<decltype(one)>{{}, &one}(ybar);
    return j;
}

}

// The derivative of f(x...), of shape (value's shape..., argument's shape...) for one number or array; with respect to anything else the last dimension counts
// the real numbers in the arguments, in the order of flatten, and of several results, in a std::tuple, a pair, a std::array or a declared xgrad::result<S>, the
// first dimension counts theirs. A complex number is two real ones, in the argument and in the value: its real and its imaginary part; complex values are
// counted in one dimension, as complex arguments are. Throws what f throws, and std::invalid_argument for shapes that do not fit.
template <direction By = direction::by_shape, class F, class... X>
auto jacobian(F&& f, X const&... x) {
    using Tag = detail::level<std::remove_cvref_t<F>, X...>;
    using L = dual_lift<detail::lanes_of_directions, Tag, detail::scalar_of_arguments<X...>>;
    if constexpr (By == direction::forward) {
        if constexpr (!detail::check_call_in<valued, detail::gradient_owner::verb, F, L, X...>()) return detail::refused_call<double>();
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
