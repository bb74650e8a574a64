// Defines pick: the operation that moves elements by runs of places along each axis.
#pragma once

#include <cstddef>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/move.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

// y[i, j, ...] = x[p[i], q[j], ...]. The places of each axis are runs, one behind the other: {first, length, step} for places first, first + step, ...
// A run that begins at -1 gives `fill`.
template <class R>
struct pick {
    extents<R::value> shape;  // of y: what the runs of each axis make together
    extents<R::value> runs;   // how many each axis has
    bool is_permutation;      // whether each element of x is there once, whatever else y has
    double fill = 0;
};

}

template <class R> inline constexpr bool takes_complex<op::pick<R>> = true;

template <class R>
struct array_rule<op::pick<R>> {
    using state = op::pick<R>;
    template <int, int>
    static constexpr int rank = R::value;
    template <int X>
    static extents<R::value> shape(state const& o, extents<X> const&, extents<1> const&) { return o.shape; }

    template <class T, int Y, int X>
    static void value(state const& o, array_ref<T, Y> const& y, array_ref<T const, X> const& x, array_ref<std::ptrdiff_t const, 1> const& runs) noexcept {
        auto const move = [&](auto const& block, std::size_t n, std::ptrdiff_t i, std::ptrdiff_t p, std::ptrdiff_t j, std::ptrdiff_t q) {
            block.template move_several<T, T>(n, y.data + j, q, x.data + i, p, false);
        };
        auto const fill = [&](int d, std::size_t n, std::ptrdiff_t j) {
            auto s = o.shape;
            s[d] = n;
            detail::fill_block<T>(d, s, y.data + j, y.stride, T(o.fill));
        };
        each(o, runs.data, x.stride, y.stride, false, move, fill);
    }
    template <int, class T, int X, int Y>
    static void pullback(state const& o, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const&,
                         array_ref<T const, X> const&, array_ref<std::ptrdiff_t const, 1> const& runs) noexcept {
        if (!add && !o.is_permutation) detail::clear(xbar);
        bool const adds = add || !o.is_permutation;
        auto const move = [&](auto const& block, std::size_t n, std::ptrdiff_t i, std::ptrdiff_t p, std::ptrdiff_t j, std::ptrdiff_t q) {
            block.template move_several<T, T>(n, xbar.data + i, p, ybar.data + j, q, adds);
        };
        each(o, runs.data, xbar.stride, ybar.stride, true, move, [](int, std::size_t, std::ptrdiff_t) {});
    }

private:
    // move(block, n, i, p, j, q): n blocks, at i, i + p, ... in x and at j, j + q, ... in y, or back; fill(d, n, j): n places along axis d, from j on in y.
    template <int N, class M, class F>
    static void each(state const& o, std::ptrdiff_t const* runs, strides<N> const& in, strides<N> const& out, bool back, M const& move,
                     F const& fill) {
        if (element_count(o.shape) == 0) return;
        if (o.shape.rank() == 0) return move(detail::block_move<N>(0, o.shape, out, in), 1, 0, 0, 0, 0);
        int last = o.shape.rank() - 1;
        std::ptrdiff_t const* end = runs;
        for (int d = 0; d < last; ++d) end += 3 * static_cast<std::ptrdiff_t>(o.runs[d]);
        // axes of which all is there as it was go with the block
        while (last > 0 && o.runs[last] == 1 && end[0] == 0 && end[2] == 1) end -= 3 * static_cast<std::ptrdiff_t>(o.runs[--last]);
        walk(o, runs, in, out, detail::block_move<N>(last + 1, o.shape, back ? in : out, back ? out : in), last, move, fill, first_axis<N>(), 0, 0);
    }
    // The axis d, a constant where the rank is one: then g++ sees that there is none behind the last.
    template <int N>
    static auto first_axis() {
        if constexpr (N == dynamic_rank) return 0;
        else return rank_c<0>();
    }
    static constexpr int behind(int d) { return d + 1; }
    template <int D>
    static constexpr auto behind(rank_c<D>) { return rank_c<D + 1>(); }
    template <int N, class M, class F>
    static void walk(state const&, std::ptrdiff_t const*, strides<N> const&, strides<N> const&, detail::block_move<N> const&, int, M const&, F const&,
                     rank_c<N>, std::ptrdiff_t, std::ptrdiff_t) {}
    template <int N, class M, class F, class D>
    static void walk(state const& o, std::ptrdiff_t const* run, strides<N> const& in, strides<N> const& out, detail::block_move<N> const& block, int last,
                     M const& move, F const& fill, D d, std::ptrdiff_t i, std::ptrdiff_t j) {
        std::ptrdiff_t const* const next = run + 3 * static_cast<std::ptrdiff_t>(o.runs[d]);
        for (; run != next; run += 3) {
            auto const n = run[1];
            if (run[0] < 0) fill(d, static_cast<std::size_t>(n), j);
            else if (d == last) move(block, static_cast<std::size_t>(n), i + run[0] * in[d], run[2] * in[d], j, out[d]);
            else
                for (std::ptrdiff_t k = 0; k < n; ++k)
                    walk(o, next, in, out, block, last, move, fill, behind(d), i + (run[0] + k * run[2]) * in[d], j + k * out[d]);
            j += n * out[d];
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
