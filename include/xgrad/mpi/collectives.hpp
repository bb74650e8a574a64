// Defines the exchanges of values that keep their form: sums, extrema and products over ranks, and copies of one rank's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <xgrad/mpi/call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::mpi::detail {

// What tells shapes apart: their ranks and extents, one behind the other.
class shape_code {
public:
    template <class N>
    void add(N n) noexcept {
        code_ = (code_ ^ static_cast<std::uint64_t>(n)) * 1099511628211u;
    }
    template <class P>
    void add_shapes(P const& p) {
        add(p.reals * sizeof(typename P::S));
        each_leaf(
            [&](auto const& leaf) {
                if constexpr (requires { leaf.shape; }) {
                    add(leaf.shape.rank());
                    for (int d = 0; d < leaf.shape.rank(); ++d) add(leaf.shape[d]);
                }
            },
            p.tree);
    }
    // Its negative is one, too.
    std::int64_t value() const noexcept { return static_cast<std::int64_t>(code_ >> 1); }

private:
    std::uint64_t code_ = 14695981039346656037u;
};
template <class P>
std::int64_t code_of(P const& p) {
    shape_code code;
    code.add_shapes(p);
    return code.value();
}
template <class P>
std::string words_for(P const& p) {
    if constexpr (requires { p.tree.shape; }) return "the shape " + to_string(p.tree.shape);
    else return std::to_string(p.reals) + (p.reals == 1 ? " number" : " numbers");
}

// What has the form of its operand.
struct same_form {
    template <class X>
    using type = X;
    template <class P>
    static void take_form(P const& x, P& y) {
        y.tree = x.tree;
        y.place();
    }
};
// Rank by rank: all the numbers of x, and what has no derivative stays what it is here.
template <class P>
void copy_rest(P& x, std::byte* from, std::byte* to) {
    std::copy(from + x.reals * sizeof(typename P::S), from + x.bytes, to + x.reals * sizeof(typename P::S));
}

// y = sum of x over the ranks, the same everywhere, so that xbar = ybar.
struct all_reduce_sum : same_form {
    communicator comm;
    static constexpr char const* name() noexcept { return "all_reduce(x, comm)"; }
    template <class P>
    void shape(P const& x, P& y) const {
        comm.check_same(1, code_of(x), name(), words_for(x));
        take_form(x, y);
    }
    template <class P>
    void sum(P const& x, std::byte* from, std::byte* to) const {
        comm.all_reduce(P::of(from), P::of(to), x.count(), MPI_SUM);
    }
    template <class P>
    void forward(context&, P& x, std::byte* from, P&, std::byte* to) const {
        sum(x, from, to);
        copy_rest(x, from, to);
    }
    template <class P>
    void reverse(P& x, std::byte* xbar, P&, std::byte* ybar) const {
        std::copy(ybar, ybar + x.bytes, xbar);
    }
};
// A replicated value as each rank's own: xbar = sum of ybar over the ranks.
struct varying : all_reduce_sum {
    static constexpr char const* name() noexcept { return "vary(r, comm)"; }
    template <class P>
    void shape(P const& x, P& y) const {
        comm.check_same(2, code_of(x), name(), words_for(x));
        take_form(x, y);
    }
    template <class P>
    void forward(context&, P& x, std::byte* from, P&, std::byte* to) const {
        std::copy(from, from + x.bytes, to);
    }
    template <class P>
    void reverse(P& x, std::byte* xbar, P&, std::byte* ybar) const {
        sum(x, ybar, xbar);
    }
};
// The end of a program, which waits for all before it.
struct ending : same_form {
    communicator comm;
    static constexpr char const* name() noexcept { return "program(f, comm)"; }
    template <class P>
    void shape(P const& x, P& y) const {
        take_form(x, y);
    }
    template <class P>
    void forward(context&, P& x, std::byte* from, P&, std::byte* to) const {
        std::copy(from, from + x.bytes, to);
    }
    template <class P>
    void reverse(P& x, std::byte* xbar, P&, std::byte* ybar) const {
        std::copy(ybar, ybar + x.bytes, xbar);
    }
};

