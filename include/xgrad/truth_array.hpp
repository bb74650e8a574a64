// Defines truth_array<P>: what a comparison of arrays gives, a plain array of bool that refuses to be one truth.
#pragma once

#include <concepts>
#include <utility>

#include <xgrad/scope/operand/array_interface.hpp>

namespace xgrad::detail {

template <class P>
class truth_array : public P {
public:
    using P::P, P::operator=;
    truth_array(P&& p) : P(std::move(p)) {}
    template <class B>
        requires std::same_as<B, bool>
    explicit operator B() const {
        static_assert(never<B>, "xgrad[E156]: if (a > b), !, && and || require one truth, but a and b are arrays, and a > b has one for each element: write "
                                "xt::all(a > b) or xt::any(a > b), or where(a > b, c, d) to choose element by element");
        return false;
    }
};

}
