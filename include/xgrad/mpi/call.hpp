// Defines communication<Op, L, X>: a value that ranks have exchanged in a gradient call, and whose cotangents they exchange on the way back.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/pulled_call.hpp>
#include <xgrad/loops/received.hpp>
#include <xgrad/loops/result.hpp>
#include <xgrad/mpi/replicated.hpp>
#include <xgrad/parallel/executor.hpp>
#include <xgrad/parallel/explain_call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::mpi::detail {
using namespace xgrad::detail;

// The real numbers that an element is made of, and what an element is of without duals.
template <class T>
using innermost_t = std::remove_cvref_t<decltype(innermost_primal(std::declval<T const&>()))>;
template <class T>
using real_of_t = real_type_t<innermost_t<T>>;
template <class T>
inline constexpr std::size_t reals_in = sizeof(T) / sizeof(real_of_t<T>);

// The one type of the real numbers in a state; void where it has several.
template <class P>
consteval auto find_real() {
    if constexpr (!differentiable<P>) return type_tag<no_variable>{};
    else if constexpr (perturbable_number<P>) return type_tag<real_of_t<P>>{};
    else if constexpr (number_array<P>) return type_tag<real_of_t<array_element_t<P>>>{};
    else
        return []<class... Q>(type_list<Q...>) {
            auto join = []<class A, class B>(type_tag<A> a, type_tag<B> b) {
                if constexpr (std::is_same_v<A, no_variable>) return b;
                else if constexpr (std::is_same_v<B, no_variable> || std::is_same_v<A, B>) return a;
                else return type_tag<void>{};
            };
            auto all = [&](auto const& self, auto so_far, auto... rest) {
                if constexpr (sizeof...(rest) == 0) return so_far;
                else return [&](auto next, auto... others) { return self(self, join(so_far, next), others...); }(rest...);
            };
            return all(all, type_tag<no_variable>{}, find_real<std::remove_cv_t<Q>>()...);
        }(typename parts<P>::types{});
}
template <class P>
using real_in_t = typename decltype(find_real<P>())::type;

// Whether a state has complex numbers, and whether it is active with several tangents side by side.
template <class P>
consteval bool find_complex() {
    if constexpr (!differentiable<P>) return false;
    else if constexpr (perturbable_number<P>) return is_complex_number<innermost_t<P>>;
    else if constexpr (number_array<P>) return is_complex_number<innermost_t<array_element_t<P>>>;
    else return []<class... Q>(type_list<Q...>) { return (find_complex<std::remove_cv_t<Q>>() || ...); }(typename parts<P>::types{});
}
template <class T>
inline constexpr bool has_many_tangents = false;
template <class P, std::size_t N, class Tag>
inline constexpr bool has_many_tangents<dual<P, N, Tag>> = N > 1 || has_many_tangents<P>;

