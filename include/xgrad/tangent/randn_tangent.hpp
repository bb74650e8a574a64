// randn_tangent(rng, x): a tangent of x of independent standard normal numbers, from any uniform random bit generator.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>

#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

namespace detail {

// Uniform in (0, 1]; the numbers are those of the generator, whatever the standard library.
template <class Rng>
double uniform(Rng& rng) {
    constexpr double range = static_cast<double>(Rng::max() - Rng::min()) + 1;
    return (static_cast<double>(rng() - Rng::min()) + 1) / range;
}

// Box and Muller, A note on the generation of random normal deviates, Ann. Math. Statist. 29 (1958).
template <class Rng>
double standard_normal(Rng& rng) {
    double const radius = std::sqrt(-2 * std::log(uniform(rng)));
    return radius * std::cos(2 * std::numbers::pi * uniform(rng));
}

template <class Rng>
struct make_randn_tangent : operation {
    Rng* rng;
    template <class P>
    tangent_type_t<P> operator()([[maybe_unused]] P const& x) const {
        using T = tangent_type_t<P>;
        if constexpr (!differentiable<P>) {
            return T{};
        } else if constexpr (has_parts<P>) {
            return parts<P>::template make<T>(*this, x);
        } else if constexpr (is_complex_number<P>) {
            auto const re = static_cast<typename T::value_type>(standard_normal(*rng));
            return T(re, static_cast<typename T::value_type>(standard_normal(*rng)));
        } else {
            return static_cast<T>(standard_normal(*rng));
        }
    }
};

struct randn_tangent_fn {
    template <class Rng, class P>
    [[nodiscard]] tangent_type_t<P> operator()(Rng& rng, P const& x) const {
        return with_object_table<P>(make_randn_tangent<Rng>{{}, &rng}, x);
    }
};

}  // namespace detail

inline constexpr detail::randn_tangent_fn randn_tangent{};

}  // namespace xgrad
