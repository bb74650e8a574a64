// Defines parallel_frame: the function of a parallel verb with its items and arguments, and how a worker runs it over a chunk, forward and back.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/ports.hpp>
#include <xgrad/loops/result.hpp>
#include <xgrad/parallel/plain_slices.hpp>
#include <xgrad/parallel/shared.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// What the function gives with elements L, items X and arguments U....
template <class X, class M, class L, bool Again>
using parallel_item_t = decltype(std::declval<typename parallel_items<X, M, L, Again>::port&>().handle());
template <class U, class M, class L, bool Again>
using parallel_argument_t = decltype(std::declval<typename shared_argument<U, M, L, Again>::port&>().handle());
template <class F, class M, class L, bool Again, class X, class... U>
using parallel_call_t = std::tuple<F const&, parallel_item_t<X, M, L, Again>, parallel_argument_t<U, M, L, Again>...>;
template <class F, class M, class L, bool Again, class X, class... U>
using parallel_result_t = std::remove_cvref_t<typename decltype(invoked(type_tag<parallel_call_t<F, M, L, Again, X, U...>>{}))::type>;

// Again: whether f runs once more on the way back, with seeds that are not known before; else they are 1.
template <class F, class L, bool Again, class X, class... U>
class parallel_frame {
    using probed = parallel_result_t<F, counted, L, Again, X, U...>;

public:
    static constexpr bool is_declared = declared_result<probed> && !std::is_same_v<probed, sum_result>;
    using M = std::conditional_t<is_declared, scoped, counted>;
    using T = typename decltype(find_call_value<L, probed>())::type;
    // What is declared is pulled with the seed 1.
    static constexpr bool is_scaled = Again && is_declared;

    template <class Fn>
    parallel_frame(char const* text, Fn&& f, X const& x, context& c, U const&... u) : parallel_frame(text, std::forward<Fn>(f), x, c, 0, u...) {}
    parallel_frame(parallel_frame const&) = delete;

    std::size_t size() { return items_.size(); }
    // The bytes of one gradient of the arguments.
    std::size_t bytes() const noexcept { return (bytes_ + 127) / 128 * 128; }
    static constexpr std::size_t gradients_of_worker = is_scaled ? 2 : 1;

    // Whether each chunk has gradients of its own, or each worker.
    bool lie_apart(std::size_t chunks) const noexcept { return chunks * gradients_of_worker * bytes() <= most_bytes_apart; }
    std::size_t gradients_for(std::size_t workers, std::size_t chunks) const noexcept {
        return (lie_apart(chunks) ? chunks : workers) * gradients_of_worker;
    }

    // A worker's part: room(k) is its memory for the gradient of a chunk, `total` that of all. Where it waits for its turn, take(k, y) is given the value of a
    // chunk; each(i, v) is given that of an item at once, and seed(i) gives its cotangent.
    template <class Room, class Take, class Each, class Seed>
    void work(chunk_queue& q, chunk_cut const& cut, bool reverse, bool waits, Room room, std::byte* total, Take take, Each each, Seed seed) {
        std::size_t k = 0;
        if (!q.take(k)) return;
        try {
            borrowed_workspace w;
            bound_call<M, identity_lift>::within(w.get(), reverse || is_declared, [&](context& c) {
                work_in(c, q, k, cut, reverse, waits, room, total, take, each, seed, std::index_sequence_for<U...>());
                return 0;
            });
        } catch (std::logic_error const& e) {
            if (std::string_view(e.what()).starts_with("xgrad[E214]")) q.fail(k, captured());
            else q.fail(k, std::current_exception());
        } catch (captured_value) {
            q.fail(k, captured());
        } catch (...) {
            q.fail(k, std::current_exception());
        }
    }
    // Where it does not wait.
    template <class Room, class Take>
    void add_up(chunk_cut const& cut, bool reverse, Room room, std::byte* total, Take take) {
        for (std::size_t k = 0; k < cut.count; ++k) {
            take(k, values_[k]);
            if (reverse) add(room(k), total);
        }
    }
    void forget() noexcept {
        items_.forget();
        detail::call_with([](auto&... u) { (u.s.forget(), ...); }, shared_);
    }
    template <class G>
    void give(std::byte* total, G const& g) noexcept {
        items_.give(g);
        detail::call_with([&](auto&... u) { (u.s.give(total, g), ...); }, shared_);
    }

private:
    template <class V>
    struct made {
        V const& u;
        context& c;
        std::size_t& bytes;
    };
    template <class V>
    struct held {
        shared_argument<V, M, L, Again> s;
        held(made<V> const& m) : s(m.u, m.c, m.bytes) {}
        held(held const&) = delete;
    };
    using items_type = parallel_items<X, M, L, Again>;
    using item_port = typename items_type::port;
    template <class V>
    using port_of = typename shared_argument<V, M, L, Again>::port;

