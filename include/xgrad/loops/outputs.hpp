// Defines output_set<O, L>, all that the steps of a scan give beside the state: its memory, its slots, and the variables that the caller gets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/form.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class O, class L, class Types = typename O::types>
class output_set;
template <class O, class L, class... Y>
class output_set<O, L, type_list<Y...>> {
    using index = std::index_sequence_for<Y...>;

public:
    static constexpr bool is_tuple = O::is_tuple;
    static constexpr bool have_known_shapes = (shape_by_type<Y>::is_known && ...);
    // For n steps.
    void begin(std::size_t n) {
        each([n](auto& port, auto&) { port.set_steps(n); });
    }
    bool has_memory() const { return memory_.has_value(); }
    bool is_due() const {
        return detail::call_with([](auto const&... port) { return (port.due || ...); }, ports_);
    }
    // The shapes that the types say.
    void measure_types(context& owner) {
        if constexpr (have_known_shapes) {
            state_layout l;
            detail::call_with([&l](auto&... port) { (port.measure(shape_by_type<Y>::get(), l), ...); }, ports_);
            take_memory(owner, l);
        }
    }
    // Where there is no step, arrays have no rows, and no elements in them.
    void measure_nothing(context& owner) {
        state_layout l;
        each([&l](auto& port, auto&) { port.measure({}, l); });
        take_memory(owner, l);
    }
    // What an undeclared body gives in step i.
    template <class R>
    void write(context& c, context& owner, std::size_t i, R& r) {
        auto&& parts = O::tie(r);
        if (!has_memory()) {
            state_layout l;
            each_with(parts, [&l](auto& port, auto& part) { port.measure(shape_of_output(port, behind_sum(part)), l); });
            take_memory(owner, l);
        }
        each_with(parts, [&](auto& port, auto& part) {
            port.i = i;
            write_output(c, port, behind_sum(part), values());
        });
    }
    template <class R>
    void seed(std::size_t i, R& r) {
        each_with(O::tie(r), [&](auto& port, auto& part) {
            port.i = i;
            seed_output(port, behind_sum(part), cotangents());
        });
    }
    // What a declared body gives: arrays are written where they belong the first time, and aside later.
    template <class D>
    XGRAD_DETAIL_INLINE void expect(D& d, std::size_t i, bool reverse, bool first) {
        each_delivery(d, [&](auto& part, auto& port) XGRAD_DETAIL_LAMBDA {
            using T = typename std::remove_reference_t<decltype(port)>::T;
            port.i = i;
            part.due = reverse && port.due;
            if constexpr (std::remove_reference_t<decltype(port)>::rank != 0) {
                part.shape = port.shape;
                part.value = first ? port.memory(values()) : memory_in<T>(aside(), port.count);
                part.seed = port.memory(cotangents());
            } else if (part.due) part.seed = T(port.memory(cotangents())[0]);
        });
    }
    template <class D>
    XGRAD_DETAIL_INLINE void take(D& d, std::size_t i) {
        each_delivery(d, [&](auto& part, auto& port) XGRAD_DETAIL_LAMBDA {
            port.i = i;
            if constexpr (std::remove_reference_t<decltype(port)>::rank == 0) port.put(port.memory(values()), 0, part.value);
        });
    }

    // The slots, which tell the call when nothing can come any more.
    void bind(rule_call_base& call) {
        each([&](auto& port, auto& slot) { bind_output(call, port, slot, values(), cotangents()); });
    }
    auto result() {
        return [this]<std::size_t... I>(std::index_sequence<I...>) {
            auto one = []<class Port, class Slot>(Port&, Slot& s) {
                using V = output_variable_t<Port>;
                return V(typename V::ref_type(&s));
            };
            if constexpr (is_tuple) return std::tuple(one(std::get<I>(ports_), std::get<I>(slots_))...);
            else return one(std::get<0>(ports_), std::get<0>(slots_));
        }(index{});
    }
    // Says which parts a cotangent came to, and brings those of numbers to the others.
    bool read() noexcept {
        bool due = false;
        each([&](auto& port, auto& slot) {
            using Port = std::remove_reference_t<decltype(port)>;
            port.due = slot.has_cotangent;
            due = due || port.due;
            if constexpr (Port::rank_of_all == 0) port.all(cotangents())[0] = slot.cotangent;
        });
        return due;
    }
    // Before they are pulled once more.
    void forget() noexcept {
        each([](auto& port, auto& slot) {
            using Port = std::remove_reference_t<decltype(port)>;
            slot.has_cotangent = false;
            if constexpr (Port::rank_of_all == 0) slot.cotangent = typename Port::T(0);
        });
    }

private:
    std::tuple<output_port<Y, L>...> ports_;
    std::tuple<output_slot_t<output_port<Y, L>>...> slots_;
    std::optional<block> memory_;
    std::size_t bytes_ = 0;
    std::byte* values() const noexcept { return static_cast<std::byte*>(memory_->get()); }
    std::byte* cotangents() const noexcept { return values() + bytes_; }
    std::byte* aside() const noexcept { return values() + 2 * bytes_; }

    void take_memory(context& owner, state_layout const& l) {
        bytes_ = l.size();
        std::size_t most = 0;
        each([&most](auto& port, auto&) { most = std::max(most, port.count * sizeof(typename std::remove_reference_t<decltype(port)>::T)); });
        memory_.emplace(owner, bytes_of_packs(2 * bytes_ + most));
        each([this](auto& port, auto&) {
            using Port = std::remove_reference_t<decltype(port)>;
            if constexpr (Port::sums) fill_elements<typename Port::T>(port.all(values()), port.count, typename Port::T(0));
        });
    }
    template <class G>
    void each(G g) {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (g(std::get<I>(ports_), std::get<I>(slots_)), ...); }(index{});
    }
    template <class R, class G>
    void each_with(R&& parts, G g) {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (g(std::get<I>(ports_), std::get<I>(parts)), ...); }(index{});
    }
    template <class D, class G>
    XGRAD_DETAIL_INLINE void each_delivery(D& d, G g) {
        if constexpr (is_tuple)
            [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA { (g(std::get<I>(d.parts_here), std::get<I>(ports_)), ...); }(index{});
        else g(d, std::get<0>(ports_));
    }
};

}
XGRAD_DETAIL_QUIET_END
