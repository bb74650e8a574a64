// Defines stream << x and to_string(x) of active values: they show the plain value, and have no derivative.
#pragma once

#include <iosfwd>
#include <string>

#include <xgrad/compare.hpp>

namespace xgrad {

// Writes the value of x, a number or an array, of which a formula with a name is evaluated. Arrays ask for xtensor's own header of its operator<< (E142).
template <class C, class Traits, active E>
std::basic_ostream<C, Traits>& operator<<(std::basic_ostream<C, Traits>& stream, E const& x) {
    auto const& value = primal(x);
    if constexpr (requires { stream << value; }) stream << value;
    else
        static_assert(detail::never<E>, "xgrad[E142]: stream << x of an array requires xtensor's operator<<, but its header is not included: write #include "
                                        "<xtensor/xio.hpp>, from xtensor 0.26 on <xtensor/io/xio.hpp>");
    return stream;
}

// What std::to_string gives of the value of x, a number.
template <active E>
    requires(E::rank == 0)
std::string to_string(E const& x) {
    return std::to_string(primal(x));
}

}
