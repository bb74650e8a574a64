// Defines the node of an array of a shape of its own, of which each element is what the operand says, broadcast to it.
#pragma once

#include <utility>

#include <xgrad/rule/identity.hpp>
#include <xgrad/scope/kernel/evaluate.hpp>
#include <xgrad/scope/kernel/pull_back.hpp>
#include <xgrad/scope/node/elementwise.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
struct filled {
    static constexpr char const* name = "u.fill(c)";
};
}

template <class A, class Q>
struct node<detail::filled, A, Q> {
    using value_type = typename A::value_type;
    using T = value_type;
    using lifetime = counted;
    static constexpr int rank = Q::value;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;

    node(A value, extents<rank> const& shape) : value_(std::move(value)), shape_(shape) {}
    context* owner() const { return value_.owner(); }
    void check() const {}
    void prepare() const {
        value_.prepare();
        if constexpr (A::rank == 0) value_.template at<0>().materialise();
    }
    extents<rank> extent() const { return shape_; }
    template <class Slot>
    void evaluate(Slot& y) const { xgrad::evaluate(value_, shape_, y.value); }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        if constexpr (A::is_active) pull_back(value_, shape_, y.value, y.cotangent);
    }

private:
    node<identity_op, A> value_;
    extents<rank> shape_;
};

}
XGRAD_DETAIL_QUIET_END
