// Defines what digamma, polygamma and the derivatives of tgamma and lgamma are computed by: Boost.Math, for which a program pays by including this header.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>

#include <xgrad/elementwise.hpp>

namespace xgrad::detail {

// At a pole, and outside their domain, the functions give what Boost.Math gives there without throwing: NaN or an infinity.
using quiet_policy = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>, boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>, boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>, boost::math::policies::rounding_error<boost::math::policies::ignore_error>>;

template <std::floating_point T>
struct gamma_derivatives<T> {
    static T digamma(T x) {
        constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
        if (!(x > -infinity)) return nan;
        if (x == infinity) return x;
        // 0 has a sign, and so has the pole there
        if (std::abs(x) < std::numeric_limits<T>::min()) return -1 / x;
        if (x <= 0 && x == std::floor(x)) return nan;
        return boost::math::digamma(x, quiet_policy());
    }
    static T polygamma(int n, T x) {
        constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
        if (n == 0) return digamma(x);
        if (n < 0 || !(x > -infinity)) return nan;
        if (x == infinity) return T(n % 2 == 1 ? 0.0 : -0.0);
        if (x <= 0 && x == std::floor(x)) return n % 2 == 1 ? infinity : x == 0 ? -1 / x : nan;
        return boost::math::polygamma(n, x, quiet_policy());
    }
};

}
