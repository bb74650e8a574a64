// Defines what functions are asked before they are checked: the form of their derivatives, the precision of their numbers, and their magnitudes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <xgrad/rule/difference_quotients.hpp>
#include <xgrad/tangent/entries.hpp>
#include <xgrad/tangent/pairing.hpp>

namespace xgrad::detail {

// Throws where a derivative has not the form (sizes, shapes, keys) of what it is the derivative of.
template <class T>
void require_form(T const& t, T const& zero, char const* what) {
    try {
        static_cast<void>(pairing(t, zero));
    } catch (std::invalid_argument const& e) {
        throw std::invalid_argument(std::string("xgrad[E208]: ") + what + " has not the form of its value: " + e.what());
    }
}

// The largest of the machine epsilons of the numbers in P..., but not below that of double: differences are computed in double.
struct is_single {
    template <class P>
    static consteval bool find() {
        if constexpr (is_complex_number<P>) return std::is_same_v<typename P::value_type, float>;
        else return std::is_same_v<P, float>;
    }
    template <class P>
    static constexpr bool of = find<P>();
};
template <class... P>
consteval double coarsest_epsilon() {
    return (false || ... || somewhere_in<is_single, std::remove_cvref_t<P>>()) ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                                                               : std::numeric_limits<double>::epsilon();
}

// What a relative step in each number of x is relative to: itself, but not much less than the largest beside it.
template <class P>
void append_magnitudes(numbers& to, P const& x) {
    numbers own;
    read_entries(own, x, x);
    double most = 0;
    for (double v : own)
        if (std::isfinite(v)) most = std::max(most, std::abs(v));
    for (double v : own) to.push_back(most == 0 ? 1.0 : std::max(std::isfinite(v) ? std::abs(v) : 0.0, 1e-3 * most));
}

}  // namespace xgrad::detail
