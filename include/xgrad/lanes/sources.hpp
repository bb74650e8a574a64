// Defines rows_of, whole_of, constants_of and plain_of: what a map holds of its arguments, and each_of and pick_of, by which users say how they are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/scope/node/make_formula.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// each<N>(x) and pick<N>(x, index), as the call writes them. What has a name is referred to.
template <std::size_t N, class X>
struct each_of {
    static constexpr std::size_t length = N;
    X x;
};
template <std::size_t N, class X, class I>
struct pick_of {
    static constexpr std::size_t length = N;
    X x;
    I index;
};

// Item i is row i.
struct in_turn {
    static constexpr bool is_row = true;
    std::ptrdiff_t first = 0;
    std::ptrdiff_t operator[](std::size_t i) const noexcept { return static_cast<std::ptrdiff_t>(i); }
    // Those from item i on, of which dense(j) is the j-th where they are dense.
    static constexpr bool is_dense() noexcept { return true; }
    XGRAD_DETAIL_INLINE in_turn from(std::size_t i) const noexcept { return {static_cast<std::ptrdiff_t>(i)}; }
    XGRAD_DETAIL_INLINE std::ptrdiff_t dense(std::size_t j) const noexcept { return first + static_cast<std::ptrdiff_t>(j); }
};
// Item i is row index(i).
template <class Int>
struct by_index {
    static constexpr bool is_row = false;
    Int const* first;
    std::ptrdiff_t step;
    std::ptrdiff_t operator[](std::size_t i) const noexcept { return static_cast<std::ptrdiff_t>(first[static_cast<std::ptrdiff_t>(i) * step]); }
    XGRAD_DETAIL_INLINE bool is_dense() const noexcept { return step == 1; }
    XGRAD_DETAIL_INLINE by_index from(std::size_t i) const noexcept { return {first + static_cast<std::ptrdiff_t>(i) * step, step}; }
    XGRAD_DETAIL_INLINE std::ptrdiff_t dense(std::size_t j) const noexcept { return static_cast<std::ptrdiff_t>(first[j]); }
};

