// Defines truth_array<P>: what a comparison of arrays gives, a plain array of bool that refuses to be one truth; and ask_arrays, which fills it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <utility>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/broadcast.hpp>
#include <xgrad/scope/operand/primal.hpp>

namespace xgrad::detail {

template <class P>
class truth_array : public P {
public:
    using truth_tag = void;
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

// The steps of an operand in a space that it broadcasts to.
template <int S, class T, int R>
strides<S> steps_in(extents<S> const& space, array_ref<T, R> const& a) {
    strides<S> r;
    r.set_rank(space.rank());
    int const lead = space.rank() - a.shape.rank();
    for (int d = 0; d < space.rank(); ++d) r[d] = d < lead || a.shape[d - lead] == 1 ? 0 : a.stride[d - lead];
    return r;
}

// Whether the array is all of the space, in row-major order, or one number.
template <int S, class T, int R>
bool lies_flat(extents<S> const& space, array_ref<T, R> const& a) {
    if constexpr (R == 0) return true;
    else return std::ranges::equal(a.shape, space) && is_contiguous(a.shape, a.stride);
}
template <class T, int R>
T const& element_of_flat(array_ref<T const, R> const& a, std::size_t i) {
    return a.data[R == 0 ? 0 : i];
}
// *out++ = f(*a...) of every element, in row-major order; of lanes what all of them say.
template <class F, int S, class... T>
void ask_each(F const& f, extents<S> const& space, int d, bool*& out, std::pair<T const*, strides<S>> const&... a) {
    if (d == space.rank()) *out++ = decide(f(*a.first...));
    else
        for (std::size_t i = 0; i < space[d]; ++i)
            ask_each(f, space, d + 1, out, std::pair<T const*, strides<S>>(a.first + static_cast<std::ptrdiff_t>(i) * a.second[d], a.second)...);
}
template <class F, int R, class... A>
auto ask_arrays(char const* name, F const& f, extents<R> space, A const&... a) {
    if (!(broadcast_into(space, a.shape) && ...)) refuse_broadcast(name, a.shape...);
    auto y = primal_of_shape<bool>(space);
    bool* out = y.data();
    if ((lies_flat(space, a) && ...)) {
        std::size_t const n = element_count(space);
        for (std::size_t i = 0; i < n; ++i) out[i] = decide(f(element_of_flat(a, i)...));
    } else ask_each(f, space, 0, out, std::pair(a.data, steps_in(space, a))...);
    return truth_array<decltype(y)>(std::move(y));
}

}
