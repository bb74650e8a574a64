// Defines port_t: how what f is given meets what the map holds: items are loaded, their cotangents go to where they are summed.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/lanes/rows_port.hpp>
#include <xgrad/lanes/running_sum.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class S, class T, std::size_t W, class M>
class whole_port {
    using A = typename S::operand_type;
    using U = port_element<S, T, W>;
    using V = pack_t<U, W>;
    using R = std::conditional_t<number_dual<V>, rank_c<A::rank>, shape_or_rank_t<A>>;
    static constexpr bool is_number = A::rank == 0;

public:
    whole_port(S const& s, context& c) : slot_(c, s.a.extent()) {
        auto const x = s.a.source();
        for_each_offset(x.shape, x.stride, [&](std::size_t k, std::ptrdiff_t at) { slot_.set(k, broadcast_lanes<U, W>(U(x.data[at]))); });
        if constexpr (!is_number) {
            room_.renew(c, bytes_of_packs(slot_.size() * sizeof(running_sum<V>)));
            sums_ = static_cast<running_sum<V>*>(room_.get());
            for (std::size_t k = 0; k < slot_.size(); ++k) new (sums_ + k) running_sum<V>;
        }
    }
    XGRAD_DETAIL_INLINE bool load(std::size_t) {
        slot_.clear();
        return true;
    }
    auto handle() noexcept { return slot_.handle(); }
    auto& slot() noexcept { return slot_; }
    bool has_nan() const noexcept { return holds_nan(slot_); }
    template <class Place>
    XGRAD_DETAIL_INLINE void give(Place const&, std::size_t, pack_t<T, W> const& ybar) {
        if (!S::is_active || !slot_.came()) return;
        came_ = true;
        for (std::size_t k = 0; k < slot_.size(); ++k) sum(k).add(V(in_full<V>(ybar) * slot_.cotangent(k)));
    }
    template <class Place>
    void finish(Place const& to) {
        if constexpr (!S::is_active) return;
        else if (!came_) return;
        else for (std::size_t k = 0; k < slot_.size(); ++k) to.data[k] = U(U(to.data[k]) + sum_of_lanes<U, W>(sum(k).value()));
    }

private:
    lane_slot<V, R, M> slot_;
    block room_;
    [[no_unique_address]] std::conditional_t<is_number, running_sum<V>, no_place> sum_;
    running_sum<V>* sums_ = nullptr;
    bool came_ = false;

    XGRAD_DETAIL_INLINE running_sum<V>& sum(std::size_t k) noexcept {
        if constexpr (is_number) return sum_;
        else return sums_[k];
    }
};

// What takes no cotangents.
struct port_of_constants {
    static constexpr bool has_nan() noexcept { return false; }
    template <class Place, class V>
    void give(Place const&, std::size_t, V const&) const noexcept {}
    template <class Place>
    void finish(Place const&) const noexcept {}
};

// What has no derivative, for each item: the lanes of a pack have to have the same.
template <class S, std::size_t W>
class constants_port : public port_of_constants {
public:
    constants_port(S const& s, context&) : rows_(s.rows()) {
        auto const x = s.a.source();
        data_ = x.data;
        step_ = x.stride[0];
    }
    XGRAD_DETAIL_INLINE bool load(std::size_t i) {
        value_ = data_ + rows_[i] * step_;
        for (std::size_t j = 1; j < W; ++j)
            if (!(data_[rows_[i + j] * step_] == *value_)) return false;
        return true;
    }
    auto const& handle() const noexcept { return *value_; }

private:
    using value_type = typename S::value_type;
    decltype(std::declval<S const&>().rows()) rows_;
    value_type const* data_;
    std::ptrdiff_t step_;
    value_type const* value_ = nullptr;
};

template <class S>
class plain_port : public port_of_constants {
public:
    plain_port(S const& s, context&) : x_(&s.get()) {}
    bool load(std::size_t) const noexcept { return true; }
    auto const& handle() const noexcept { return *x_; }

private:
    decltype(&std::declval<S const&>().get()) x_;
};

// A source may say its own.
template <class S, class T, std::size_t W, class M>
concept brings_port = requires { typename S::template port<T, W, M>; };

template <class S, class T, std::size_t W, class M>
consteval auto find_port() {
    if constexpr (is_rows<S>) return std::type_identity<rows_port<S, T, W, M>>{};
    else if constexpr (is_whole<S>) return std::type_identity<whole_port<S, T, W, lifetime_of_shared<pack_t<port_element<S, T, W>, W>, M>>>{};
    else if constexpr (is_constants<S>) return std::type_identity<constants_port<S, W>>{};
    else if constexpr (brings_port<S, T, W, M>) return std::type_identity<typename S::template port<T, W, M>>{};
    else return std::type_identity<plain_port<S>>{};
}
template <class S, class T, std::size_t W, class M>
using port_t = typename decltype(find_port<S, T, W, M>())::type;

// A port may have some of what it is at hand while the items of a run are gone through, in an object that only the loop sees: in_run(i, place), for the items
// from i to end_of_run(i).
template <class P>
concept port_of_runs = requires(P const& p) { p.end_of_run(std::size_t()); };

// What f is given.
template <class P>
consteval auto find_port_handle() {
    if constexpr (port_of_runs<P>) return type_tag<decltype(std::declval<P&>().in_run(0, no_place()).handle())>{};
    else return type_tag<decltype(std::declval<P&>().handle())>{};
}
template <class S, class T, std::size_t W, class M>
using port_handle_t = typename decltype(find_port_handle<port_t<S, T, W, M>>())::type;

}
XGRAD_DETAIL_QUIET_END
