// Defines log-densities: normal_lpdf(y, mu, sigma) and its like, by Stan's names and parameters. It includes Boost.Math, by way of special.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/compare.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/ruleset/categorical.hpp>
#include <xgrad/ruleset/density_elements.hpp>
#include <xgrad/ruleset/distributions.hpp>
#include <xgrad/special.hpp>

namespace xgrad {

namespace detail {

template <class E>
concept density_operand = active<E> || plain_operand<E>;

template <class... E>
inline constexpr bool are_numbers = (is_scalar_operand<std::remove_cvref_t<E>> && ...);

// What each element of a density takes where parameters are numbers: operands that are computed once. Op itself where they are not.
template <class Op>
struct density_elements {
    template <class... E>
    XGRAD_DETAIL_INLINE static auto of(E&&... e) { return elementwise<Op>(std::forward<E>(e)...); }
};
// Of the items of a map only those parameters that they have in common are computed once.
template <class E>
inline constexpr bool is_in_common = false;
template <active E>
inline constexpr bool is_in_common<E> = std::is_same_v<typename std::remove_cvref_t<E>::lifetime, in_common>;
template <class E>
inline constexpr bool is_of_lanes = false;
template <active E>
inline constexpr bool is_of_lanes<E> = is_pack<typename std::remove_cvref_t<E>::value_type> && !is_in_common<E>;
template <class... E>
inline constexpr bool are_parameters = are_numbers<E...> && !(is_of_lanes<E> || ...);
// A parameter that is used twice. A temporary on the stack of a scoped function becomes a variable.
template <class E>
XGRAD_DETAIL_INLINE decltype(auto) parameter(E&& e) {
    if constexpr (active<E> && !is_in_common<E> && !std::is_lvalue_reference_v<E>) return variable<primal_t<E>>(std::forward<E>(e));
    else return (e);
}
// Each use of it. What lanes have in common has no variable: of a temporary each use has a copy.
template <class E, class S>
XGRAD_DETAIL_INLINE decltype(auto) use(S const& s) {
    if constexpr (is_in_common<E> && !std::is_lvalue_reference_v<E>) return S(s);
    else return (s);
}
template <class E>
XGRAD_DETAIL_INLINE auto log_of_positive(E&& e) { return elementwise<op::log_of_positive>(std::forward<E>(e)); }

// A standard density with a location and a scale: Element of y, what is before the scale, 1 / sigma and log(sigma) + norm.
template <class Op, class Element>
struct location_scale_elements {
    template <class Y, class Mu, class Sigma>
    XGRAD_DETAIL_INLINE static auto of(Y&& y, Mu&& mu, Sigma&& sigma) {
        if constexpr (!are_parameters<Sigma>) return elementwise<Op>(std::forward<Y>(y), std::forward<Mu>(mu), std::forward<Sigma>(sigma));
        else {
            auto&& s = parameter(std::forward<Sigma>(sigma));
            return elementwise<Element>(std::forward<Y>(y), std::forward<Mu>(mu), 1.0 / use<Sigma>(s), log_of_positive(use<Sigma>(s)) + Element::log_norm);
        }
    }
};
template <> struct density_elements<op::normal_lpdf> : location_scale_elements<op::normal_lpdf, op::normal_element> {};
template <> struct density_elements<op::lognormal_lpdf> : location_scale_elements<op::lognormal_lpdf, op::lognormal_element> {};
template <> struct density_elements<op::cauchy_lpdf> : location_scale_elements<op::cauchy_lpdf, op::cauchy_element> {};
template <> struct density_elements<op::laplace_lpdf> : location_scale_elements<op::laplace_lpdf, op::laplace_element> {};
template <> struct density_elements<op::logistic_lpdf> : location_scale_elements<op::logistic_lpdf, op::logistic_element> {};
template <>
struct density_elements<op::student_t_lpdf> {
    template <class Y, class Nu, class Mu, class Sigma>
    XGRAD_DETAIL_INLINE static auto of(Y&& y, Nu&& nu, Mu&& mu, Sigma&& sigma) {
        if constexpr (!are_parameters<Nu, Sigma>)
            return elementwise<op::student_t_lpdf>(std::forward<Y>(y), std::forward<Nu>(nu), std::forward<Mu>(mu), std::forward<Sigma>(sigma));
        else {
            auto&& n = parameter(std::forward<Nu>(nu));
            auto&& s = parameter(std::forward<Sigma>(sigma));
            return (-0.5 * (use<Nu>(n) + 1.0)) * elementwise<op::student_t_element>(std::forward<Y>(y), use<Nu>(n), std::forward<Mu>(mu), 1.0 / use<Sigma>(s)) -
                   (elementwise<op::student_t_log_norm>(use<Nu>(n)) + log_of_positive(use<Sigma>(s)));
        }
    }
};
template <>
struct density_elements<op::exponential_lpdf> {
    template <class Y, class Beta>
    XGRAD_DETAIL_INLINE static auto of(Y&& y, Beta&& beta) {
        if constexpr (!are_parameters<Beta>) return elementwise<op::exponential_lpdf>(std::forward<Y>(y), std::forward<Beta>(beta));
        else {
            auto&& b = parameter(std::forward<Beta>(beta));
            return elementwise<op::exponential_element>(std::forward<Y>(y), use<Beta>(b), -log_of_positive(use<Beta>(b)));
        }
    }
};
template <class Op, class Element, class Norm>
struct two_parameter_elements {
    template <class Y, class Alpha, class Beta>
    XGRAD_DETAIL_INLINE static auto of(Y&& y, Alpha&& alpha, Beta&& beta) {
        if constexpr (!are_parameters<Alpha, Beta>) return elementwise<Op>(std::forward<Y>(y), std::forward<Alpha>(alpha), std::forward<Beta>(beta));
        else {
            auto&& a = parameter(std::forward<Alpha>(alpha));
            auto&& b = parameter(std::forward<Beta>(beta));
            return elementwise<Element>(std::forward<Y>(y), use<Alpha>(a), use<Beta>(b), elementwise<Norm>(use<Alpha>(a), use<Beta>(b)));
        }
    }
};
template <> struct density_elements<op::gamma_lpdf> : two_parameter_elements<op::gamma_lpdf, op::gamma_element, op::gamma_log_norm> {};
template <> struct density_elements<op::beta_lpdf> : two_parameter_elements<op::beta_lpdf, op::beta_element, op::beta_log_norm> {};

// The sum of Op over the elements that the operands broadcast to; of numbers alone a number.
template <class Op, class... E>
XGRAD_DETAIL_INLINE auto log_density(E&&... e) {
    if constexpr ((active<E> || ...)) {
        if constexpr ((is_in_common<E> || ...)) return density_elements<Op>::of(std::forward<E>(e)...);
        else if constexpr (are_numbers<E...>) return elementwise<Op>(std::forward<E>(e)...);
        else return sum(density_elements<Op>::of(std::forward<E>(e)...));
    } else if constexpr ((plain_number<std::remove_cvref_t<E>> && ...)) return elementwise<Op>(e...);
    else return xt::eval(xt::sum(elementwise<Op>(std::forward<E>(e)...)))();
}

}

// Each is the sum over all elements of the logarithm of the density of y, normalised; operands broadcast, are numbers or arrays, active or plain
// (integers, too), and each has its derivative. y outside the support gives -inf and no derivative; a parameter outside its domain, given here,
// gives NaN for every y in the support. Throws std::invalid_argument where shapes do not broadcast.
#define XGRAD_DETAIL_DENSITY(NAME, COUNT)                                                             \
    template <class... E>                                                                             \
        requires(sizeof...(E) == COUNT && ((detail::density_operand<E> || number_dual<E>) && ...))    \
    XGRAD_DETAIL_INLINE auto NAME(E&&... e) { return detail::log_density<op::NAME>(std::forward<E>(e)...); }
XGRAD_DETAIL_DENSITY(normal_lpdf, 3)           // y, mu, sigma > 0
XGRAD_DETAIL_DENSITY(lognormal_lpdf, 3)        // y > 0, mu, sigma > 0
XGRAD_DETAIL_DENSITY(exponential_lpdf, 2)      // y >= 0, beta > 0, the inverse of the mean
XGRAD_DETAIL_DENSITY(gamma_lpdf, 3)            // y >= 0, shape alpha > 0, rate beta > 0
XGRAD_DETAIL_DENSITY(beta_lpdf, 3)             // 0 <= y <= 1, alpha > 0, beta > 0
XGRAD_DETAIL_DENSITY(student_t_lpdf, 4)        // y, degrees of freedom nu > 0, mu, sigma > 0
XGRAD_DETAIL_DENSITY(cauchy_lpdf, 3)           // y, mu, sigma > 0
XGRAD_DETAIL_DENSITY(laplace_lpdf, 3)          // y, mu, sigma > 0: Stan's double_exponential
XGRAD_DETAIL_DENSITY(logistic_lpdf, 3)         // y, mu, sigma > 0
XGRAD_DETAIL_DENSITY(uniform_lpdf, 3)          // a <= y <= b, a < b
XGRAD_DETAIL_DENSITY(poisson_lpmf, 2)          // n = 0, 1, ..., lambda >= 0
XGRAD_DETAIL_DENSITY(bernoulli_logit_lpmf, 2)  // n = 0 or 1 (or bool), alpha = log(p / (1 - p))
XGRAD_DETAIL_DENSITY(binomial_logit_lpmf, 3)   // n = 0 ... N, N, alpha = log(p / (1 - p))
#undef XGRAD_DETAIL_DENSITY

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_category(long long found, std::size_t categories) {
    throw std::invalid_argument("xgrad[E204]: categorical_logit_lpmf(k, theta) requires categories from 0 to " + std::to_string(categories) +
                                " - 1, the last extent of theta, found " + std::to_string(found));
}

// How often each category was observed in each row: one observation for each row, or, where theta is one row, any number of them.
template <class T, int R, class K>
auto count_categories(K const& k, extents<R> const& shape) {
    if (shape.rank() == 0 || shape[shape.rank() - 1] == 0) (void)array_rule<op::categorical_logit_lpmf>::shape(shape, shape);
    std::size_t const categories = shape[shape.rank() - 1], rows = element_count(shape) / categories;
    auto counts = primal_of_shape<T>(shape);
    counts.fill(T(0));
    auto const add = [&](auto which, std::size_t row) {
        if (static_cast<long long>(which) < 0 || static_cast<std::size_t>(which) >= categories) refuse_category(static_cast<long long>(which), categories);
        counts.data()[row * categories + static_cast<std::size_t>(which)] += T(1);
    };
    if constexpr (std::integral<K>) {
        for (std::size_t row = 0; row < rows; ++row) add(k, row);
    } else {
        std::size_t const n = k.size();
        bool fits = shape.rank() == 1 || k.dimension() + 1 == static_cast<std::size_t>(shape.rank());
        if (shape.rank() != 1)
            for (int d = 0; fits && d + 1 < shape.rank(); ++d) fits = static_cast<std::size_t>(k.shape()[static_cast<std::size_t>(d)]) == shape[d];
        if (!fits)
            throw std::invalid_argument("xgrad[E202]: categorical_logit_lpmf(k, theta) requires one category for each row of theta, or one row, found " +
                                        to_string(shape_of<dynamic_rank>(k)) + " categories and a theta of shape " + to_string(shape) +
                                        ": the categories of theta are along its last axis");
        auto at = k.template begin<xt::layout_type::row_major>();
        for (std::size_t i = 0; i < n; ++i, ++at) add(*at, shape.rank() == 1 ? 0 : i);
    }
    return counts;
}

}

