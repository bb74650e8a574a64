// Defines the exchanges of rows: arrays of several ranks one behind the other along the first axis, and one array in parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <xgrad/mpi/collectives.hpp>
#include <xgrad/parallel/slices.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::mpi {

// The part of n rows that a rank has, where they are split as evenly as can be: the first ranks have one more.
inline slice part_of(std::size_t n, int rank, communicator const& comm) {
    auto const size = static_cast<std::size_t>(comm.size()), r = static_cast<std::size_t>(rank), each = n / size, more = n % size;
    std::size_t const first = r * each + std::min(r, more);
    return {first, first + each + (r < more ? 1 : 0)};
}
inline slice part_of(std::size_t n, communicator const& comm) { return part_of(n, comm.rank(), comm); }

namespace detail {

// An array, or a number, which is one row.
template <class X>
concept rows_state = perturbable_number<X> || (number_array<X> && rank_of<X> != 0);

// A struct of arrays whose shapes are in no type, as the number of their rows changes.
template <class X>
consteval bool find_is_struct_of_rows() {
    if constexpr (number_array<X>) return rows_state<X> && !shape_by_type<X>::is_known;
    else if constexpr (!differentiable<X> || is_leaf<X> || !fixed_form<X>) return false;
    else return []<class... Q>(type_list<Q...>) { return (find_is_struct_of_rows<std::remove_cv_t<Q>>() && ...); }(typename parts<X>::types{});
}

template <class X>
struct element_of_rows {
    using type = X;
    static constexpr int rank = 1;
};
template <number_array X>
struct element_of_rows<X> {
    using type = array_element_t<X>;
    static constexpr int rank = rank_of<X>;
};

// How many rows each rank has, and how they lie in messages; the memory is that of the first use, and is kept by the operation.
struct row_counts {
    std::vector<int> rows, counts, starts;
    explicit row_counts(communicator const& comm)
        : rows(static_cast<std::size_t>(comm.size())), counts(rows.size()), starts(rows.size()) {}
    void split(std::size_t n, communicator const& comm) {
        for (int r = 0; r < comm.size(); ++r) rows[static_cast<std::size_t>(r)] = static_cast<int>(part_of(n, r, comm).size());
    }
    std::size_t total() const noexcept {
        std::size_t n = 0;
        for (int r : rows) n += static_cast<std::size_t>(r);
        return n;
    }
    // In numbers of which a row has so many.
    void lay(std::size_t of_row) {
        std::size_t start = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            std::size_t const n = static_cast<std::size_t>(rows[r]) * of_row;
            packed<double, identity_lift>::message_size(start + n);
            counts[r] = static_cast<int>(n);
            starts[r] = static_cast<int>(start);
            start += n;
        }
    }
};

// What the four of them share: duals lie in planes of primals and of tangents, which go one by one.
struct rows_base {
    communicator comm;
    row_counts parts;
    std::size_t of_row = 1;  // numbers of a row in a plane

    explicit rows_base(communicator const& c) : comm(c), parts(c) {}
    template <class X>
    using type = typename primal_of<typename element_of_rows<X>::type, element_of_rows<X>::rank>::type;

    template <class Leaf>
    static std::size_t rows_of(Leaf const& x) {
        if constexpr (requires { x.shape; }) return x.shape[0];
        else return 1;
    }
    // The shape of so many rows like those of x.
    template <class A, class B>
    void take_shape(A const& x, B& y, std::size_t rows) {
        using T = typename B::T;
        if constexpr (requires { x.shape; }) y.shape = x.shape;
        y.shape[0] = rows;
        y.count = element_count(y.shape);
        std::size_t one = 1;
        if constexpr (requires { x.shape; })
            for (int d = 1; d < x.shape.rank(); ++d) one *= x.shape[d];
        of_row = one * (sizeof(innermost_t<T>) / sizeof(real_of_t<T>));
        parts.lay(of_row);
    }
    template <class Leaf>
    static std::int64_t row_code(Leaf const& x) {
        shape_code code;
        if constexpr (requires { x.shape; })
            for (int d = 1; d < x.shape.rank(); ++d) code.add(x.shape[d]);
        return code.value();
    }
    // The numbers of all ranks' rows, from what this one has; `planes` of them.
    template <class T>
    static constexpr std::size_t planes = sizeof(T) / sizeof(innermost_t<T>);
    int mine() const { return parts.counts[static_cast<std::size_t>(comm.rank())]; }
    std::size_t all() const { return parts.total() * of_row; }
    template <class S>
    std::size_t bytes_of_mine(S const*) const {
        return static_cast<std::size_t>(mine()) * sizeof(S);
    }
    template <class T>
    void to_all(std::byte* from, std::byte* to) const {
        each_plane<T>(from, static_cast<std::size_t>(mine()), to, all(), [&](auto* a, auto* b, MPI_Datatype t) {
            comm.exchange("MPI_Allgatherv", bytes_of_mine(a), b, all() * sizeof *a, [&] {
                return MPI_Allgatherv(a, mine(), t, b, parts.counts.data(), parts.starts.data(), t, comm.get());
            });
        });
    }
    template <class T>
    void to_root(int root, std::byte* from, std::byte* to) const {
        each_plane<T>(from, static_cast<std::size_t>(mine()), to, all(), [&](auto* a, auto* b, MPI_Datatype t) {
            comm.exchange("MPI_Gatherv", bytes_of_mine(a), b, comm.rank() == root ? all() * sizeof *a : 0, [&] {
                return MPI_Gatherv(a, mine(), t, b, parts.counts.data(), parts.starts.data(), t, root, comm.get());
            });
        });
    }
    template <class T>
    void from_root(int root, std::byte* from, std::byte* to) const {
        each_plane<T>(from, all(), to, static_cast<std::size_t>(mine()), [&](auto* a, auto* b, MPI_Datatype t) {
            comm.exchange("MPI_Scatterv", bytes_of_mine(a), b, bytes_of_mine(a), [&] {
                return MPI_Scatterv(a, parts.counts.data(), parts.starts.data(), t, b, mine(), t, root, comm.get());
            });
        });
    }
    template <class T>
    void sums(std::byte* from, std::byte* to) const {
        each_plane<T>(from, all(), to, static_cast<std::size_t>(mine()), [&](auto* a, auto* b, MPI_Datatype t) {
            comm.exchange("MPI_Reduce_scatter", all() * sizeof *a, b, bytes_of_mine(a), [&] {
                return MPI_Reduce_scatter(a, b, parts.counts.data(), t, MPI_SUM, comm.get());
            });
        });
    }

private:
    template <class T, class G>
    static void each_plane(std::byte* from, std::size_t stride_from, std::byte* to, std::size_t stride_to, G g) {
        using S = real_of_t<T>;
        for (std::size_t k = 0; k < planes<T>; ++k)
            g(reinterpret_cast<S*>(from) + k * stride_from, reinterpret_cast<S*>(to) + k * stride_to, datatype_of<S>());
    }
};

