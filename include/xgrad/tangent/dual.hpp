// dual<P>: a value and one tangent of it: what a forward rule takes and gives.
#pragma once

#include <utility>

#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

// The tangent has the form of the primal (its shape, its keys, what is there of it).
template <class P>
struct dual {
    using primal_type = P;
    P primal;
    [[no_unique_address]] tangent_type_t<P> tangent;
};
template <class P, class T>
dual(P, T) -> dual<P>;

}  // namespace xgrad
