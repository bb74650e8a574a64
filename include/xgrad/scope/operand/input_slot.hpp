// Defines input_slot_t<T, R, M>: the slot of an argument whose handle is input<T, R, M>.
#pragma once

#include <xgrad/scope/memory/lifetime.hpp>
#include <xgrad/scope/memory/slot.hpp>

namespace xgrad {

namespace detail {
template <class T, class R, class M>
struct input_slot {
    using type = slot<T, rank_c<R::value>>;
};
}
template <class T, class R, class M>
using input_slot_t = typename detail::input_slot<T, R, M>::type;

}