[[noreturn, gnu::cold, gnu::noinline]] inline void exchange_in_parallel() {
    throw std::logic_error("xgrad[E327]: an exchange of ranks requires that the ranks come to it in one order, found one inside of a parallel verb, whose "
                           "items run in any order: exchange before it, or behind it");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void exchange_too_early() {
    throw std::logic_error("xgrad[E328]: an exchange of ranks requires that its cotangents are known when it goes back, found one in a loop or a checkpoint "
                           "whose body declares a number as its result, -> xgrad::real, and is pulled before: leave the declaration out");
}

// A state in one piece of memory, its real numbers first and without gaps, so that they are one message.
template <class P, class L>
struct packed {
    using primal = P;
    using S = real_in_t<P>;
    loop_port<P, counted, L> tree{};
    std::size_t reals = 0, bytes = 0;

    // Takes the shapes from the variables.
    template <class V>
    void measure(V const& v) {
        each_leaf(
            [](auto& leaf, auto const& part) {
                state_layout none;
                leaf.measure(part, none);
            },
            tree, v);
        place();
    }
    void place() {
        reals = 0;
        each_leaf(
            [this]<class Leaf>(Leaf& leaf) {
                if constexpr (Leaf::takes_cotangents) {
                    leaf.at = reals * sizeof(S);
                    reals += leaf.size() * reals_in<typename Leaf::T>;
                }
            },
            tree);
        state_layout rest;
        rest.add(reals * sizeof(S), alignof(S));
        each_leaf(
            [&rest]<class Leaf>(Leaf& leaf) {
                if constexpr (!Leaf::takes_cotangents) leaf.at = rest.add(sizeof(typename Leaf::primal), alignof(typename Leaf::primal));
            },
            tree);
        bytes = (rest.size() + 15) / 16 * 16;
    }
    int count() const {
        return message_size(reals);
    }
    static int message_size(std::size_t n) {
        if (n > 0x7fffffff)
            throw std::length_error("xgrad[E323]: a message of MPI requires at most 2147483647 numbers, found " + std::to_string(n) + ": send it in parts");
        return static_cast<int>(n);
    }
    static S* of(std::byte* p) noexcept { return reinterpret_cast<S*>(p); }
};

// An Op has
//   name()                       as the user writes it
//   comm                         its ranks
//   type<X>                      the form of its result
//   shape(x, y)                  the shapes of the result y, packed, from those of x; may communicate, and throws where they do not fit
//   forward(c, x, from, y, to)   the values; memory of its own it takes from c
//   reverse(x, xbar, y, ybar)    cotangents, all of xbar; cannot fail
template <class Op, class L, class X>
class communication : pulled_call<communication<Op, L, X>> {
    using base = pulled_call<communication>;
    friend base;
    using Y = typename Op::template type<X>;
    packed<X, L> in_;
    packed<Y, L> out_;
    Op op_;
    loop_variable_t<X, L> x_;
    typename to_loop_result<L>::template type<Y> slots_{};
    block memory_;  // cotangents of x; values and cotangents of y
    std::byte* at(std::size_t offset) const noexcept { return static_cast<std::byte*>(memory_.get()) + offset; }
    std::byte* xbar() const noexcept { return at(0); }
    std::byte* y() const noexcept { return at(in_.bytes); }
    std::byte* ybar() const noexcept { return at(in_.bytes + out_.bytes); }

public:
    template <class E>
    static loop_variable_t<Y, L> apply(Op op, E const& e) {
        if (is_in_parallel) exchange_in_parallel();
        if (!received_log::knows_cotangents()) exchange_too_early();
        received_log::enter();
        auto x = make_loop_variable<L>{}(e);
        context* c = nullptr;
        find_loop_owner(c, x);
        if (!c) c = &plain_context();
        communication& call = base::make(*c, std::move(op), std::move(x));
        bind_loop_result(call, call.out_.tree, call.slots_, call.y(), call.ybar());
        auto result = make_loop_result<L>(call.out_.tree, call.slots_);
        call.begin(true);
        return result;
    }

private:
    communication(context& c, Op op, loop_variable_t<X, L> x) : base(c), op_(std::move(op)), x_(std::move(x)) {
        traffic const before = op_.comm.sent();
        in_.measure(x_);
        op_.shape(in_, out_);
        out_.place();
        memory_.renew(c, in_.bytes + 2 * out_.bytes);
        // until they are exchanged the values of x are where its cotangents will be
        copy_values(in_.tree, x_, xbar());
        op_.forward(c, in_, xbar(), out_, y());
        if (explaining) [[unlikely]] explain_call(op_.name(), "forward " + words(op_.comm.sent() - before), in_.bytes + 2 * out_.bytes, slots_);
    }
    static std::string words(traffic const& sent) { return counted_as(sent.messages, "message") + " of " + counted_as(sent.bytes, "byte"); }
    void pull() noexcept {
        read_loop_result(out_.tree, slots_, ybar());
        each_leaf(
            [this]<class Leaf>(Leaf& leaf) {
                if constexpr (Leaf::takes_cotangents)
                    if (!leaf.due) fill_elements<typename Leaf::T>(leaf.memory(ybar()), leaf.size(), typename Leaf::T(0));
            },
            out_.tree);
        traffic const before = op_.comm.sent();
        // what comes back is no part of a step that runs once more
        received_log::scope const none(nullptr);
        try {
            op_.reverse(in_, xbar(), out_, ybar());
            if (explaining) [[unlikely]] explain_more(", backward " + words(op_.comm.sent() - before), slots_);
        } catch (std::exception const& e) {
            std::fprintf(stderr, "rank %d, on the way back: %s\n", op_.comm.rank(), e.what());
            MPI_Abort(op_.comm.get(), 1);
        }
        each_leaf(
            []<class Leaf>(Leaf& leaf) {
                if constexpr (Leaf::takes_cotangents) leaf.due = true;
            },
            in_.tree);
        give_leaves(in_.tree, x_, xbar());
    }
    void forget() noexcept { forget_loop_result(out_.tree, slots_); }
};

// What Op makes of e: variables of a form, or plain values where e is plain.
template <class Op, class E>
auto exchange(Op op, E const& e) {
    using A = active_element_t<E>;
    using X = state_t<E>;
    constexpr bool state = differentiable<X> && find_is_state<X>();
    static_assert(state, "xgrad[E311]: what ranks exchange is required to be numbers, arrays, or structs, tuples and std::arrays of them, but it is something "
                         "else: pass the parts of a container one by one");
    if constexpr (!state) return 0.0;
    else {
        constexpr bool one_type = !std::is_void_v<real_in_t<X>>;
        static_assert(one_type, "xgrad[E312]: what ranks exchange at once is required to have numbers of one floating-point type, but it has several: exchange "
                                "its parts one by one");
        if constexpr (!one_type) return 0.0;
        else if constexpr (std::is_void_v<A>) return take_primal{}(communication<Op, identity_lift, X>::apply(std::move(op), e));
        else return communication<Op, lift_like<A>, X>::apply(std::move(op), e);
    }
}

}
XGRAD_DETAIL_QUIET_END
