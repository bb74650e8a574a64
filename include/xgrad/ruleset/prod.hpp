// Defines op::prod, the product along lines, and its rule.
#pragma once

#include <cstddef>

#include <xgrad/ruleset/line.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct prod { static constexpr char const* name = "prod(x)"; };
}

// y = Π x;   x̄[k] = ȳ Π over i < k of x[i] Π over i > k of x[i]: nothing is divided, so zeros and infinities are right. The products of what stands before
// an element are kept. Four parts at a time: a processor has begun the next product before one is done.
template <> inline constexpr bool takes_complex<op::prod> = true;
template <>
struct line_rule<op::prod> {
    static constexpr bool reduces = true;
    template <class T>
    static constexpr bool takes_packs = true;
    template <class T>
    static constexpr std::size_t most_kept = std::size_t(-1);
    template <class T>
    static T value(op::prod, line<T const> const& x, line<T> const& kept) noexcept {
        T y[most];
        for (T& t : y) t = T(1);
        x.with_elements([&](auto const& e) {
            kept.with_elements([&](auto const& to) {
                parts(x.size()).for_each([&](std::size_t j, std::size_t k) {
                    give(to, k, y[j]);
                    y[j] = y[j] * T(e[k]);
                });
            });
        });
        return (y[0] * y[1]) * (y[2] * y[3]);
    }
    template <class T>
    static void pullback(op::prod, line<T> const& xbar, bool add, T const& ybar, T const&, line<T const> const& x, line<T const> const& kept) noexcept {
        parts const p(x.size());
        T y[most], others[most];
        for (std::size_t j = 0; j < most; ++j) y[j] = p.begin(j) == p.end(j) ? T(1) : T(kept[p.end(j) - 1] * x[p.end(j) - 1]);
        T const front = ybar * (y[0] * y[1]), back = y[2] * y[3] * ybar;
        others[0] = y[1] * back, others[1] = y[0] * back, others[2] = front * y[3], others[3] = front * y[2];
        x.with_elements([&](auto const& e) {
            kept.with_elements([&](auto const& before) {
                p.for_each_backward([&](std::size_t j, std::size_t k) {
                    xbar.give(k, T(before[k]) * others[j], add);
                    others[j] = others[j] * T(e[k]);
                });
            });
        });
    }

private:
    template <class T>
    static void give(line<T> const& to, std::size_t k, T const& v) { to.give(k, v); }
    template <class M, class T>
    static void give(M const& to, std::size_t k, T const& v) { to[k] = v; }

    static constexpr std::size_t most = 4;
    // Where the parts of a line begin and end.
    struct parts {
        std::size_t size, length;
        explicit parts(std::size_t n) : size(n), length((n + most - 1) / most) {}
        std::size_t begin(std::size_t j) const { return j * length < size ? j * length : size; }
        std::size_t end(std::size_t j) const { return begin(j + 1); }
        // f(part, element), one element of each part after the other: those of a part in order, or the last first
        template <class F>
        void for_each(F f) const {
            std::size_t const shortest = end(most - 1) - begin(most - 1);
            for (std::size_t i = 0; i < shortest; ++i)
                for (std::size_t j = 0; j < most; ++j) f(j, j * length + i);
            for (std::size_t j = 0; j < most; ++j)
                for (std::size_t k = begin(j) + shortest; k < end(j); ++k) f(j, k);
        }
        template <class F>
        void for_each_backward(F f) const {
            std::size_t const shortest = end(most - 1) - begin(most - 1);
            for (std::size_t j = 0; j < most; ++j)
                for (std::size_t k = end(j); k-- > begin(j) + shortest;) f(j, k);
            for (std::size_t i = shortest; i-- > 0;)
                for (std::size_t j = 0; j < most; ++j) f(j, j * length + i);
        }
    };
};

}
XGRAD_DETAIL_QUIET_END
