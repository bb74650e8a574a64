// Defines the node of map(executor, f, a...) and what its sum asks of it: chunks of items on several threads, whose cotangents are added in their order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <tuple>
#include <utility>

#include <xgrad/lanes/node.hpp>
#include <xgrad/lanes/plain_map.hpp>
#include <xgrad/loops/replay.hpp>
#include <xgrad/parallel/chunks.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// A map's function, and what its items run on.
template <class X, class F>
struct on_executor {
    X executor;
    F f;
};

// What a chunk adds up of a source, in the room of its own or of its worker, until it is added to what all have; of rows each at its own place.
template <class S>
struct chunk_cotangents {
    void open(own_cotangents<S> const&, context&, std::size_t) {}
    auto place(own_cotangents<S> const& all, std::size_t) const noexcept { return all.place(); }
    void clear(own_cotangents<S> const&, std::size_t, std::size_t, std::size_t) const noexcept {}
    void merge(own_cotangents<S> const&, std::size_t) const noexcept {}
};
template <class S>
    requires(!has_own_rows<S>)
struct chunk_cotangents<S> {
    using T = typename S::value_type;
    block rooms;

    // Two workers never write into one line of a cache.
    static std::size_t bytes(own_cotangents<S> const& all) noexcept { return (all.size * sizeof(T) + 127) / 128 * 128; }
    void open(own_cotangents<S> const& all, context& c, std::size_t n) { rooms.renew(c, n * bytes(all)); }
    memory_t<T> at(own_cotangents<S> const& all, std::size_t room) const noexcept {
        return memory_in<T>(static_cast<std::byte*>(rooms.get()) + room * bytes(all), all.size);
    }
    auto place(own_cotangents<S> const& all, std::size_t room) const noexcept {
        auto p = all.place();
        p.data = at(all, room);
        return p;
    }
    void clear(own_cotangents<S> const& all, std::size_t room, std::size_t, std::size_t) const noexcept {
        fill_elements<T>(at(all, room), all.size, T(0));
    }
    void merge(own_cotangents<S> const& all, std::size_t room) const noexcept {
        auto const from = at(all, room);
        for (std::size_t k = 0; k < all.size; ++k) all.data[k] = T(T(all.data[k]) + T(from[k]));
    }
};

// Goes through the items of a map in chunks.
template <class X>
struct on_threads {
    X executor;
    template <class F>
    auto function(F f) const {
        return on_executor<X, F>{executor, std::move(f)};
    }
    template <class G>
    void each(std::size_t n, G g) const {
        chunk_cut const cut(n);
        run_chunks(executor, workers_for(executor, cut.count), cut.count, [&](chunk_queue& q, std::size_t) {
            for (std::size_t k = 0; q.take(k);) try {
                    for (std::size_t i = cut.first(k); i < cut.last(k); ++i) g(i);
                } catch (...) {
                    return q.fail(k, std::current_exception());
                }
        });
    }
};

}

template <class X, class F, class E, class R, class... S>
struct node<detail::mapping<detail::on_executor<X, F>, E, R>, S...> : node<detail::mapping<F, E, R>, S...> {
    using base = node<detail::mapping<F, E, R>, S...>;
    using typename base::function;
    using typename base::results;
    using T = typename base::T;

    node(detail::on_executor<X, F> g, std::tuple<S...> operands) : base(std::move(g.f), std::move(operands)), executor(std::move(g.executor)) {}

    template <class Slot>
    void evaluate(Slot& y) const {
        // room for what the way back adds up
        if (context* const c = this->owner(); c && c->reverse) open(*c);
        decltype(places(0)) const nowhere{};
        run(cut(), false, [&](context& c, std::size_t, std::size_t first, std::size_t last) {
            this->run_some(first, last, c, nowhere, {y.value, nullptr});
            return T(0);
        });
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        clear();
        try {
            run(cut(), true, [&](context& c, std::size_t room, std::size_t first, std::size_t last) {
                this->run_some(first, last, c, places(room), {nullptr, y.cotangent});
                return T(0);
            });
        } catch (std::exception const& error) {
            detail::replay_failed("map(executor, f, a...)", error.what());
        }
        give_own(T(1));
    }
    // Rows, of which there are many, in chunks, too.
    void give_own(T const& g) const noexcept {
        each_own([&](auto& s, auto& own, auto&) {
            using Q = std::remove_cvref_t<decltype(s)>;
            if constexpr (Q::is_active && detail::has_own_rows<Q>) give_rows(s, own, g);
            else own.give(s, g);
        });
    }
    static constexpr bool takes_expressions = false;
    template <class Expression>
    T sum_and_pull(T const&, Expression&) const = delete;  // the chunks' cotangents lie apart
    // As that of a map on one thread, with nothing around it.
    template <class Expression>
    T sum(bool reverse, Expression&) const {
        if (reverse) {
            open(*this->owner());
            clear();
        }
        return run(cut(), reverse, [&](context& c, std::size_t room, std::size_t first, std::size_t last) {
            clean_registers const behind;
            detail::running_sum<pack_t<T, function::width>> many;
            detail::running_sum<T> few;
            auto take = [&]<class V>(std::size_t, V const& v) {
                if constexpr (std::is_same_v<V, T>) few.add(v);
                else many.add(v);
            };
            auto seed = []<class V>(std::size_t, V const&) { return V(1.0); };
            detail::run_items<T>(this->f, this->x, first, last, c, places(room), take, seed);
            return T(detail::sum_of_lanes<T, function::width>(many.value()) + few.value());
        });
    }

