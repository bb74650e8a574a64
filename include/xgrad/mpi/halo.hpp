// Defines mpi::grid<D>, ranks in a grid, and the exchange of what lies along the edges of neighbouring blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <xgrad/mpi/rows.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::mpi {

// Ranks in a grid of D dimensions, D from 1 to 3; along each the ends are open, or the last is the neighbour of the first.
template <int D>
    requires(D >= 1 && D <= 3)
class grid {
public:
    // So many ranks along each dimension, whose product is the number of ranks (std::invalid_argument, E324); 0 stands for what fits best.
    grid(communicator const& c, std::array<int, D> ranks, std::array<bool, D> periodic) : comm_(cart(c, ranks, periodic)), ranks_(ranks) {
        MPI_Cart_coords(comm_.get(), comm_.rank(), D, place_.data());
        for (int d = 0; d < D; ++d) MPI_Cart_shift(comm_.get(), d, 1, &before_[static_cast<std::size_t>(d)], &behind_[static_cast<std::size_t>(d)]);
    }
    communicator const& comm() const noexcept { return comm_; }
    std::array<int, D> const& ranks() const noexcept { return ranks_; }
    // Where this rank is.
    std::array<int, D> const& place() const noexcept { return place_; }
    // The neighbours along a dimension, MPI_PROC_NULL beyond an open end.
    int before(int d) const noexcept { return before_[static_cast<std::size_t>(d)]; }
    int behind(int d) const noexcept { return behind_[static_cast<std::size_t>(d)]; }
    // The part of n points along a dimension that this rank has.
    slice part(std::size_t n, int d) const noexcept {
        auto const size = static_cast<std::size_t>(ranks_[static_cast<std::size_t>(d)]), r = static_cast<std::size_t>(place_[static_cast<std::size_t>(d)]);
        std::size_t const first = r * (n / size) + std::min(r, n % size);
        return {first, first + n / size + (r < n % size ? 1 : 0)};
    }

private:
    communicator comm_;
    std::array<int, D> ranks_, place_{}, before_{}, behind_{};
    static communicator cart(communicator const& c, std::array<int, D>& ranks, std::array<bool, D> const& periodic) {
        std::array<int, D> ends{};
        int fixed = 1;
        for (std::size_t d = 0; d < D; ++d) {
            ends[d] = periodic[d] ? 1 : 0;
            if (ranks[d] > 0) fixed *= ranks[d];
        }
        bool fits = c.size() % fixed == 0;
        if (fits) check_mpi(MPI_Dims_create(c.size(), D, ranks.data()), "MPI_Dims_create");
        int all = 1;
        for (int n : ranks) all *= n;
        if (!fits || all != c.size())
            throw std::invalid_argument("xgrad[E324]: grid(comm, ranks, periodic) requires as many ranks as comm has, " + std::to_string(c.size()) +
                                        ", found " + std::to_string(fits ? all : fixed) +
                                        " in the grid: write 0 for the number along a dimension that may be chosen");
        MPI_Comm made = MPI_COMM_NULL;
        check_mpi(MPI_Cart_create(c.get(), D, ranks.data(), ends.data(), 0, &made), "MPI_Cart_create");
        communicator mine(made);
        MPI_Comm_free(&made);
        return mine;
    }
};

namespace detail {

// y = x with so many points of its neighbours on each side, 0 beyond open ends. Dimension by dimension, each with what the ones before have brought, so that
// corners come, too, by two messages for each dimension. What came from a neighbour goes back there: xbar = the inside of ybar + what comes back.
template <int D>
struct with_neighbours {
    communicator comm;
    grid<D> const ranks;
    std::size_t width;
    block room{};  // messages
    static constexpr char const* name() noexcept { return "with_halo(u, width, grid)"; }