// y = max (or min) of x over the ranks; a tangent is shared by the ranks that have it, and so is the cotangent.
struct all_reduce_extremum : same_form {
    communicator comm;
    bool largest;
    block share{};
    char const* name() const noexcept { return largest ? "all_reduce(x, comm, mpi::max)" : "all_reduce(x, comm, mpi::min)"; }

    template <class P>
    void shape(P const& x, P& y) const {
        comm.check_same(largest ? 3 : 4, code_of(x), name(), words_for(x));
        take_form(x, y);
    }
    // g(i, x, y) for each element of both, where i counts them.
    template <class P, class G>
    static void each(P& x, std::byte* p, P& y, std::byte* q, G g) {
        std::size_t i = 0;
        each_leaf(
            [&]<class Leaf>(Leaf& a, Leaf& b) {
                if constexpr (Leaf::takes_cotangents) {
                    auto const from = a.memory(p), to = b.memory(q);
                    for (std::size_t k = 0; k < a.size(); ++k) g.template operator()<typename Leaf::T>(i++, from + k, to + k);
                }
            },
            x.tree, y.tree);
    }
    template <class P>
    void forward(context& c, P& x, std::byte* from, P& y, std::byte* to) {
        using S = typename P::S;
        share.renew(c, 3 * x.reals * sizeof(S));
        S *const w = static_cast<S*>(share.get()), *const mine = w + x.reals, *const best = mine + x.reals;
        std::size_t n = 0;
        bool dual = false;
        each(x, from, y, to, [&]<class T>(std::size_t i, auto a, auto) {
            if constexpr (!is_complex_number<innermost_t<T>>) mine[i] = innermost_primal(T(*a));
            dual = dual || number_dual<T>;
            n = i + 1;
        });
        int const count = P::message_size(n);
        comm.all_reduce(mine, best, count, largest ? MPI_MAX : MPI_MIN);
        // what is no number on one rank is none on all, and MPI may have passed over it
        for (std::size_t i = 0; i < n; ++i) mine[i] = mine[i] != mine[i] ? mine[i] : mine[i] == best[i] ? S(1) : S(0);
        comm.all_reduce(mine, w, count, MPI_SUM);
        for (std::size_t i = 0; i < n; ++i) {
            if (w[i] != w[i] || w[i] == S(0)) best[i] = w[i] = std::numeric_limits<S>::quiet_NaN();
            else w[i] = mine[i] / w[i];
        }
        if (dual) {
            each(x, from, y, to, [&]<class T>(std::size_t i, auto a, auto) { *a = T(T(*a) * w[i]); });
            comm.all_reduce(P::of(from), P::of(to), x.count(), MPI_SUM);
        }
        each(x, from, y, to, [&]<class T>(std::size_t i, auto, auto b) {
            T v = dual ? T(*b) : T(0);
            set_innermost(v, best[i]);
            *b = v;
        });
        copy_rest(x, from, to);
    }
    template <class P>
    void reverse(P& x, std::byte* xbar, P& y, std::byte* ybar) const {
        using S = typename P::S;
        S const* const w = static_cast<S const*>(share.get());
        each(x, xbar, y, ybar, [&]<class T>(std::size_t i, auto a, auto b) { *a = T(T(*b) * w[i]); });
    }

private:
    template <class T, class S>
    static void set_innermost(T& v, S s) {
        if constexpr (number_dual<T>) set_innermost(v.primal, s);
        else v = T(s);
    }
};

// y = product of x over the ranks, and beside it the product of the others: xbar = that times ybar. Of zeros there may be any number.
struct all_reduce_product : same_form {
    communicator comm;
    block others{};
    static constexpr char const* name() noexcept { return "all_reduce(x, comm, mpi::prod)"; }