    char const* text_;
    F f_;
    std::size_t bytes_;
    items_type items_;
    std::tuple<held<U>...> shared_;
    std::array<T, chunk_cut::most> values_;  // of chunks, where no worker waits

    template <class Fn>
    parallel_frame(char const* text, Fn&& f, X const& x, context& c, std::size_t none, U const&... u)
        : text_(text), f_(std::forward<Fn>(f)), bytes_(none), items_(x, c), shared_(made<U>{u, c, bytes_}...) {}

    std::exception_ptr captured() const {
        try {
            captured_in_loop(std::string(text_));
        } catch (...) {
            return std::current_exception();
        }
    }
    void add(std::byte* mine, std::byte* total) {
        detail::call_with([&](auto&... u) { (u.s.merge(is_scaled ? mine + bytes() : mine, total), ...); }, shared_);
    }
    template <class Room, class Take, class Each, class Seed, std::size_t... I>
    void work_in(context& c, chunk_queue& q, std::size_t& k, chunk_cut const& cut, bool reverse, bool waits, Room& room, std::byte* total, Take& take,
                 Each& each, Seed& seed, std::index_sequence<I...>) {
        item_port item(items_, c);
        [[maybe_unused]] std::tuple<port_of<U>...> ports(port_of<U>(std::get<I>(shared_).s, c)...);
        auto const start = c.memory.here();
        do {
            std::byte* const mine = room(k);
            (std::get<I>(ports).forget(), ...);
            T const y = run(c, start, cut.first(k), cut.last(k), item, mine, each, seed, std::get<I>(ports)...);
            if ((item.is_owed() || ... || std::get<I>(ports).is_owed())) {
                ++c.live;  // kept outside of the function
                return;
            }
            if (reverse) {
                items_.merge(item);
                (std::get<I>(shared_).s.template put<is_scaled>(std::get<I>(ports), is_scaled ? mine + bytes() : mine), ...);
            }
            if (!waits) values_[k] = y;
            else {
                if (!q.wait(k)) return;
                take(k, y);
                if (reverse) add(mine, total);
                q.done(k);
            }
        } while (q.take(k));
    }
    template <class Each, class Seed, class... P>
    T run(context& c, arena::place const& start, std::size_t first, std::size_t last, item_port& item, std::byte* mine, Each& each, Seed& seed, P&... p) {
        running_sum<T> sum;
        if constexpr (!is_scaled) (p.enter(mine), ...);
        for (std::size_t i = first; i < last; ++i) {
            if (c.live == 0) c.memory.return_to(start);
            if constexpr (is_scaled) (p.enter(mine), ...);
            item.enter(i);
            c.deliveries = 0;
            T y;
            if constexpr (Again && !is_declared) y = call_seeded(c, seed, i, item.handle(), p.handle()...);
            else y = call_item(c, item.handle(), p.handle()...);
            if constexpr (is_scaled) {
                auto const g = seed(i);
                item.leave(g);
                (p.add_times(g, mine, mine + bytes()), ...);
            } else item.leave(no_factor());
            each(i, y);
            sum.add(y);
        }
        return sum.value();
    }
    template <class... H>
    XGRAD_DETAIL_INLINE T call_item(context& c, H&&... h) {
        return call_scalar<T>(std::as_const(f_), c, h...);
    }
    template <class Seed, class... H>
    T call_seeded(context& c, Seed& seed, std::size_t i, H&&... h) {
        auto&& r = std::as_const(f_)(h...);
        if (c.deliveries != 0) other_delivery();
        using R = std::remove_cvref_t<decltype(r)>;
        if constexpr (!active<R>) return embed<T>(r);
        else {
            if (context* o = r.owner(); o && !o->plain && o != &c) contexts_meet();
            if constexpr (R::rank == 0) return deliver(static_cast<decltype(r)>(r), &c, seed(i));
            else {
                auto only = only_element(static_cast<decltype(r)>(r));
                if (c.reverse) only.add(seed(i));
                return only.forward();
            }
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
