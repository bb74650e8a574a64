// Defines the nodes of statements that write into an array variable: its value after some elements were assigned to, or a region of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>

#include <xgrad/scope/kernel/evaluate.hpp>
#include <xgrad/scope/kernel/pull_back.hpp>
#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/operand/broadcast.hpp>
#include <xgrad/scope/operand/owners.hpp>
#include <xgrad/scope/place/element_pages.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

struct written_elements {
    static constexpr char const* name = "u(i) = e";
};
struct written_region {
    static constexpr char const* name = "view(u, ...) = e";
};
// The right-hand side, in the shape of the region.
template <class Q>
struct region_value {
    static constexpr char const* name = "view(u, ...) = e, the value of e";
};

// Elements with their indices, in the workspace.
template <class T, class R>
class changed_elements {
public:
    struct entry {
        element<T, R> value;
        std::size_t index;
    };
    changed_elements(context& c, std::size_t capacity)
        : owner_(&c), capacity_(capacity), first_(static_cast<entry*>(c.memory.take(capacity * sizeof(entry)))) {}
    changed_elements(changed_elements&& o) noexcept : owner_(o.owner_), capacity_(o.capacity_), count_(o.count_), first_(std::exchange(o.first_, nullptr)) {}
    changed_elements& operator=(changed_elements&&) = delete;
    ~changed_elements() {
        if (!first_) return;
        std::destroy_n(first_, count_);
        owner_->memory.give(first_, capacity_ * sizeof(entry));
    }
    void push(std::size_t i, element<T, R> const& e) { new (first_ + count_++) entry{e.operand(), i}; }
    std::size_t size() const noexcept { return count_; }
    entry const* begin() const noexcept { return first_; }
    entry const* end() const noexcept { return first_ + count_; }

private:
    context* owner_;
    std::size_t capacity_, count_ = 0;
    entry* first_;
};

}

// y[i] = e for each changed element, x[i] for the others. ȳ[i] goes to e, and to x where there is none.
template <class Ref>
struct node<detail::written_elements, Ref> {
    using value_type = typename Ref::value_type;
    using T = value_type;
    using lifetime = counted;
    static constexpr int rank = Ref::rank;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;
    using list = detail::changed_elements<T, rank_c<rank>>;

    node(Ref before, extents<rank> const& shape, list changed) : before_(std::move(before)), shape_(shape), changed_(std::move(changed)) {}
    context* owner() const {
        context* c = before_.owner();
        for (auto const& e : changed_) c = detail::joint_owner(c, e.value.owner());
        return c;
    }
    void check() const { (void)owner(); }
    void prepare() const {}
    extents<rank> extent() const { return shape_; }
    template <class Slot>
    void evaluate(Slot& y) const {
        if (before_.get()) xgrad::evaluate(before_, shape_, y.value);
        for (auto const& e : changed_) y.value[e.index] = e.value.forward();
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        for (auto const& e : changed_) {
            e.value.add(T(y.cotangent[e.index]));
            y.cotangent[e.index] = T(0);
        }
        if (before_.get()) pull_back(before_, shape_, memory_t<T const>(nullptr), memory_t<T const>(y.cotangent));
    }

private:
    Ref before_;  // none where all have changed
    extents<rank> shape_;
    list changed_;
};

template <class Q, class A>
struct node<detail::region_value<Q>, A> {
    using value_type = typename A::value_type;
    using T = value_type;
    using lifetime = counted;
    static constexpr int rank = Q::value;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;

    node(A value, extents<rank> const& shape) : value_(std::move(value)), shape_(shape) {}
    context* owner() const { return detail::common_owner(value_); }
    void check() const {}
    void prepare() const {
        value_.prepare();
        auto const y = value_.extent();
        if (!detail::broadcasts_to(shape_, y))
            throw std::invalid_argument("xgrad[E201]: view(u, ...) = e requires an e that broadcasts to the shape of the view, found " + to_string(y) +
                                        " and " + to_string(shape_) + ": reshape e");
    }
    extents<rank> extent() const { return shape_; }
    template <class Slot>
    void evaluate(Slot& y) const { xgrad::evaluate(value_, shape_, y.value); }
    template <class Slot>
    void pull(Slot const& y) const noexcept { pull_back(value_, shape_, y.value, y.cotangent); }

private:
    A value_;
    extents<rank> shape_;
};

// y = x, but in the region, where it is v. The cotangent of the region goes to v, that of the rest to x.
template <class Ref, class V>
struct node<detail::written_region, Ref, V> {
    using value_type = typename Ref::value_type;
    using T = value_type;
    using lifetime = counted;
    static constexpr int rank = Ref::rank;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;

    node(Ref before, V value, std::ptrdiff_t offset, strides<V::rank> const& stride)
        : before_(std::move(before)), value_(std::move(value)), offset_(offset), stride_(stride) {}
    context* owner() const { return detail::common_owner(before_, value_); }
    void check() const { detail::check_owners(before_, value_); }
    void prepare() const {}
    extents<rank> extent() const { return before_.extent(); }
    template <class Slot>
    void evaluate(Slot& y) const {
        xgrad::evaluate(before_, y.shape, y.value);
        auto const& v = *value_.get();
        detail::for_each_offset(v.shape, stride_, [&](std::size_t k, std::ptrdiff_t at) { y.value[offset_ + at] = T(v.value[k]); });
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        auto& v = *value_.get();
        v.ensure_cotangent();
        detail::for_each_offset(v.shape, stride_, [&](std::size_t k, std::ptrdiff_t at) {
            v.cotangent[k] = T(v.cotangent[k]) + T(y.cotangent[offset_ + at]);
            y.cotangent[offset_ + at] = T(0);
        });
        pull_back(before_, y.shape, memory_t<T const>(nullptr), memory_t<T const>(y.cotangent));
    }

private:
    Ref before_;
    V value_;
    std::ptrdiff_t offset_;
    strides<V::rank> stride_;
};

}
XGRAD_DETAIL_QUIET_END
