// Defines shared_argument<U, M, L>: an argument that all parts of a parallel verb read where it lies, and what comes to it from them.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/parallel/items.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Cotangents lie in memory of which each worker has a piece, and all have one for the total.
template <class U, class M, class L, bool Again>
class shared_argument {
    held_constant<U, Again> x_;

public:
    shared_argument(U const& x, context& c, std::size_t&) : x_(loop_constant_source<U>{x, c}) {}
    class port {
        shared_argument const& all_;

    public:
        port(shared_argument& a, context& c) : all_(a) { a.x_.open(c); }
        XGRAD_DETAIL_INLINE void enter(std::byte*) {}
        XGRAD_DETAIL_INLINE auto const& handle() const { return all_.x_.handle(); }
        bool is_owed() const { return false; }
        void forget() noexcept {}
        template <class G>
        void add_times(G const&, std::byte*, std::byte*) {}
    };
    template <bool Scaled>
    void put(port&, std::byte*) const {}
    void merge(std::byte*, std::byte*) {}
    void forget() noexcept {}
    template <class G>
    void give(std::byte*, G const&) noexcept {}
};
template <class U, class M, class L, bool Again>
    requires holds_active<U>
class shared_argument<U, M, L, Again> {
    using P = state_t<U>;
    loop_variable_t<P, L> variable_;
    loop_port<P, M, L> form_, total_;  // what workers begin with, and what has come from all of them
    shared_values<P, L> values_;
    std::size_t at_, bytes_;
    unsigned char* came(std::byte* mine) const noexcept { return reinterpret_cast<unsigned char*>(mine + at_ + bytes_); }

public:
    // Its memory in a gradient: the parts, and behind them whether something has come to each.
    shared_argument(U const& x, context& c, std::size_t& bytes) : variable_(make_loop_variable<L>{}(x)), at_(bytes), bytes_(measure_leaves(form_, variable_)) {
        std::size_t leaves = 0;
        each_leaf([&leaves](auto const&) { ++leaves; }, form_);
        bytes += (bytes_ + leaves + 63) / 64 * 64;
        total_ = form_;
        each_leaf([&c](auto& v, auto const& part) { v.find(part, c); }, values_, variable_);
    }

    class port {
        shared_argument const& all_;
        loop_port<P, M, L> port_;
        friend shared_argument;

    public:
        port(shared_argument& a, context& c) : all_(a), port_(a.form_) {
            each_leaf([&c](auto& leaf) { leaf.open(c); }, port_);
        }
        XGRAD_DETAIL_INLINE void enter(std::byte* bar) {
            each_leaf([&](auto& leaf, auto const& v) XGRAD_DETAIL_LAMBDA { v.enter(leaf, bar ? bar + all_.at_ : nullptr); }, port_, all_.values_);
        }
        XGRAD_DETAIL_INLINE auto handle() { return port_.handle(); }
        void forget() noexcept {
            each_leaf(
                []<class Leaf>(Leaf& leaf) {
                    if constexpr (Leaf::takes_cotangents) leaf.due = false;
                },
                port_);
        }
        // g times what one item has brought, to what the items before have.
        template <class G>
        void add_times(G const& g, std::byte* came, std::byte* sum) {
            each_leaf([&](auto& leaf) { detail::add_times(leaf, g, came + all_.at_, sum + all_.at_); }, port_);
        }
        bool is_owed() {
            bool owed = false;
            each_leaf(
                [&owed](auto& leaf) {
                    if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) owed = owed || leaf.is_owed();
                },
                port_);
            return owed;
        }
    };
    // What a chunk has found is in its memory from now on; where it is scaled, the numbers are already.
    template <bool Scaled>
    void put(port& p, std::byte* mine) const {
        unsigned char* flag = came(mine);
        each_leaf(
            [&]<class Leaf>(Leaf& leaf) {
                if constexpr (Leaf::takes_cotangents) {
                    bool const is_there = Scaled ? leaf.due : leaf.came();
                    *flag++ = is_there;
                    if constexpr (!Scaled && !requires { leaf.shape; })
                        if (is_there) leaf.number(mine + at_) = leaf.s.cotangent;
                }
            },
            p.port_);
    }
    // And to the total.
    void merge(std::byte* mine, std::byte* total) {
        unsigned char const* flag = came(mine);
        each_leaf(
            [&]<class Leaf>(Leaf& all) {
                if constexpr (Leaf::takes_cotangents) {
                    if (!*flag++) return;
                    using T = typename Leaf::T;
                    if constexpr (!requires { all.shape; }) {
                        T& to = all.number(total + at_);
                        T const from = all.number(mine + at_);
                        to = all.due ? T(to + from) : from;
                    } else {
                        auto const from = all.memory(mine + at_), to = all.memory(total + at_);
                        if (all.due)
                            for (std::size_t i = 0; i < all.count; ++i) to[i] = T(T(to[i]) + T(from[i]));
                        else
                            for (std::size_t i = 0; i < all.count; ++i) to[i] = T(from[i]);
                    }
                    all.due = true;
                }
            },
            total_);
    }
    void forget() noexcept {
        each_leaf(
            []<class Leaf>(Leaf& leaf) {
                if constexpr (Leaf::takes_cotangents) leaf.due = false;
            },
            total_);
    }
    template <class G>
    void give(std::byte* total, G const& g) noexcept {
        each_leaf(
            [&]<class Leaf>(Leaf& leaf, auto const& v) {
                if constexpr (Leaf::takes_cotangents)
                    if (leaf.due) give_times(v.operand(), leaf.memory(total + at_), g);
            },
            total_, variable_);
    }
};

}
XGRAD_DETAIL_QUIET_END
