// Defines remembered<Op, P, N>: the values of an operation on numbers that all items of a map have in common, which a loop over items computes once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Whether to look for the value of an operation, of packs or of numbers, costs less than to compute it.
template <class Op, class T, int R>
inline constexpr bool is_worth_remembering = false;
template <class Op, batch T>
inline constexpr bool is_worth_remembering<Op, T, 0> = [] {
    if constexpr (requires { Op::cost; }) return Op::cost > 1;
    else return true;
}();
template <class Op, class T>
    requires(std::is_same_v<T, double> || std::is_same_v<T, float>)
inline constexpr bool is_worth_remembering<Op, T, 0> = !requires { Op::cost; };

// The last values of Op, of N numbers, or of packs P of one number each, that this thread has asked for, with the derivatives. An operation is a function of
// its numbers alone: what is found is what would be computed.
template <class Op, class P, std::size_t N>
class remembered {
    using T = lane_type_t<P>;
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    template <std::size_t>
    using same = P;
    template <std::size_t... I>
    static auto find_partials(std::index_sequence<I...>) -> decltype(xgrad::partials<Op>(std::declval<same<I>>()..., std::declval<P>()));
    using partials_type = decltype(find_partials(std::make_index_sequence<N>()));
    template <std::size_t I>
    static constexpr bool is_pack_at = std::is_same_v<decltype(partial_at<I>(std::declval<partials_type const&>())), P>;

public:
    struct entry {
        bits x[N];
        T y, partial[N];
    };
    // A derivative that is no plain pack or number, a choice say, is found anew.
    static constexpr bool knows_partials = []<std::size_t... I>(std::index_sequence<I...>) {
        return (is_pack_at<I> && ...);
    }(std::make_index_sequence<N>());

    template <class... X>
    XGRAD_DETAIL_INLINE static entry const& at(X const&... x) {
        std::array<bits, N> const key{std::bit_cast<bits>(first(x))...};
        table& t = table_;
        for (std::size_t k = 0; k < t.count; ++k)
            if (is_of(t.of[k], key)) [[likely]] return t.of[k];
        return compute(key);
    }

private:
    static constexpr std::size_t most = 8;
    struct table {
        entry of[most];
        std::size_t count, next;
    };
    static inline constinit thread_local table table_{};

    XGRAD_DETAIL_INLINE static bool is_of(entry const& e, std::array<bits, N> const& key) {
        bool same_numbers = true;
        for (std::size_t i = 0; i < N; ++i) same_numbers = same_numbers && e.x[i] == key[i];
        return same_numbers;
    }
    XGRAD_DETAIL_INLINE static T first(P const& x) {
        if constexpr (batch<P>) return T(x.data[0]);
        else return x;
    }
    [[gnu::noinline, gnu::cold]] static entry const& compute(std::array<bits, N> const& key) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> entry const& {
            P const y = apply<Op>(P(std::bit_cast<T>(key[I]))...);
            entry e{{key[I]...}, first(y), {}};
            if constexpr (knows_partials) {
                auto const d = xgrad::partials<Op>(y, P(std::bit_cast<T>(key[I]))...);
                ((e.partial[I] = first(partial_at<I>(d))), ...);
            }
            entry& to = table_.of[table_.next];
            table_.next = (table_.next + 1) % most;
            if (table_.count < most) ++table_.count;
            return to = e;
        }(std::make_index_sequence<N>());
    }
};

}
XGRAD_DETAIL_QUIET_END
