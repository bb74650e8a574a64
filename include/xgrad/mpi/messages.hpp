// Defines messages from one rank to another: sent and received.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include <xgrad/mpi/collectives.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::mpi::detail {

// A message to another rank: what comes back is its cotangent. The value itself goes on here as it is.
struct sent : same_form {
    communicator comm;
    int to, tag;
    static constexpr char const* name() noexcept { return "send(x, to, comm)"; }
    template <class P>
    void shape(P const& x, P& y) const {
        take_form(x, y);
    }
    template <class P>
    static void send(communicator const& comm, P& x, std::byte* from, int rank, int tag) {
        using S = typename P::S;
        comm.send(from, x.count(), datatype_of<S>(), x.reals * sizeof(S), rank, tag);
    }
    template <class P>
    static void receive(communicator const& comm, P& x, std::byte* into, int rank, int tag) {
        using S = typename P::S;
        received_log::receive(into, x.reals * sizeof(S), [&] {
            MPI_Status status;
            int found = 0;
            check_mpi(MPI_Probe(rank, tag, comm.get(), &status), "MPI_Probe");
            MPI_Get_count(&status, datatype_of<S>(), &found);
            if (found != x.count())
                throw std::invalid_argument("xgrad[E321]: receive(like, from, comm) requires a message of the shape of like, " + std::to_string(x.reals) +
                                            " numbers, found one of " + std::to_string(found) + " from rank " + std::to_string(rank) + ": send the same shape");
            check_mpi(MPI_Recv(into, x.count(), datatype_of<S>(), rank, tag, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
        });
    }
    template <class P>
    void forward(context&, P& x, std::byte* from, P&, std::byte* y) const {
        send(comm, x, from, to, tag);
        std::copy(from, from + x.bytes, y);
    }
    template <class P>
    void reverse(P& x, std::byte* xbar, P&, std::byte* ybar) const {
        receive(comm, x, xbar, to, tag);
        auto *const sum = P::of(xbar), *const own = P::of(ybar);
        for (std::size_t i = 0; i < x.reals; ++i) sum[i] += own[i];
    }
};
struct received : same_form {
    communicator comm;
    int from, tag;
    static constexpr char const* name() noexcept { return "receive(like, from, comm)"; }
    template <class P>
    void shape(P const& x, P& y) const {
        take_form(x, y);
    }
    template <class P>
    void forward(context&, P& x, std::byte* like, P&, std::byte* y) const {
        sent::receive(comm, x, y, from, tag);
        copy_rest(x, like, y);
    }
    template <class P>
    void reverse(P& x, std::byte* xbar, P&, std::byte* ybar) const {
        sent::send(comm, x, ybar, from, tag);
        std::fill_n(P::of(xbar), x.reals, typename P::S(0));
    }
};

}
XGRAD_DETAIL_QUIET_END
