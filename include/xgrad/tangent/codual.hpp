// codual<P>: a value that may be changed in place, and the fdata of its tangent: what a reverse rule takes.
#pragma once

#include <xgrad/tangent/split.hpp>

namespace xgrad {

// `primal` is somebody else's object. `fdata` is where its cotangent is added, as far as that has an address: shadow_ref for containers,
// a mirror with the same field names for structs, no_fdata for numbers.
template <class P>
struct codual {
    using primal_type = P;
    P& primal;
    [[no_unique_address]] fdata_type_t<P> fdata;

    constexpr codual(P& x, fdata_type_t<P> const& f) : primal(x), fdata(f) {}
    constexpr codual(P& x, tangent_type_t<P>& shadow)
        requires(!std::is_same_v<tangent_type_t<P>, fdata_type_t<P>>)
        : primal(x), fdata(fdata_of(shadow)) {}
};
template <class P, class T>
codual(P&, T const&) -> codual<P>;

}  // namespace xgrad