// Σ log(softmax(theta)[k]) with categories k = 0, 1, ...: a whole number or a plain array of them, and logits theta along the last axis: one row for
// all observations, or one for each. Its negative, divided by the number of observations, is the cross entropy of a classifier. Throws
// std::invalid_argument for a category that theta does not have, and for numbers of rows that do not fit.
template <class K, class E>
    requires(std::integral<std::remove_cvref_t<K>> || (plain_array<K> && std::integral<typename std::remove_cvref_t<K>::value_type>)) &&
            (active<E> || plain_array<E>)
auto categorical_logit_lpmf(K const& k, E&& theta) {
    if constexpr (detail::is_scalar_operand<std::remove_cvref_t<E>>) {
        static_assert(
            detail::never<E>,
            "xgrad[E083]: categorical_logit_lpmf(k, theta) requires for theta an array of logits, but it is a number: for two categories write "
            "bernoulli_logit_lpmf(n, alpha)");
        return bernoulli_logit_lpmf(k, theta);
    } else if constexpr (active<E>) {
        using T = scalar_of_t<typename std::remove_cvref_t<E>::value_type>;
        auto counts = detail::count_categories<T>(k, theta.extent());
        return make_formula<op::categorical_logit_lpmf>(std::forward<E>(theta), std::move(counts));
    } else {
        auto const values = xt::eval(theta);
        using T = std::remove_const_t<typename decltype(values)::value_type>;
        static_assert(std::floating_point<T>, "xgrad[E084]: categorical_logit_lpmf(k, theta) requires logits of floating-point type: convert theta");
        auto const x = detail::read_elements(values);
        auto const counts = detail::count_categories<T>(k, x.shape);
        T y(0);
        array_rule<op::categorical_logit_lpmf>::value(array_ref<T, 0>{&y, {}, {}}, x, detail::read_elements(counts));
        return y;
    }
}
}

// Found without a prefix on plain arrays, too.
namespace xt {
using xgrad::bernoulli_logit_lpmf, xgrad::beta_lpdf, xgrad::binomial_logit_lpmf, xgrad::categorical_logit_lpmf, xgrad::cauchy_lpdf, xgrad::exponential_lpdf,
    xgrad::gamma_lpdf, xgrad::laplace_lpdf, xgrad::logistic_lpdf, xgrad::lognormal_lpdf, xgrad::normal_lpdf, xgrad::poisson_lpmf, xgrad::student_t_lpdf,
    xgrad::uniform_lpdf;
}
