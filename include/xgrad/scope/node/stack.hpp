// Defines the node of stack(v): values that a loop has computed one by one, as the rows of an array.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include <xgrad/scope/kernel/evaluate.hpp>
#include <xgrad/scope/kernel/pull_back.hpp>
#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/operand/owners.hpp>
#include <xgrad/scope/operand/slot_ref.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
struct stacked {
    static constexpr char const* name = "stack(v)";
};
}

// y[i, ...] = x[i][...]: each operand's cotangent is a row of ȳ.
template <class Ref>
struct node<detail::stacked, Ref> {
    using value_type = typename Ref::value_type;
    using T = value_type;
    using lifetime = counted;
    static constexpr int rank = Ref::rank == dynamic_rank ? dynamic_rank : Ref::rank + 1;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;

    std::vector<Ref> x;

    explicit node(std::vector<Ref> refs) : x(std::move(refs)) {}
    context* owner() const {
        context* c = nullptr;
        for (auto const& r : x) c = detail::joint_owner(c, r.owner());
        return c;
    }
    void check() const { (void)owner(); }
    void prepare() const { (void)extent(); }
    extents<rank> extent() const {
        auto const first = x.front().extent();
        extents<rank> s{};
        s.set_rank(first.rank() + 1);
        s[0] = x.size();
        for (int d = 0; d < first.rank(); ++d) s[d + 1] = first[d];
        for (auto const& r : x)
            if (!detail::covers(first, r.extent()))
                throw std::invalid_argument("xgrad[E202]: stack(v) requires values of one shape, found " + to_string(first) + " and " + to_string(r.extent()) +
                                            ": reshape one of them");
        return s;
    }
    template <class Slot>
    void evaluate(Slot& y) const {
        std::size_t const size = y.size / x.size();
        for (std::size_t i = 0; i < x.size(); ++i) {
            if constexpr (Ref::rank == 0) y.value[i] = x[i].forward();
            else xgrad::evaluate(x[i], x[i].extent(), y.value + i * size);
        }
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        std::size_t const size = y.size / x.size();
        for (std::size_t i = 0; i < x.size(); ++i) {
            if constexpr (Ref::rank == 0) x[i].add(T(y.cotangent[i]));
            else pull_back(x[i], x[i].extent(), memory_t<T const>(nullptr), memory_t<T const>(y.cotangent + i * size));
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
