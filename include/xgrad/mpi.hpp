// Defines what ranks exchange inside a differentiated function: all_reduce, broadcast, gather and the like, with_halo; mpi::program and mpi::data_parallel.
#pragma once

#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/mpi/halo.hpp>
#include <xgrad/mpi/messages.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::mpi {

// By what all_reduce combines.
struct sum_type {};
struct max_type {};
struct min_type {};
struct prod_type {};
inline constexpr sum_type sum{};
inline constexpr max_type max{};
inline constexpr min_type min{};
inline constexpr prod_type prod{};

// In all of these x is a number, an array, or a struct, a tuple or a std::array of them, all with numbers of one floating-point type, active or plain; the
// numbers of a struct are one message. The collectives are called by all ranks of comm in the same order, with the same shapes (std::invalid_argument on all of
// them, E320), in the forward pass; the way back exchanges in the reverse order. What fails in MPI throws std::runtime_error (E322).

// The sum of x over the ranks, or the largest, the smallest, or the product, element by element: the same on all ranks. Where several ranks have the largest,
// they share its cotangent; what is no number on one rank is none on all. Nothing is exchanged on the way back.
template <class E, class Op = sum_type>
auto all_reduce(E const& x, communicator const& comm, Op = {}) {
    static_assert(!replicated_value<E>, "xgrad[E313]: all_reduce(x, comm) requires each rank's own value, but x is replicated already: multiply it by the "
                                        "number of ranks, or leave all_reduce out");
    constexpr bool ordered = std::is_same_v<Op, sum_type> || std::is_same_v<Op, prod_type> || !detail::find_complex<detail::state_t<E>>();
    static_assert(ordered, "xgrad[E317]: all_reduce(x, comm, mpi::max) and mpi::min require real numbers, but x has complex ones, which have no order: reduce "
                           "their absolute values");
    if constexpr (replicated_value<E> || !ordered) return x;
    else {
        auto op = [&] {
            if constexpr (std::is_same_v<Op, sum_type>) return detail::all_reduce_sum{{}, comm};
            else if constexpr (std::is_same_v<Op, prod_type>) return detail::all_reduce_product{{}, comm};
            else return detail::all_reduce_extremum{{}, comm, std::is_same_v<Op, max_type>};
        };
        return replicated(detail::exchange(op(), x));
    }
}
// A replicated value as each rank's own, to compute with beside other own values. Its cotangents are added up over the ranks.
template <replicated_value R>
auto vary(R const& r, communicator const& comm) {
    return detail::exchange(detail::varying{{{}, comm}}, behind_replicated::of(r));
}
// The root's x on all ranks, each rank's own from there on. On the way back the cotangents are added up at the root.
template <class E>
auto broadcast(E const& x, int root, communicator const& comm) {
    return detail::exchange(detail::rooted{{}, comm, root, false}, x);
}
// The sum of x over the ranks at the root, 0 elsewhere.
template <class E>
auto reduce(E const& x, int root, communicator const& comm) {
    return detail::exchange(detail::rooted{{}, comm, root, true}, x);
}

namespace detail {
template <class Op, class E>
auto exchange_rows(Op const& op, E const& x) {
    using X = state_t<E>;
    constexpr bool rows = rows_state<X> || find_is_struct_of_rows<X>();
    static_assert(rows, "xgrad[E314]: gather(x, root, comm) and the like require a number, an array that has rows, or a struct of such arrays, but x is "
                        "something else: pass its parts one by one");
    if constexpr (!rows) return 0.0;
    else if constexpr (rows_state<X>) return exchange(Op(op), x);
    else {
        auto part = [&op](auto const& a) { return exchange_rows(op, a); };
        using A = active_element_t<E>;
        if constexpr (std::is_void_v<A>) return parts<X>::template make<X>(part, x);
        else return parts<X>::template make<loop_variable_t<X, lift_like<A>>>(part, x);
    }
}
}
// The rows of x of all ranks one behind the other, in the order of the ranks, which may have different numbers of them, or none; of numbers a vector. On all
// ranks, each rank's own from there on; or at the root, and elsewhere no rows. Here and in the next two a struct has arrays alone, each of them a message.
template <class E>
auto all_gather(E const& x, communicator const& comm) {
    return detail::exchange_rows(detail::gathered(comm, -1), x);
}
template <class E>
auto gather(E const& x, int root, communicator const& comm) {
    return detail::exchange_rows(detail::gathered(comm, root), x);
}
// This rank's part of the root's rows, part_of(n, comm). Elsewhere x has rows of the same shape, of any number.
template <class E>
auto scatter(E const& x, int root, communicator const& comm) {
    return detail::exchange_rows(detail::scattered(comm, root), x);
}
// This rank's part of the rows of the sum of x over the ranks.
template <class E>
auto reduce_scatter(E const& x, communicator const& comm) {
    return detail::exchange_rows(detail::scattered_sum(comm), x);
}

