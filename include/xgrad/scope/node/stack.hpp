// Defines the node of stack(v), values that a loop has computed one by one, as the rows of an array, and debts, where it has them.
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <utility>

#include <xgrad/scope/kernel/evaluate.hpp>
#include <xgrad/scope/kernel/pull_back.hpp>
#include <xgrad/scope/memory/block.hpp>
#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/operand/owners.hpp>
#include <xgrad/scope/operand/slot_ref.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
struct stacked {
    static constexpr char const* name = "stack(v)";
};

// As many debts as the call's memory was asked for, at most.
template <class Ref>
class debts {
public:
    debts(context& c, std::size_t most) : memory_(c, most * sizeof(Ref)) {}
    debts(debts&& o) noexcept : memory_(std::move(o.memory_)), size_(std::exchange(o.size_, 0)) {}
    ~debts() {
        while (size_ != 0) data()[--size_].~Ref();
    }
    void push_back(Ref debt) noexcept { new (data() + size_++) Ref(std::move(debt)); }
    std::size_t size() const noexcept { return size_; }
    Ref const& operator[](std::size_t i) const noexcept { return data()[i]; }
    Ref const* begin() const noexcept { return data(); }
    Ref const* end() const noexcept { return data() + size_; }

private:
    block memory_;
    std::size_t size_ = 0;
    Ref* data() const noexcept { return static_cast<Ref*>(memory_.get()); }
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

    detail::debts<Ref> x;

    explicit node(detail::debts<Ref> refs) noexcept : x(std::move(refs)) {}
    context* owner() const {
        context* c = nullptr;
        for (auto const& r : x) c = detail::joint_owner(c, r.owner());
        return c;
    }
    void check() const { (void)owner(); }
    void prepare() const { (void)extent(); }
    extents<rank> extent() const {
        auto const first = x[0].extent();
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
