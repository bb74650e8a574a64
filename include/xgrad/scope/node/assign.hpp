// Defines the node of an assignment to an argument: a new version of its array, with a record that undoes it.
#pragma once

#include <algorithm>
#include <utility>

#include <xgrad/scope/node/make_formula.hpp>
#include <xgrad/scope/operand/broadcast.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

struct assign_op {
    static constexpr char const* name = "assign(x, y)";
};

// X is the debt to the version before, A the new value. The caller's memory holds the newest version that has its name, the others are read from the copies
// that assignments make: so whoever reads an array need not know of them, whatever order pullbacks run in. A version whose name leaves changes places with
// the one before. It lasts as long as something is owed to it, as any value does.
template <class X, class A>
struct node<assign_op, X, A> {
    using value_type = typename X::value_type;
    using T = value_type;
    using lifetime = typename detail::join_lifetime<typename X::lifetime, typename A::lifetime>::type;
    static constexpr int rank = X::rank;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;
    using slot_type = typename X::slot_type;

    node(X before, slot_type* argument, A value) : before_(std::move(before)), argument_(argument), value_(std::move(value)) {}
    context* owner() const { return detail::common_owner(before_, value_); }
    void check() const { detail::check_owners(before_, value_); }
    void prepare() const {
        value_.prepare();
        auto const y = value_.extent();
        if (!detail::broadcasts_to(extent(), y))
            throw std::invalid_argument("xgrad[E201]: assign(x, y) requires a y that broadcasts to the shape of x, found " + to_string(y) + " and " +
                                        to_string(extent()) + ": reshape y");
    }
    extents<rank> extent() const { return before_.extent(); }

    // The new slot's own memory takes the copy, and the slot reads the caller's memory.
    void evaluate(slot_type& y) const {
        auto* before = before_.get();
        std::swap(y.value, before->value);
        detail::copy_elements<T>(y.value, before->size, before->value);
        y.version = before;
        argument_->version = &y;
        try {
            xgrad::evaluate(value_, y.shape, y.value);
        } catch (...) {
            detail::copy_elements<T>(before->value, before->size, y.value);
            undo(y);
            throw;
        }
    }
    // Its name leaves. Those of versions before may have left already.
    void leave(slot_type* left) const noexcept {
        left->released = true;
        while (slot_type* const y = argument_->version) {
            if (!y->released) return;
            detail::swap_elements<T>(y->value, y->version->value, y->size);
            undo(*y);
        }
    }
    void pull(slot_type const& y) const noexcept { pull_back(value_, y.shape, y.value, y.cotangent); }

private:
    X before_;
    slot_type* argument_;
    A value_;

    void undo(slot_type& y) const noexcept {
        std::swap(y.value, y.version->value);
        argument_->version = y.version == argument_ ? nullptr : y.version;
    }
};

}
XGRAD_DETAIL_QUIET_END
