// Defines shared_values<P, L>, where the values of an argument of a parallel verb lie: in place, or in a copy where they do not lie row behind row.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/loops/rows.hpp>
#include <xgrad/loops/transfer.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Where the values of an argument lie.
template <class P, class L>
struct shared_values;
template <class L>
struct to_shared_values {
    template <class P>
    using type = shared_values<std::remove_cvref_t<P>, L>;
};
template <class P, class L>
    requires(!differentiable<P>)
struct shared_values<P, L> {
    using primal = P;
    P value{};
    void find(P const& v, context&) { value = v; }
    template <class Port>
    void enter(Port& port, std::byte*) const {
        port.value = value;
    }
};
template <perturbable_number P, class L>
struct shared_values<P, L> {
    using primal = P;
    using T = typename L::template type<P>;
    T value{};
    template <class V>
    void find(V const& v, context&) {
        value = v.operand().forward();
    }
    template <class Port>
    XGRAD_DETAIL_INLINE void enter(Port& port, std::byte*) const {
        port.s.value = value;
        port.s.cotangent = T(0);
        port.s.has_cotangent = false;
    }
};
template <number_array P, class L>
struct shared_values<P, L> {
    using primal = P;
    using T = typename L::template type<array_element_t<P>>;
    memory_t<T> data = nullptr;
    block copy;  // of an array that does not lie row behind row
    template <class V>
    void find(V const& v, context& c) {
        auto const debt = v.operand();
        auto* const s = debt.get();
        if (is_contiguous(s->shape, s->stride)) data = s->value;
        else {
            copy.renew(c, s->size * sizeof(T));
            data = memory_in<T>(copy.get(), s->size);
            copy_array<T>(debt.source(), data);
        }
    }
    template <class Port>
    void enter(Port& port, std::byte* bar) const {
        port.enter_at(data, port.memory(bar));
    }
};
template <class P, class L>
    requires(!is_leaf<P>)
struct shared_values<P, L> {
    using primal = P;
    typename parts<P>::template rebind<to_shared_values<L>> parts_here{};
};

}
XGRAD_DETAIL_QUIET_END