    template <class X>
    using type = X;
    template <class P>
    void shape(P const& x, P& y) const {
        comm.check_same(12, static_cast<std::int64_t>(width), name(), "width " + std::to_string(width));
        bool const fits = compare(x.tree.shape);
        y.tree = x.tree;
        for (int d = 0; d < D; ++d) y.tree.shape[d] = x.tree.shape[d] + 2 * width;
        y.tree.count = element_count(y.tree.shape);
        if (!fits)
            throw std::invalid_argument("xgrad[E320]: with_halo(u, width, grid) requires as many points in neighbouring blocks along the edge that they share, "
                                        "found others: rank " + std::to_string(comm.rank()) + " has the shape " + to_string(x.tree.shape) +
                                        ": cut the blocks by grid.part(n, d)");
    }
    template <class P>
    void forward(context& c, P& x, std::byte* from, P& y, std::byte* to) {
        using T = typename decltype(x.tree)::T;
        std::size_t most = 0;
        for (int d = 0; d < D; ++d) most = std::max(most, width * (y.tree.count / y.tree.shape[d]));
        room.renew(c, 2 * most * sizeof(T));
        auto const u = y.tree.memory(to), v = x.tree.memory(from);
        fill_elements<T>(u, y.tree.count, T(0));
        inside(x.tree.shape, y.tree.shape, [&](std::size_t i, std::size_t j) { u[j] = T(v[i]); });
        for (int d = 0; d < D; ++d) {
            std::size_t const n = y.tree.shape[d];
            exchange<T>(u, y.tree.shape, d, {width, 0, n - 2 * width, n - width}, false);
        }
    }
    template <class P>
    void reverse(P& x, std::byte* xbar, P& y, std::byte* ybar) const {
        using T = typename decltype(x.tree)::T;
        auto const u = y.tree.memory(ybar), v = x.tree.memory(xbar);
        for (int d = D; d-- > 0;) {
            std::size_t const n = y.tree.shape[d];
            exchange<T>(u, y.tree.shape, d, {0, width, n - width, n - 2 * width}, true);
        }
        inside(x.tree.shape, y.tree.shape, [&](std::size_t i, std::size_t j) { v[i] = T(u[j]); });
    }

private:
    // Whether all blocks that stand in a row of the grid have as many points across it; throws on all ranks where one has fewer points than the halo.
    template <class E>
    bool compare(E const& shape) const {
        std::int64_t small = 0;
        for (int d = 0; d < D; ++d)
            if (shape[d] < width) small = 1;
        std::int64_t most_small = small;
        bool same = true;
        if (comm.compares_shapes()) {
            std::vector<std::int64_t> mine{small};
            for (std::size_t d = 0; d < D; ++d)
                for (int p = 0; p < ranks.ranks()[d]; ++p)
                    for (std::int64_t const sign : {1, -1})
                        mine.push_back(p == ranks.place()[d] ? sign * static_cast<std::int64_t>(shape[static_cast<int>(d)])
                                                             : std::numeric_limits<std::int64_t>::min());
            std::vector<std::int64_t> most(mine.size());
            comm.largest(mine.data(), most.data(), packed<double, identity_lift>::message_size(mine.size()));
            most_small = most[0];
            for (std::size_t k = 1; k < most.size(); k += 2) same = same && most[k] == -most[k + 1];
        }
        if (most_small != 0)
            throw std::invalid_argument("xgrad[E325]: with_halo(u, width, grid) requires blocks of at least width points along each dimension, found the "
                                        "shape " + to_string(shape) + (small != 0 ? "" : ", and a smaller one on another rank,") + " for width " +
                                        std::to_string(width) + ": use fewer ranks");
        return same;
    }
    // g(i, j) for each point i of x, which is point j of y.
    template <class E, class G>
    void inside(E const& x, E const& y, G g) const {
        std::size_t i = 0;
        walk(x, [&](std::array<std::size_t, D> const& at) {
            std::size_t j = 0;
            for (std::size_t d = 0; d < D; ++d) j = j * y[static_cast<int>(d)] + at[d] + width;
            g(i++, j);
        });
    }
    template <class E, class G>
    static void walk(E const& shape, G g) {
        std::array<std::size_t, D> at{};
        for (std::size_t n = element_count(shape); n-- > 0;) {
            g(at);
            for (std::size_t d = D; d-- > 0;) {
                if (++at[d] < shape[static_cast<int>(d)]) break;
                at[d] = 0;
            }
        }
    }
    // Layers of `width` points along d that begin at these places: to the neighbour before and from it, to the one behind and from it.
    struct layers {
        std::size_t to_before, from_before, to_behind, from_behind;
    };
    template <class T, class E>
    void exchange(memory_t<T> u, E const& shape, int d, layers const& at, bool add) const {
        using S = real_of_t<T>;
        std::size_t inner = 1, outer = 1;
        for (int k = 0; k < D; ++k) (k < d ? outer : inner) *= k == d ? 1 : shape[k];
        std::size_t const of_layer = outer * width * inner, step = shape[d] * inner;
        auto* const p = static_cast<std::byte*>(room.get());
        auto const out = memory_in<T>(p, of_layer), in = memory_in<T>(p + of_layer * sizeof(T), of_layer);
        int const reals = packed<double, identity_lift>::message_size(of_layer * reals_in<T>);
        auto each = [&](std::size_t first, auto g) {
            std::size_t k = 0;
            for (std::size_t o = 0; o < outer; ++o)
                for (std::size_t i = 0; i < width * inner; ++i) g(k++, o * step + first * inner + i);
        };
        auto one = [&](std::size_t from, int to_rank, std::size_t into, int from_rank, int tag) {
            each(from, [&](std::size_t k, std::size_t j) {
                out[k] = T(u[j]);
                if (add && to_rank != MPI_PROC_NULL) u[j] = T(0);
            });
            std::size_t const bytes = static_cast<std::size_t>(reals) * sizeof(S);
            received_log::receive(p + bytes, from_rank == MPI_PROC_NULL ? 0 : bytes, [&] {
                MPI_Status status;
                auto const type = datatype_of<S>();
                int const error = MPI_Sendrecv(p, reals, type, to_rank, tag, p + bytes, reals, type, from_rank, tag, comm.get(), &status);
                int kind = MPI_SUCCESS, came = 0;
                MPI_Error_class(error, &kind);
                if (kind != MPI_ERR_TRUNCATE) check_mpi(error, "MPI_Sendrecv");
                if (to_rank != MPI_PROC_NULL) comm.count(bytes);
                if (from_rank == MPI_PROC_NULL) return;
                MPI_Get_count(&status, datatype_of<S>(), &came);
                if (kind == MPI_ERR_TRUNCATE || came != reals)
                    throw std::invalid_argument("xgrad[E320]: with_halo(u, width, grid) requires as many points in neighbouring blocks along the edge that "
                                                "they share, found other than " + std::to_string(reals) + " numbers there on rank " +
                                                std::to_string(from_rank) + ": cut the blocks by grid.part(n, d)");
            });
            if (from_rank == MPI_PROC_NULL) return;
            each(into, [&](std::size_t k, std::size_t j) { u[j] = add ? T(T(u[j]) + T(in[k])) : T(in[k]); });
        };
        one(at.to_before, ranks.before(d), at.from_behind, ranks.behind(d), 2 * d);
        one(at.to_behind, ranks.behind(d), at.from_before, ranks.before(d), 2 * d + 1);
    }
};

}
}
XGRAD_DETAIL_QUIET_END
