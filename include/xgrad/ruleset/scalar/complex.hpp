// Defines the operations on complex numbers: their parts, their conjugates, and which other operations take them.
#pragma once

#include <complex>

#include <xgrad/rule/identity.hpp>
#include <xgrad/ruleset/scalar/arithmetic.hpp>
#include <xgrad/ruleset/scalar/choice.hpp>
#include <xgrad/ruleset/scalar/exponential.hpp>
#include <xgrad/ruleset/scalar/hyperbolic.hpp>
#include <xgrad/ruleset/scalar/powers.hpp>
#include <xgrad/ruleset/scalar/trigonometric.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

struct real {
    static constexpr char const* name = "real(z)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& z) const { return detail::real_part(z); }
};
struct imag {
    static constexpr char const* name = "imag(z)";
    template <class P>
    XGRAD_DETAIL_INLINE auto operator()(P const& z) const {
        if constexpr (detail::is_complex_number<P>) return detail::imaginary_part(z);
        else return zero(z);
    }
};
struct conj {
    static constexpr char const* name = "conj(z)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& z) const { return detail::conjugate(z); }
};
struct arg {
    static constexpr char const* name = "arg(z)";
    template <class T>
    XGRAD_DETAIL_INLINE T operator()(std::complex<T> const& z) const { return std::arg(z); }
    XGRAD_DETAIL_OF_DUALS(arg)
};
// re(z)² + im(z)².
struct squared_magnitude {
    static constexpr char const* name = "norm(z)";
    template <class T>
    XGRAD_DETAIL_INLINE T operator()(std::complex<T> const& z) const { return std::norm(z); }
    XGRAD_DETAIL_OF_DUALS(squared_magnitude)
};

}

// Of a real y the partial p says that dy = Re(p dz).
template <> inline constexpr auto partials<op::real> = [](auto y, auto) { return partial(one(y)); };
template <> inline constexpr auto partials<op::imag> = [](auto y, auto z) {
    if constexpr (detail::is_complex_number<decltype(z)>) return partial(detail::from_parts(zero(y), -one(y)));
    else return partial(zero(y));
};
template <> inline constexpr auto partials<op::conj> = [](auto y, auto z) {
    if constexpr (detail::is_complex_number<decltype(z)>) return partial(conjugating{});
    else return partial(one(y));
};
template <> inline constexpr auto partials<op::arg> = [](auto y, auto z) { return partial(detail::from_parts(zero(y), -one(y)) / z); };
template <> inline constexpr auto partials<op::squared_magnitude> = [](auto y, auto z) { return partial(literal(y, 2.0) * detail::conjugate(z)); };

template <> inline constexpr bool takes_complex<op::real> = true;
template <> inline constexpr bool takes_complex<op::imag> = true;
template <> inline constexpr bool takes_complex<op::conj> = true;
template <> inline constexpr bool takes_complex<op::arg> = true;
template <> inline constexpr bool takes_complex<op::squared_magnitude> = true;
template <> inline constexpr bool takes_complex<op::abs> = true;

// The holomorphic ones have the partials that they have of real numbers.
template <> inline constexpr bool takes_complex<identity_op> = true;
template <> inline constexpr bool takes_complex<op::plus> = true;
template <> inline constexpr bool takes_complex<op::minus> = true;
template <> inline constexpr bool takes_complex<op::times> = true;
template <> inline constexpr bool takes_complex<op::divide> = true;
template <> inline constexpr bool takes_complex<op::negate> = true;
template <> inline constexpr bool takes_complex<op::square> = true;
template <> inline constexpr bool takes_complex<op::cube> = true;
template <class N> inline constexpr bool takes_complex<op::power<N>> = true;
template <> inline constexpr bool takes_complex<op::exp> = true;
template <> inline constexpr bool takes_complex<op::log> = true;
template <> inline constexpr bool takes_complex<op::log10> = true;
template <> inline constexpr bool takes_complex<op::sqrt> = true;
template <> inline constexpr bool takes_complex<op::pow> = true;
template <> inline constexpr bool takes_complex<op::sin> = true;
template <> inline constexpr bool takes_complex<op::cos> = true;
template <> inline constexpr bool takes_complex<op::tan> = true;
template <> inline constexpr bool takes_complex<op::asin> = true;
template <> inline constexpr bool takes_complex<op::acos> = true;
template <> inline constexpr bool takes_complex<op::atan> = true;
template <> inline constexpr bool takes_complex<op::sinh> = true;
template <> inline constexpr bool takes_complex<op::cosh> = true;
template <> inline constexpr bool takes_complex<op::tanh> = true;
template <> inline constexpr bool takes_complex<op::asinh> = true;
template <> inline constexpr bool takes_complex<op::acosh> = true;
template <> inline constexpr bool takes_complex<op::atanh> = true;

}
XGRAD_DETAIL_QUIET_END