[[noreturn, gnu::cold, gnu::noinline]] inline void wrong_rows(std::string const& found, std::size_t n) {
    throw std::invalid_argument("xgrad[E241]: map(f, a...) requires for " + (n == 0 ? "each(x) an array with one axis" : "each<" + std::to_string(n) +
                                ">(x) an array with one row of " + std::to_string(n) + " numbers for each item") + ", found the shape " + found +
                                ": write each<N>(x) for rows of N numbers");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void wrong_index(std::string const& index, std::size_t i, std::size_t rows) {
    throw std::out_of_range("xgrad[E242]: pick(x, index) requires indices of the rows of x, found index(" + std::to_string(i) + ") = " + index + " and " +
                            std::to_string(rows) + " rows: count from 0");
}

// Rows of as many numbers as the array's shape says: arrays with an axis less.
inline constexpr std::size_t any_length = static_cast<std::size_t>(-1);

// Which row an item has: I holds the indices, or is void.
template <class I>
struct row_choice {
    I index;
    template <class A>
    std::size_t items(A const&) const {
        return index.extent()[0];
    }
    auto rows() const {
        auto const s = index.source();
        return by_index<typename I::value_type>{s.data, s.stride[0]};
    }
    // Throws what indices show.
    template <class A>
    void check(A const& a) const {
        std::size_t const n = index.extent()[0], all = a.extent()[0];
        auto const r = rows();
        // the greatest of all in SIMD, where one below 0 is greater than any, and only then which
        using Int = typename I::value_type;
        using U = typename std::conditional_t<std::is_same_v<Int, bool>, std::type_identity<unsigned char>, std::make_unsigned<Int>>::type;
        U most = 0;
        if (r.step == 1)
            for (std::size_t i = 0; i < n; ++i) most = std::max(most, static_cast<U>(r.first[i]));
        if (r.step == 1 && most < all && most <= static_cast<U>(std::numeric_limits<Int>::max())) return;
        for (std::size_t i = 0; i < n; ++i)
            if (static_cast<std::size_t>(r[i]) >= all) wrong_index(std::to_string(r[i]), i, all);
    }
};
template <>
struct row_choice<void> {
    template <class A>
    std::size_t items(A const& a) const {
        return a.extent()[0];
    }
    auto rows() const { return in_turn{}; }
    template <class A>
    void check(A const&) const {}
};

// Numbers (N is 0), rows of N numbers, or of any: an array A of which each item has row i, or row index(i) where I holds the indices.
template <class A, std::size_t N, class I = void>
struct rows_of {
    using operand_type = A;
    using value_type = typename A::value_type;
    using lifetime = typename A::lifetime;
    static constexpr bool is_active = A::is_active, has_items = true;
    static constexpr std::size_t length = N;
    static_assert(N == any_length || A::rank == dynamic_rank || A::rank == (N == 0 ? 1 : 2),
                  "xgrad[E161]: map(f, a...) requires for each<N>(x) and pick<N>(x, index) an x with two axes, but this x has another number of axes: write "
                  "each(x) for rows of any shape, or reshape x");
    // the number of axes of a row in memory
    static constexpr int row_rank = N == any_length ? A::rank - 1 : N == 0 ? 0 : 1;
    A a;
    [[no_unique_address]] row_choice<I> choice;

    context* owner() const {
        if constexpr (is_active) return a.owner();
        else return nullptr;
    }
    void prepare() const { a.materialise(); }
    std::size_t items() const { return choice.items(a); }
    auto rows() const { return choice.rows(); }
    // Throws what the values of shapes and indices show.
    void check() const {
        auto const s = a.extent();
        if constexpr (N != any_length)
            if (s.rank() != (N == 0 ? 1 : 2) || (N != 0 && s[1] != N && s[0] != 0)) wrong_rows(to_string(s), N);
        choice.check(a);
    }
};

// An active number or array that all items share.
template <class A>
struct whole_of {
    using operand_type = A;
    using value_type = typename A::value_type;
    using lifetime = typename A::lifetime;
    static constexpr bool is_active = true, has_items = false;
    A a;
    context* owner() const { return a.owner(); }
    void prepare() const { a.materialise(); }
    void check() const { (void)a.extent(); }
};

// A plain number or array that all items share, where derivatives with respect to it are asked for.
template <class A>
struct shared_input : constant_operand<shared_input<A>> {
    using operand_type = A;
    using value_type = typename A::value_type;
    static constexpr bool has_items = false;
    A a;
    explicit shared_input(A x) : a(std::move(x)) {}
    void check() const {}
};

// What has no derivative, an integer say: one for each item, in an array of constants.
template <class A, class I = void>
struct constants_of : constant_operand<constants_of<A, I>> {
    using value_type = typename A::value_type;
    static constexpr bool has_items = true;
    A a;
    [[no_unique_address]] row_choice<I> choice;
    constants_of(A x, row_choice<I> c) : a(std::move(x)), choice(std::move(c)) {}
    std::size_t items() const { return choice.items(a); }
    auto rows() const { return choice.rows(); }
    void check() const {
        if (auto const s = a.extent(); s.rank() != 1) wrong_rows(to_string(s), 0);
        choice.check(a);
    }
};

template <class P>
inline constexpr bool is_reference = false;
template <class P>
inline constexpr bool is_reference<std::reference_wrapper<P>> = true;

// Anything else, which f is given as it is.
template <class P>
struct plain_of : constant_operand<plain_of<P>> {
    using value_type = void;
    static constexpr bool has_items = false;
    explicit plain_of(P p) : x(std::move(p)) {}
    void check() const {}
    auto const& get() const noexcept {
        if constexpr (is_reference<P>) return x.get();
        else return x;
    }

private:
    P x;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void wrong_lengths(std::size_t a, std::size_t b) {
    throw std::invalid_argument("xgrad[E240]: map(f, a...) requires as many items in each each(x) and pick(x, index), found " + std::to_string(a) + " and " +
                                std::to_string(b) + ": take the rows that belong together");
}
// How many items there are: what the first says that says so.
template <class... S>
std::size_t items_of(S const&... s) {
    std::size_t n = 0;
    auto ask = [&n](auto const& one) {
        if constexpr (!std::remove_cvref_t<decltype(one)>::has_items) return false;
        else {
            n = one.items();
            return true;
        }
    };
    (void)(ask(s) || ...);
    return n;
}
// Throws what shapes and indices show.
template <class... S>
void check_sources(S const&... s) {
    (s.check(), ...);
    std::size_t const n = items_of(s...);
    auto agree = [n](auto const& one) {
        if constexpr (std::remove_cvref_t<decltype(one)>::has_items)
            if (one.items() != n) wrong_lengths(n, one.items());
    };
    (agree(s), ...);
}

template <class S>
inline constexpr bool is_rows = false;
template <class A, std::size_t N, class I>
inline constexpr bool is_rows<rows_of<A, N, I>> = true;
// The axes of what lies behind the first one, of which cotangents are added up.
template <class S>
inline constexpr int axes_of_row = 0;
template <class A, std::size_t N, class I>
inline constexpr int axes_of_row<rows_of<A, N, I>> = rows_of<A, N, I>::row_rank;
// Whether each item has a row of its own, which no other adds to.
template <class S>
inline constexpr bool has_own_rows = !S::is_active;
template <class A, std::size_t N>
inline constexpr bool has_own_rows<rows_of<A, N, void>> = true;
template <class S>
inline constexpr bool is_whole = false;
template <class A>
inline constexpr bool is_whole<whole_of<A>> = true;
template <class A>
inline constexpr bool is_whole<shared_input<A>> = true;
template <class S>
inline constexpr bool is_constants = false;
template <class A, class I>
inline constexpr bool is_constants<constants_of<A, I>> = true;

}

}
XGRAD_DETAIL_QUIET_END
