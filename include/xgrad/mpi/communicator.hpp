// Defines mpi::communicator, a group of ranks, with what was sent by it; mpi::traffic; and mpi::run, in which a rank that throws ends the job.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// the interface of C alone
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <xgrad/loops/received.hpp>

namespace xgrad::mpi {
// What this rank has handed to MPI: each call of a collective is one message, of what this rank has in it, and so is each of send and receive. `checks` are
// the messages by which shapes are compared; they are not among the others.
struct traffic {
    std::size_t messages = 0, bytes = 0, checks = 0;
    friend traffic operator-(traffic a, traffic const& b) noexcept { return {a.messages - b.messages, a.bytes - b.bytes, a.checks - b.checks}; }
};

// Where MPI itself gives an error (std::runtime_error, E322).
inline void check_mpi(int error, char const* call) {
    if (error == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(error, text, &length);
    throw std::runtime_error("xgrad[E322]: " + std::string(call) + " requires that MPI carries it out, but it says: " +
                             std::string(text, static_cast<std::size_t>(length)));
}

namespace detail {

// What MPI calls a number.
template <class S>
MPI_Datatype datatype_of() noexcept {
    if constexpr (std::is_same_v<S, float>) return MPI_FLOAT;
    else if constexpr (std::is_same_v<S, double>) return MPI_DOUBLE;
    else if constexpr (std::is_same_v<S, long double>) return MPI_LONG_DOUBLE;
    else return MPI_BYTE;
}

}

// A group of ranks. A copy is the same group; it has an MPI communicator of its own, so that its messages meet no others, which lives until the last copy is
// destroyed, and MPI has to live longer. One thread of each rank communicates.
class communicator {
public:
    explicit communicator(MPI_Comm c) : state_(std::make_shared<state>()) {
        check_mpi(MPI_Comm_dup(c, &state_->comm), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(state_->comm, MPI_ERRORS_RETURN);
        MPI_Comm_rank(state_->comm, &state_->rank);
        MPI_Comm_size(state_->comm, &state_->size);
    }
    int rank() const noexcept { return state_->rank; }
    int size() const noexcept { return state_->size; }
    MPI_Comm get() const noexcept { return state_->comm; }
    // What was sent so far.
    mpi::traffic const& sent() const noexcept { return state_->sent; }
    // A call of MPI, by its name, that hands over `bytes` and fills the `room` at `to`. A step of a loop that runs once more is given what it got before.
    template <class Call>
    void exchange(char const* name, std::size_t bytes, void* to, std::size_t room, Call call) const {
        xgrad::detail::received_log::receive(to, room, [&] {
            check_mpi(call(), name);
            count(bytes);
        });
    }
    template <class S>
    void all_reduce(S const* from, S* to, int n, MPI_Op op) const {
        std::size_t const bytes = static_cast<std::size_t>(n) * sizeof(S);
        exchange("MPI_Allreduce", bytes, to, bytes, [&] { return MPI_Allreduce(from, to, n, detail::datatype_of<S>(), op, get()); });
    }
    void count(std::size_t bytes) const noexcept {
        ++state_->sent.messages;
        state_->sent.bytes += bytes;
    }
    // A message on its way, of which this keeps a copy until it is taken: where all ranks send first, none of them waits.
    void send(void const* from, int count, MPI_Datatype type, std::size_t bytes, int to, int tag) const {
        if (xgrad::detail::received_log::runs_again()) return;
        auto& all = state_->on_the_way;
        std::erase_if(all, [](auto& m) {
            int done = 0;
            check_mpi(MPI_Test(&m.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
            return done != 0;
        });
        auto copy = std::make_unique<std::byte[]>(bytes);
        std::copy_n(static_cast<std::byte const*>(from), bytes, copy.get());
        auto& m = all.emplace_back(message{MPI_REQUEST_NULL, std::move(copy)});
        check_mpi(MPI_Isend(m.bytes.get(), count, type, to, tag, get(), &m.request), "MPI_Isend");
        this->count(bytes);
    }
    // Whether the ranks compare their shapes before each collective, by a message of four numbers, and before each exchange of halos, by two. They do, unless
    // they are told not to.
    void compare_shapes(bool yes) const noexcept { state_->compares = yes; }
    bool compares_shapes() const noexcept { return state_->compares && size() > 1 && !xgrad::detail::received_log::runs_again(); }
    // The largest of each number over the ranks, as a message of a comparison.
    void largest(std::int64_t const* mine, std::int64_t* most, int n) const {
        ++state_->sent.checks;
        check_mpi(MPI_Allreduce(mine, most, n, MPI_INT64_T, MPI_MAX, get()), "MPI_Allreduce");
    }
    // Throws std::invalid_argument on all ranks where they do not agree on these two numbers.
    void check_same(std::int64_t what, std::int64_t bytes, char const* call, std::string const& here) const {
        if (!compares_shapes()) return;
        std::int64_t mine[4] = {what, -what, bytes, -bytes}, most[4];
        largest(mine, most, 4);
        if (most[0] == -most[1] && most[2] == -most[3]) return;
        throw std::invalid_argument("xgrad[E320]: " + std::string(call) + " requires the same operation and the same shape on all ranks, found others: rank " +
                                    std::to_string(rank()) + " has " + here + ": bring the ranks to one shape, and through the same statements");
    }

private:
    struct message {
        MPI_Request request;
        std::unique_ptr<std::byte[]> bytes;
    };
    struct state {
        MPI_Comm comm = MPI_COMM_NULL;
        int rank = 0, size = 1;
        bool compares = true;
        mpi::traffic sent;
        std::vector<message> on_the_way;
        int const unwinding = std::uncaught_exceptions();
        state() = default;
        state(state const&) = delete;
        ~state() {
            int over = 0;
            MPI_Finalized(&over);
            for (auto& m : on_the_way) {
                // where an exception ends it, nobody may be there to take it
                if (over || std::uncaught_exceptions() > unwinding) (void)m.bytes.release();
                else MPI_Wait(&m.request, MPI_STATUS_IGNORE);
            }
            if (comm != MPI_COMM_NULL && !over) MPI_Comm_free(&comm);
        }
    };
    std::shared_ptr<state> state_;
};

// f(world) between the beginning and the end of MPI, and what it returns, or 0. An exception that leaves f ends the job on all ranks, with its message and the
// rank on stderr, as other ranks may be waiting for this one.
template <class F>
int run(int argc, char** argv, F&& f) {
    int have = 0;
    check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &have), "MPI_Init_thread");
    int status = 0;
    try {
        communicator const world(MPI_COMM_WORLD);
        if constexpr (std::is_void_v<decltype(f(world))>) f(world);
        else status = f(world);
    } catch (std::exception const& e) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
        std::fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    } catch (...) {
        std::fputs("a rank has thrown something that is not a std::exception\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return status;
}

}