    X executor;

private:
    mutable std::tuple<detail::chunk_cotangents<S>...> of_chunks_;

    // g(source, what all chunks add to, what each of them does).
    template <class G>
    void each_own(G g) const {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (g(std::get<I>(this->x), std::get<I>(this->own_), std::get<I>(of_chunks_)), ...);
        }(std::index_sequence_for<S...>{});
    }
    auto places(std::size_t room) const {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::tuple(std::get<I>(of_chunks_).place(std::get<I>(this->own_), room)...);
        }(std::index_sequence_for<S...>{});
    }
    // The elements that several items may add to.
    std::size_t shared_elements() const {
        std::size_t shared = 0;
        auto one = [&shared]<class U>(U const& s) {
            if constexpr (!detail::has_own_rows<U>) shared += element_count(s.a.extent());
        };
        detail::call_with([&one](auto const&... s) { (one(s), ...); }, this->x);
        return shared;
    }
    bool lie_apart(std::size_t chunks) const { return chunks * shared_elements() * sizeof(T) <= detail::most_bytes_apart; }
    // By sizes alone. To add up what several chunks have costs less than their items do.
    detail::chunk_cut cut() const {
        std::size_t const n = this->items(), shared = shared_elements();
        return detail::chunk_cut(n, shared == 0 ? detail::chunk_cut::most : std::clamp<std::size_t>(16 * n / shared, 1, detail::chunk_cut::most), 64);
    }
    void open(context& c) const {
        std::size_t const chunks = cut().count, rooms = lie_apart(chunks) ? chunks : detail::workers_for(executor, chunks);
        each_own([&](auto& s, auto& own, auto& of_chunks) {
            own.take(s, c);
            of_chunks.open(own, c, rooms);
        });
    }
    void clear() const noexcept {
        each_own([]<class Q>(Q&, auto& own, auto&) {
            if constexpr (!detail::has_own_rows<std::remove_const_t<Q>>) own.clear();
        });
    }
    template <class Q>
    void give_rows(Q const& s, detail::own_cotangents<Q> const& own, T const& g) const noexcept {
        using V = typename Q::value_type;
        bool add = false;
        auto const to = s.a.target(add);
        if (!is_contiguous(to.shape, to.stride)) return own.give(s, g);
        V const by = detail::in_full<V>(g);
        detail::chunk_cut const rows(own.size, detail::chunk_cut::most, 1024);
        auto work = [&](std::size_t first, std::size_t last) {
            for (auto i = static_cast<std::ptrdiff_t>(first); i < static_cast<std::ptrdiff_t>(last); ++i) {
                V const one = by * V(own.data[i]);
                to.data[i] = add ? V(V(to.data[i]) + one) : one;
            }
        };
        try {
            detail::run_chunks(executor, detail::workers_for(executor, rows.count), rows.count, [&](detail::chunk_queue& q, std::size_t) {
                for (std::size_t k = 0; q.take(k);) work(rows.first(k), rows.last(k));
            });
        } catch (std::exception const& error) {
            detail::replay_failed("map(executor, f, a...)", error.what());
        }
    }
    // work(c, room, first, last) for each chunk; the sum of what it gives, and, where it goes backward, of what the chunks add up.
    template <class Work>
    T run(detail::chunk_cut const& all, bool reverse, Work work) const {
        bool const apart = !reverse || lie_apart(all.count);
        std::array<T, detail::chunk_cut::most> values;
        T sum(0);
        auto add = [&](std::size_t k, std::size_t room) {
            sum = k == 0 ? values[k] : T(sum + values[k]);
            if (reverse) each_own([room](auto&, auto& own, auto& of_chunks) { of_chunks.merge(own, room); });
        };
        detail::run_chunks(executor, detail::workers_for(executor, all.count), all.count, [&](detail::chunk_queue& q, std::size_t w) {
            for (std::size_t k = 0; q.take(k);) try {
                    std::size_t const first = all.first(k), last = all.last(k), room = apart ? k : w;
                    if (reverse) each_own([&](auto&, auto& own, auto& of_chunks) { of_chunks.clear(own, room, first, last); });
                    detail::within_items<typename function::lifetime>(reverse, [&](context& c) { values[k] = work(c, room, first, last); });
                    if (apart) continue;
                    if (!q.wait(k)) return;
                    add(k, room);
                    q.done(k);
                } catch (...) {
                    return q.fail(k, std::current_exception());
                }
        });
        if (apart)
            for (std::size_t k = 0; k < all.count; ++k) add(k, k);
        return sum;
    }
};

}
XGRAD_DETAIL_QUIET_END
