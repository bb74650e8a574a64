// Defines the versions of an array variable's value: one that lies in the memory of the version before, and undoes its write, and one that is a copy with it.
#pragma once

#include <cstddef>
#include <utility>

#include <xgrad/scope/place/written.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// A slot whose value and cotangent are those of the version before, but for what was written. When all is paid that is owed to it, the memory becomes what it
// was, the cotangent of what was written goes to what it was computed from, and the version before is paid. So a version is read by nobody while the memory
// has another one: who reads it and is there when a part of that is written keeps the memory, and the writer goes on in a copy (place_interface.hpp).
template <class T, class R, class W>
class place_version : public slot<T, R> {
public:
    using ref_type = slot_ref<T, R, counted>;

    // Throws std::bad_alloc and what evaluating throws; then nothing has changed that anybody has read. Where nobody has, nothing needs to be undone.
    static ref_type make(context& c, slot<T, R>& before, W w, bool straight) {
        if (straight) w.write(before.value);
        else w.evaluate(c);
        auto* const v = new (c.memory.take(sizeof(place_version))) place_version(c, before, std::move(w), straight);
        ++c.live;
        return ref_type(v);
    }

private:
    ref_type before_;
    W written_;
    bool straight_;
    static_assert(alignof(slot<T, R>) <= 16);

    place_version(context& c, slot<T, R>& before, W&& w, bool straight) noexcept : before_(&before), written_(std::move(w)), straight_(straight) {
        this->owner = &c;
        this->settle = &undo;
        // readers of the version before share the memory: for both it is valid from now on
        if (!c.forward_only) {
            before.ensure_cotangent();
            this->has_cotangent = true;
        }
        this->released = true;
        this->value = before.value;
        this->cotangent = before.cotangent;
        this->shape = before.shape;
        this->stride = before.stride;
        this->size = before.size;
        if (!straight) written_.exchange(this->value);
    }
    static void undo(slot_base* s) noexcept {
        auto* const v = static_cast<place_version*>(s);
        context* const c = v->owner;
        if (!v->straight_) v->written_.exchange(v->value);
        if (c->reverse && v->has_cotangent) {
            if (v->straight_) v->written_.pull_straight(v->cotangent);
            else v->written_.pull(v->cotangent);
        }
        v->~place_version();
        --c->live;
        c->memory.give(v, sizeof(place_version));
    }
};

template <class W>
struct write_op {
    static constexpr char const* name = W::name;
};
}

// y = x, but for what was written. Where that lies in y, whose elements are in row-major order.
template <class W, class Ref>
struct node<detail::write_op<W>, Ref> {
    using value_type = typename Ref::value_type;
    using T = value_type;
    using lifetime = counted;
    static constexpr int rank = Ref::rank;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;

    node(Ref before, W w) : before_(std::move(before)), written_(std::move(w)) {}
    context* owner() const { return detail::joint_owner(before_.owner(), written_.operand_owner()); }
    void check() const { (void)owner(); }
    void prepare() const {}
    extents<rank> extent() const { return before_.extent(); }
    template <class Slot>
    void evaluate(Slot& y) const {
        auto const& x = *before_.get();
        if (x.contiguous) detail::copy_elements<T>(x.value, x.size, y.value);
        else xgrad::evaluate(before_, y.shape, y.value);
        y.owner = owner();
        written_.write_copy(y, x);
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        written_.pull_copy(y.cotangent, [&] {
            if (before_.owner()->plain) return;  // a constant
            pull_back(before_, y.shape, memory_t<T const>(nullptr), memory_t<T const>(y.cotangent));
        });
    }

private:
    Ref before_;
    W written_;
};

}
XGRAD_DETAIL_QUIET_END
