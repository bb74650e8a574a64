// Defines run_items: a function of numbers goes through its items, a SIMD register of them at a time; values and pullbacks stay on its stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/ports.hpp>
#include <xgrad/rule/clean_registers.hpp>
#include <xgrad/rule/flat_tuple.hpp>
#include <xgrad/scope/call/call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// How many packs this thread has run, and how many of them again, item by item.
struct pack_counts {
    std::size_t run = 0, split = 0;
};
inline constinit thread_local pack_counts packs_of_thread{};

// What has nothing of its own for a run is as it is.
template <class P, class Place>
struct port_in_run {
    P& port;
    Place const& to;
    XGRAD_DETAIL_INLINE bool load(std::size_t i) { return port.load(i); }
    XGRAD_DETAIL_INLINE decltype(auto) handle() { return port.handle(); }
    template <class V>
    XGRAD_DETAIL_INLINE void give(std::size_t i, V const& ybar) {
        port.give(to, i, ybar);
    }
};
template <class P, class Place>
XGRAD_DETAIL_INLINE auto in_run(P& p, [[maybe_unused]] std::size_t i, Place const& to) {
    if constexpr (port_of_runs<P>) return p.in_run(i, to);
    else return port_in_run<P, Place>{p, to};
}

// Ports do not move: f sees their addresses.
template <std::size_t I, class P>
struct held_port : P {
    using P::P;
};
template <class Index, class... P>
struct port_set;
template <std::size_t... I, class... P>
struct port_set<std::index_sequence<I...>, P...> : held_port<I, P>... {
    template <class... S>
    port_set(std::tuple<S...> const& x, context& c) : held_port<I, P>(std::get<I>(x), c)... {}
    template <std::size_t J, class Q>
    XGRAD_DETAIL_INLINE static Q& at(held_port<J, Q>& p) noexcept { return p; }
    template <class G>
    XGRAD_DETAIL_MELT decltype(auto) each(G g) {
        return g(at<I>(*this)...);
    }
    template <class Places, class G>
    XGRAD_DETAIL_INLINE void each_with(Places const& to, G g) {
        (g(at<I>(*this), std::get<I>(to)), ...);
    }
    // What they are in the run of item i.
    template <class Places>
    XGRAD_DETAIL_INLINE auto in_run(std::size_t i, Places const& to) {
        return flat_tuple<decltype(detail::in_run(at<I>(*this), i, std::get<I>(to)))...>(detail::in_run(at<I>(*this), i, std::get<I>(to))...);
    }
};

// f, and its arguments for the items or packs of one run after the other.
template <class T, std::size_t W, class M, class F, class... S>
struct item_call {
    F const& f;
    context& c;
    port_set<std::index_sequence_for<S...>, port_t<S, T, W, M>...> ports;

    item_call(F const& g, std::tuple<S...> const& x, context& call) : f(g), c(call), ports(x, call) {}
    // Behind the last item, of n, of the run of item i.
    std::size_t end_of_run([[maybe_unused]] std::size_t i, std::size_t n) {
        auto end = [&]<class P>(P const& p) {
            if constexpr (port_of_runs<P>) n = std::min(n, p.end_of_run(i));
        };
        ports.each([&](auto&... p) { (end(p), ...); });
        return n;
    }
    template <class Places>
    void finish(Places const& to) {
        ports.each_with(to, [&](auto& p, auto const& place) { p.finish(place); });
    }
};

// Those of a run, whose cotangents go to where `to` says.
template <class T, std::size_t W, class M, class F, class Places, class... S>
class item_run {
    using call_type = item_call<T, W, M, F, S...>;
    using runs = decltype(std::declval<call_type&>().ports.in_run(0, std::declval<Places const&>()));

public:
    using V = pack_t<T, W>;
    XGRAD_DETAIL_INLINE item_run(call_type& call, std::size_t i, Places const& to) : call_(call), in_(call.ports.in_run(i, to)) {}

    XGRAD_DETAIL_INLINE bool load(std::size_t i) {
        return each([i](auto&... p) XGRAD_DETAIL_LAMBDA { return (p.load(i) && ...); });
    }
    // Its value, and where the context goes backward the cotangents of its arguments for the seed 1.
    XGRAD_DETAIL_MELT V value() {
        context& c = call_.c;
        c.deliveries = 0;
        return each([this, &c](auto&... p) {
            if constexpr (!is_pack<V>) return static_cast<V>(melt_scalar<T>(call_.f, c, p.handle()...));
            else {
                V y(0.0);
                c.deliver_to(std::addressof(y));
                running_call = &c;  // as it is: so it is known here
                auto&& r = call_.f(p.handle()...);
                if (!r.is_delivery_of(c)) other_delivery();
                return c.deliveries != 0 ? y : V(static_cast<scalar_of_t<T>>(r.value()));
            }
        });
    }
    // Of several results: they are delivered to d, each with its seed; constants are taken from what f gives.
    template <class D, class Constant>
    [[gnu::noinline]] void deliver(D& d, Constant constant) {
        context& c = call_.c;
        c.deliveries = 0;
        c.deliver_to(std::addressof(d));
        each([&](auto&... p) {
            auto&& r = call_.f(p.handle()...);
            if (c.deliveries == 0) constant(r.value());
            else if (c.deliveries != 1) other_delivery();
        });
    }
    // g(port) of each argument.
    template <class G>
    void each_port(G g) {
        call_.ports.each([&g](auto&... p) { (g(p), ...); });
    }
    // Whether some cotangent is none.
    XGRAD_DETAIL_INLINE bool has_nan() {
        return call_.ports.each([](auto&... p) { return (p.has_nan() || ...); });
    }
    XGRAD_DETAIL_INLINE void give(std::size_t i, V const& ybar) {
        each([i, &ybar](auto&... p) XGRAD_DETAIL_LAMBDA { (p.give(i, ybar), ...); });
    }

private:
    call_type& call_;
    runs in_;