    template <class P>
    void shape(P const& x, P& y) const {
        comm.check_same(5, code_of(x), "all_reduce(x, comm, mpi::prod)", words_for(x));
        take_form(x, y);
    }
    template <class P>
    void forward(context& c, P& x, std::byte* from, P& y, std::byte* to) {
        using S = typename P::S;
        auto const ranks = static_cast<std::size_t>(comm.size());
        std::size_t const bytes = x.reals * sizeof(S);
        others.renew(c, x.bytes);
        block all(c, ranks * bytes);
        comm.exchange("MPI_Allgather", bytes, all.get(), ranks * bytes, [&] {
            return MPI_Allgather(from, x.count(), datatype_of<S>(), all.get(), x.count(), datatype_of<S>(), comm.get());
        });
        auto const of_rank = [&](std::size_t r) { return static_cast<std::byte*>(all.get()) + r * bytes; };
        auto* const rest = static_cast<std::byte*>(others.get());
        each_leaf(
            [&]<class Leaf>(Leaf& a, Leaf& b) {
                if constexpr (Leaf::takes_cotangents) {
                    using T = typename Leaf::T;
                    for (std::size_t k = 0; k < a.size(); ++k) {
                        T mine(1), product(1);
                        for (std::size_t r = 0; r < ranks; ++r) {
                            T const v(a.memory(of_rank(r))[k]);
                            product = T(product * v);
                            if (r != static_cast<std::size_t>(comm.rank())) mine = T(mine * v);
                        }
                        a.memory(rest)[k] = mine;
                        b.memory(to)[k] = product;
                    }
                }
            },
            x.tree, y.tree);
        copy_rest(x, from, to);
    }
    template <class P>
    void reverse(P& x, std::byte* xbar, P& y, std::byte* ybar) const {
        auto* const rest = static_cast<std::byte*>(others.get());
        each_leaf(
            [&]<class Leaf>(Leaf& a, Leaf& b) {
                if constexpr (Leaf::takes_cotangents) {
                    using T = typename Leaf::T;
                    for (std::size_t k = 0; k < a.size(); ++k) a.memory(xbar)[k] = T(T(a.memory(rest)[k]) * T(b.memory(ybar)[k]));
                }
            },
            x.tree, y.tree);
    }
};

// y = x of the root; xbar = sum of ybar at the root, and 0 elsewhere. And the other way round.
struct rooted : same_form {
    communicator comm;
    int root;
    bool is_reduce;
    char const* name() const noexcept { return is_reduce ? "reduce(x, root, comm)" : "broadcast(x, root, comm)"; }

    template <class P>
    void shape(P const& x, P& y) const {
        comm.check_same((is_reduce ? 6 : 7) + 16 * root, code_of(x), name(), words_for(x));
        take_form(x, y);
    }
    template <class P>
    void copies(P& x, std::byte* from, std::byte* to) const {
        std::size_t const bytes = x.reals * sizeof(typename P::S);
        bool const mine = comm.rank() == root;
        if (mine) std::copy(from, from + x.bytes, to);
        comm.exchange("MPI_Bcast", bytes, to, mine ? 0 : bytes, [&] { return MPI_Bcast(to, x.count(), datatype_of<typename P::S>(), root, comm.get()); });
    }
    template <class P>
    void sums(P& x, std::byte* from, std::byte* to) const {
        using S = typename P::S;
        bool const mine = comm.rank() == root;
        std::size_t const bytes = x.reals * sizeof(S);
        comm.exchange("MPI_Reduce", bytes, to, mine ? bytes : 0, [&] { return MPI_Reduce(from, to, x.count(), datatype_of<S>(), MPI_SUM, root, comm.get()); });
        if (!mine) std::fill_n(P::of(to), x.reals, S(0));
    }
    template <class P>
    void forward(context&, P& x, std::byte* from, P&, std::byte* to) const {
        if (is_reduce) sums(x, from, to);
        else copies(x, from, to);
        copy_rest(x, from, to);
    }
    template <class P>
    void reverse(P& x, std::byte* xbar, P&, std::byte* ybar) const {
        if (is_reduce) copies(x, ybar, xbar);
        else sums(x, ybar, xbar);
    }
};

}
XGRAD_DETAIL_QUIET_END