// y = the rows of all ranks in their order: on all of them (root < 0), and xbar = its own rows of the sum of ybar over the ranks; or at the root, elsewhere no
// rows, and xbar = its own rows of the root's ybar.
struct gathered : rows_base {
    int root;
    gathered(communicator const& c, int r) : rows_base(c), root(r) {}
    char const* name() const noexcept { return root < 0 ? "all_gather(x, comm)" : "gather(x, root, comm)"; }
    template <class X, class Y>
    void shape(X const& x, Y& y) {
        comm.check_same(root < 0 ? 8 : 9 + 16 * root, row_code(x.tree), name(), words_for(x));
        int const n = static_cast<int>(rows_of(x.tree));
        comm.exchange("MPI_Allgather", sizeof n, parts.rows.data(), parts.rows.size() * sizeof n, [&] {
            return MPI_Allgather(&n, 1, MPI_INT, parts.rows.data(), 1, MPI_INT, comm.get());
        });
        take_shape(x.tree, y.tree, root < 0 || root == comm.rank() ? parts.total() : 0);
    }
    template <class X, class Y>
    void forward(context&, X& x, std::byte* from, Y&, std::byte* to) const {
        using T = typename decltype(x.tree)::T;
        if (root < 0) to_all<T>(from, to);
        else to_root<T>(root, from, to);
    }
    template <class X, class Y>
    void reverse(X& x, std::byte* xbar, Y&, std::byte* ybar) const {
        using T = typename decltype(x.tree)::T;
        if (root < 0) sums<T>(ybar, xbar);
        else from_root<T>(root, ybar, xbar);
    }
};

// y = this rank's part of the root's rows, xbar = the rows of all ranks at the root, 0 elsewhere.
struct scattered : rows_base {
    int root;
    scattered(communicator const& c, int r) : rows_base(c), root(r) {}
    static constexpr char const* name() noexcept { return "scatter(x, root, comm)"; }
    template <class X, class Y>
    void shape(X const& x, Y& y) {
        comm.check_same(10 + 16 * root, row_code(x.tree), name(), words_for(x));
        std::int64_t n = static_cast<std::int64_t>(rows_of(x.tree));
        comm.exchange("MPI_Bcast", sizeof n, &n, sizeof n, [&] { return MPI_Bcast(&n, 1, MPI_INT64_T, root, comm.get()); });
        parts.split(static_cast<std::size_t>(n), comm);
        take_shape(x.tree, y.tree, part_of(static_cast<std::size_t>(n), comm).size());
    }
    template <class X, class Y>
    void forward(context&, X& x, std::byte* from, Y&, std::byte* to) const {
        from_root<typename decltype(x.tree)::T>(root, from, to);
    }
    template <class X, class Y>
    void reverse(X& x, std::byte* xbar, Y&, std::byte* ybar) const {
        using T = typename decltype(x.tree)::T;
        if (comm.rank() != root) fill_elements<T>(x.tree.memory(xbar), x.tree.size(), T(0));
        to_root<T>(root, ybar, xbar);
    }
};

// y = this rank's part of the sum of x over the ranks, xbar = the rows of all ranks.
struct scattered_sum : rows_base {
    explicit scattered_sum(communicator const& c) : rows_base(c) {}
    static constexpr char const* name() noexcept { return "reduce_scatter(x, comm)"; }
    template <class X, class Y>
    void shape(X const& x, Y& y) {
        comm.check_same(11, code_of(x), name(), words_for(x));
        std::size_t const n = rows_of(x.tree);
        parts.split(n, comm);
        take_shape(x.tree, y.tree, part_of(n, comm).size());
    }
    template <class X, class Y>
    void forward(context&, X& x, std::byte* from, Y&, std::byte* to) const {
        sums<typename decltype(x.tree)::T>(from, to);
    }
    template <class X, class Y>
    void reverse(X& x, std::byte* xbar, Y&, std::byte* ybar) const {
        to_all<typename decltype(x.tree)::T>(ybar, xbar);
    }
};

}
}
XGRAD_DETAIL_QUIET_END