    template <class G>
    XGRAD_DETAIL_MELT decltype(auto) each(G g) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA -> decltype(auto) {
            return g(item<I>(in_)...);
        }(std::index_sequence_for<S...>());
    }
};

// Whether a function that the map has made declares a result in the name of one that does not.
template <class F>
inline constexpr bool is_undeclared = false;

// What f's result, for items with elements T, says of how it is run: one that is declared keeps its values on the stack.
template <class T, class F, class... S>
struct item_function {
    template <class M>
    using result_in = std::invoke_result_t<F const&, port_handle_t<S, T, 1, M>...>;
    using probed = std::remove_cvref_t<result_in<counted>>;
    static constexpr bool is_declared = declared_result<probed> && !std::is_same_v<probed, sum_result> && !is_undeclared<F>;
    using lifetime = std::conditional_t<is_declared, scoped, counted>;
    static constexpr bool is_one_type = ((!S::is_active || std::is_same_v<typename S::value_type, T>)&&...);
    static constexpr std::size_t width = is_declared && is_one_type && !checks_finite ? lanes<T> : 1;
};

// Of one result: its value, whose cotangents wait for the seed.
struct one_result {
    template <class Call>
    XGRAD_DETAIL_MELT auto compute(Call& call, std::size_t) const {
        return call.value();
    }
};

// f over items i to n - 1, in order. results.compute(run, i) gives the values of a pack or of one item, take(i, v) is given them; and if the context goes
// backward seed(i, v) says which cotangents, and those of the arguments are added to where `to` says. f melts into it, so that what a pack is has no address.
template <class T, class Results = one_result, class F, class... S, class Places, class Take, class Seed>
XGRAD_DETAIL_KERNEL void run_items(F const& f, std::tuple<S...> const& x, std::size_t i, std::size_t n, context& c, Places const& to, Take take, Seed seed,
                                   Results results = {}) {
    using function = item_function<T, F, S...>;
    using M = typename function::lifetime;
    constexpr std::size_t W = function::width;
    clean_registers const behind;
    bool const reverse = c.reverse;
    // what is on the stack is always pulled, and with it what it was computed from
    struct own_direction {
        context& c;
        bool was;
        ~own_direction() { c.reverse = was; }
    } const direction{c, std::exchange(c.reverse, reverse || function::is_declared)};
    item_call<T, 1, M, F, S...> one(f, x, c);
    auto item_by_item = [&](std::size_t k, std::size_t last) XGRAD_DETAIL_LAMBDA {
        while (k < last) {
            item_run<T, 1, M, F, Places, S...> run(one, k, to);
            for (std::size_t const end = one.end_of_run(k, last); k < end; ++k) {
                run.load(k);
                auto const y = results.compute(run, k);
                take(k, y);
                if (reverse) run.give(k, T(seed(k, y)));
            }
        }
    };
    if constexpr (W == 1) item_by_item(i, n);
    else {
        // what is left over by packs is called: taken in, it would be there three times
        auto left_over = [&](std::size_t k, std::size_t last) __attribute__((noinline)) XGRAD_DETAIL_KERNEL { item_by_item(k, last); };
        struct own_question {  // a map around this one asks for itself
            bool disagree = std::exchange(lanes_disagree, false), masked = std::exchange(lanes_are_masked, false);
            std::uint64_t left = std::exchange(lanes_left, 0);
            ~own_question() {
                lanes_disagree = disagree;
                lanes_are_masked = masked;
                lanes_left = left;
            }
        } const question;
        item_call<T, W, pack_lifetime, F, S...> pack(f, x, c);
        std::size_t split = 0, packs = 0;
        // packs are given up where most of them were run in vain
        bool give_up = false;
        while (i < n) {
            std::size_t const end = pack.end_of_run(i, n);
            item_run<T, W, pack_lifetime, F, Places, S...> run(pack, i, to);
            for (; end - i >= W; i += W) {
                ++packs;
                lanes_disagree = lanes_are_masked = false;
                if (run.load(i)) {
                    auto const y = results.compute(run, i);
                    if (!lanes_disagree && !(lanes_are_masked && run.has_nan())) {
                        take(i, y);
                        if (reverse) run.give(i, pack_t<T, W>(seed(i, y)));
                        continue;
                    }
                }
                ++split;
                give_up = packs >= 16 && 2 * split > packs;
                if (give_up) break;
                left_over(i, i + W);
            }
            if (give_up) break;
            left_over(i, end);
            i = end;
        }
        left_over(i, n);
        packs_of_thread.run += packs;
        packs_of_thread.split += split;
        if (reverse) pack.finish(to);
    }
    if (reverse) one.finish(to);
}

}
XGRAD_DETAIL_QUIET_END
