// Defines parallel_map_call: a function of each item as one array of a gradient call; on the way back the function runs once more.
#pragma once

#include <cstddef>
#include <exception>
#include <utility>

#include <xgrad/loops/pulled_call.hpp>
#include <xgrad/parallel/explain_call.hpp>
#include <xgrad/parallel/gradients.hpp>
#include <xgrad/parallel/worker.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class E, class F, class L, class X, class... U>
class parallel_map_call : pulled_call<parallel_map_call<E, F, L, X, U...>> {
    using base = pulled_call<parallel_map_call>;
    friend base;
    using frame = parallel_frame<F, L, true, X, U...>;
    using T = typename frame::T;
    using primal = typename primal_of<T, 1>::type;
    static constexpr char const* name = "parallel_map(items, f, x...)";

public:
    static variable<primal> apply(E const& e, X const& x, F f, U const&... u) {
        context* const c = owner_of_loop(whole_items(x), std::tie(u...), no_variable());
        parallel_map_call& call = base::make(*c, e, x, std::move(f), u...);
        auto& s = call.slot_;
        s.shape = {{call.cut_.items}};
        s.stride = row_major_strides(s.shape);
        s.size = call.cut_.items;
        s.value = call.values();
        s.cotangent = call.cotangents();
        s.enter(call);
        variable<primal> y{typename variable<primal>::ref_type(&s)};
        call.begin(false);
        return y;
    }

private:
    result_slot<T, rank_c<1>> slot_;
    E e_;
    frame frame_;
    chunk_cut cut_;
    std::size_t workers_;
    block result_;
    gradients gradients_;  // of the arguments: that of all, and those of the chunks in flight

    parallel_map_call(context& c, E const& e, X const& x, F f, U const&... u)
        : base(c), e_(e), frame_(name, std::move(f), x, c, u...), cut_(frame_.size()),
          workers_(workers_for(e, cut_.count)), result_(c, 2 * cut_.items * sizeof(T)),
          gradients_(c, (c.reverse || frame::is_declared) ? frame_.gradients_for(workers_, cut_.count) + 1 : 0, frame_.bytes()) {
        auto const y = values();
        run_chunks(e_, workers_, cut_.count, [&](chunk_queue& q, std::size_t w) {
            auto none = [](std::size_t, T const&) {};
            auto seed = [](std::size_t) { return T(0); };
            frame_.work(q, cut_, false, false, [&](std::size_t) { return room(w); }, nullptr, none, [y](std::size_t i, T const& v) { y[i] = v; }, seed);
        });
        if (explaining) [[unlikely]]
            explain_call(name, cut_.words() + ", run once more in the reverse pass", 2 * cut_.items * sizeof(T) + gradients_.bytes(), slot_);
    }
    memory_t<T> values() const noexcept { return memory_in<T>(result_.get(), cut_.items); }
    memory_t<T> cotangents() const noexcept { return memory_in<T>(static_cast<std::byte*>(result_.get()) + cut_.items * sizeof(T), cut_.items); }
    std::byte* total() const noexcept { return gradients_[0]; }
    // Of a worker or of a chunk.
    std::byte* room(std::size_t i) const noexcept { return gradients_[1 + i * frame::gradients_of_worker]; }

    void pull() noexcept {
        if (!slot_.has_cotangent) return;
        frame_.forget();
        auto const g = cotangents();
        bool const apart = frame_.lie_apart(cut_.count);
        auto none = [](std::size_t, T const&) {};
        auto work = [&](chunk_queue& q, std::size_t w) {
            frame_.work(q, cut_, true, !apart, [&](std::size_t k) { return room(apart ? k : w); }, total(), none, none, [g](std::size_t i) { return T(g[i]); });
        };
        try {
            run_chunks(e_, workers_, cut_.count, work);
        } catch (std::exception const& error) {
            replay_failed(name, error.what());
        }
        if (apart) frame_.add_up(cut_, true, [&](std::size_t k) { return room(k); }, total(), none);
        frame_.give(total(), no_factor());
    }
    void forget() noexcept { slot_.has_cotangent = false; }
};

}
XGRAD_DETAIL_QUIET_END
