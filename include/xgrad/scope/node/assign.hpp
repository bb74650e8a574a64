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

// X is the debt to the version before, A the new value. The caller's memory holds the newest version; the one before is read from a
// copy until the record goes: then it is restored, whatever order pullbacks run in.
template <class X, class A>
struct node<assign_op, X, A> {
    using value_type = typename X::value_type;
    using T = value_type;
    using lifetime = typename detail::join_lifetime<typename X::lifetime, typename A::lifetime>::type;
    static constexpr int rank = X::rank;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;
    using slot_type = typename X::slot_type;

    node(X before, slot_type* argument, A value) : before_(std::move(before)), argument_(argument), value_(std::move(value)) {}
    node(node&& o) noexcept
        : before_(std::move(o.before_)), argument_(o.argument_), value_(std::move(o.value_)), copy_(std::exchange(o.copy_, memory_t<T>(nullptr))),
          memory_(o.memory_) {}
    ~node() {
        if (copy_) restore();
    }

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
        copy_ = y.value;
        memory_ = before->value;
        detail::copy_elements<T>(memory_, before->size, copy_);
        before->value = copy_;
        argument_->version = &y;
        y.value = memory_;
        try {
            xgrad::evaluate(value_, y.shape, memory_);
        } catch (...) {
            restore();
            throw;
        }
    }
    void pull(slot_type const& y) const noexcept { pull_back(value_, y.shape, y.value, y.cotangent); }

private:
    X before_;
    slot_type* argument_;
    A value_;
    mutable memory_t<T> copy_ = nullptr;
    mutable memory_t<T> memory_ = nullptr;

    void restore() const noexcept {
        auto* before = before_.get();
        detail::copy_elements<T>(copy_, before->size, memory_);
        before->value = memory_;
        argument_->version = before == argument_ ? nullptr : before;
        copy_ = nullptr;
    }
};

}
XGRAD_DETAIL_QUIET_END
