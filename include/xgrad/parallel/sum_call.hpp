// Defines parallel_sum_call: a sum of a function over items as one value of a gradient call, whose derivative was found together with it.
#pragma once

#include <cstddef>
#include <utility>

#include <xgrad/loops/pulled_call.hpp>
#include <xgrad/parallel/explain_call.hpp>
#include <xgrad/parallel/gradients.hpp>
#include <xgrad/parallel/worker.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Its seed is one number, so the gradient for the seed 1 is found on the way forward, and the way back multiplies it.
template <class E, class F, class L, class X, class... U>
class parallel_sum_call : pulled_call<parallel_sum_call<E, F, L, X, U...>> {
    using base = pulled_call<parallel_sum_call>;
    friend base;
    using frame = parallel_frame<F const&, L, false, X, U...>;
    using T = typename frame::T;
    static constexpr char const* name = "parallel_sum(items, f, x...)";

public:
    static variable<T> apply(E const& e, X const& x, F const& f, U const&... u) {
        context* const c = owner_of_loop(whole_items(x), std::tie(u...), no_variable());
        parallel_sum_call& call = base::make(*c, e, x, f, u...);
        call.slot_.value = call.value_;
        call.slot_.enter(call);
        variable<T> y(typename variable<T>::ref_type(&call.slot_));
        call.begin(false);
        return y;
    }

private:
    result_slot<T, rank_c<0>> slot_;
    T value_{};
    frame frame_;
    gradients total_;

    parallel_sum_call(context& c, E const& e, X const& x, F const& f, U const&... u)
        : base(c), frame_(name, f, x, c, u...), total_(c, c.reverse ? 1 : 0, frame_.bytes()) {
        chunk_cut const cut(frame_.size());
        std::size_t const workers = workers_for(e, cut.count);
        bool const pulled = c.reverse || frame::is_declared, apart = frame_.lie_apart(cut.count), waits = c.reverse && !apart;
        gradients const room(c, pulled ? frame_.gradients_for(workers, cut.count) : 0, frame_.bytes());
        auto take = [this](std::size_t k, T const& y) { value_ = k == 0 ? y : T(value_ + y); };
        run_chunks(e, workers, cut.count, [&](chunk_queue& q, std::size_t w) {
            auto none = [](std::size_t, T const&) {};
            frame_.work(q, cut, c.reverse, waits, [&](std::size_t k) { return room[apart ? k : w]; }, total_[0], take, none, none);
        });
        if (!waits) frame_.add_up(cut, c.reverse, [&](std::size_t k) { return room[k]; }, total_[0], take);
        if (explaining) [[unlikely]] explain_call(name, cut.words() + " with their gradients", total_.bytes() + room.bytes(), slot_);
    }
    void pull() noexcept {
        if (slot_.has_cotangent) frame_.give(total_[0], slot_.cotangent);
    }
    void forget() noexcept {
        slot_.has_cotangent = false;
        slot_.cotangent = T(0);
    }
};

}
XGRAD_DETAIL_QUIET_END