// x to another rank, and from there on: the result is x, which goes on to be used here, or not. The other one calls receive.
template <class E>
auto send(E const& x, int to, communicator const& comm, int tag = 0) {
    return detail::exchange(detail::sent{{}, comm, to, tag}, x);
}
// What the other rank has sent, of the type and the shape of like, whose values do not matter (std::invalid_argument, E321, for another number of numbers).
template <class E>
auto receive(E const& like, int from, communicator const& comm, int tag = 0) {
    return detail::exchange(detail::received{{}, comm, from, tag}, like);
}

// This rank's block of an array of D dimensions, with `width` points of the neighbouring blocks on each side, those at corners too, and 0 beyond open ends. The
// shape grows by 2 width along each dimension. On the way back what belongs to a neighbour is added there. Throws std::invalid_argument for a block that has
// fewer points (E325).
template <class E, int D>
auto with_halo(E const& u, std::size_t width, grid<D> const& g) {
    using X = xgrad::detail::state_t<E>;
    constexpr bool fits = [] {
        if constexpr (plain_array<X>) return rank_of<X> == D;
        else return false;
    }();
    static_assert(fits, "xgrad[E315]: with_halo(u, width, grid) requires an array of as many dimensions as the grid has, but u is something else");
    if constexpr (!fits) return 0.0;
    else return detail::exchange(detail::with_neighbours<D>{g.comm(), g, width}, u);
}

namespace detail {

template <class H>
inline constexpr bool is_own_with_many_tangents =
    !replicated_value<H> && !std::is_void_v<active_element_t<H>> && has_many_tangents<active_element_t<H>>;
template <class F>
struct whole_program {
    F f;
    communicator comm;
    template <class... H>
    auto operator()(H const&... h) const {
        constexpr bool same_direction = !(is_own_with_many_tangents<H> || ...);
        static_assert(same_direction, "xgrad[E318]: hessian(f, x...) and the like require of a program that its arguments are replicated, or constant, as "
                                      "each of the directions they go in is one for all ranks, but an argument is each rank's own: use hvp");
        context* c = nullptr;
        (find_loop_owner(c, h), ...);
        exchange_order const order(c);
        auto const y = f(h...);
        using R = std::remove_cvref_t<decltype(y)>;
        static_assert(replicated_value<R>, "xgrad[E316]: mpi::program(f, comm) requires an f that gives a replicated number, but it gives a rank's own: add it "
                                           "up with mpi::all_reduce(y, comm), so that no part of it is missed, or counted twice");
        if constexpr (!replicated_value<R>) return 0.0;
        else return exchange(ending{{}, comm}, behind_replicated::of(y));
    }
};
template <class H>
auto own_value(H const& h, communicator const& comm) {
    if constexpr (replicated_value<H>) return vary(h, comm);
    else return std::cref(h);
}
template <class T>
decltype(auto) behind_cref(T const& t) {
    if constexpr (requires { t.get(); typename T::type; }) return (t.get());
    else return (t);
}
template <class F>
struct summed_over_ranks {
    F f;
    communicator comm;
    template <class... H>
    auto operator()(H const&... h) const {
        auto const own = std::tuple(own_value(h, comm)...);
        return all_reduce(detail::call_with([this](auto const&... x) { return f(behind_cref(x)...); }, own), comm);
    }
};

}

// A function that several ranks compute together, for gradient, hvp and the like, which all ranks call. Its arguments are each rank's own, or
// replicated{theta}; f gives a replicated number. The gradient of an own argument is each rank's own, that of a replicated one is replicated.
//   auto loss = xgrad::mpi::program([&](auto const& theta, auto const& data) {
//       return xgrad::mpi::all_reduce(misfit(xgrad::mpi::vary(theta, comm), data), comm);
//   }, comm);
//   auto g = xgrad::gradient(loss, xgrad::mpi::replicated(theta), xgrad::constant(mine));
template <class F>
auto program(F f, communicator const& comm) {
    return detail::whole_program<F>{std::move(f), comm};
}
// The program of a loss that is a sum over data, of which each rank has a part: f(theta, data) on each rank, and the sum over the ranks.
template <class F>
auto data_parallel(F f, communicator const& comm) {
    return program(detail::summed_over_ranks<F>{std::move(f), comm}, comm);
}

}
XGRAD_DETAIL_QUIET_END
