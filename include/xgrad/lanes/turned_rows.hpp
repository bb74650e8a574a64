// Defines load_rows and store_rows: how packs meet rows of numbers, lane j row j: pieces of the rows are moved whole, and turned in registers.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/pack_memory.hpp>

// Whether registers are vectors for the compiler, which makes others of their lanes.
#define XGRAD_DETAIL_TURNS_ROWS 0
#if defined(__has_builtin) && (defined(__SSE2__) || defined(__ARM_NEON))
#    if __has_builtin(__builtin_shufflevector)
#        undef XGRAD_DETAIL_TURNS_ROWS
#        define XGRAD_DETAIL_TURNS_ROWS 1
#    endif
#endif

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// f with each index below N, as a constant.
template <std::size_t N, class F>
XGRAD_DETAIL_INLINE void for_each_constant(F const& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA { (f(std::integral_constant<std::size_t, I>()), ...); }(std::make_index_sequence<N>());
}

#if XGRAD_DETAIL_TURNS_ROWS
// N numbers of a row.
template <class T, std::size_t N>
struct piece_impl { using type [[gnu::vector_size(N * sizeof(T))]] = T; };
template <class T, std::size_t N>
using piece = typename piece_impl<T, N>::type;
#endif
// The most numbers of a row that are moved at once: of emulated registers, of duals and of items that go one by one it is one.
template <class T, std::size_t W>
consteval std::size_t find_longest_piece() {
#if XGRAD_DETAIL_TURNS_ROWS
    if constexpr (std::is_floating_point_v<T> && W > 1 && W <= 16)
        if constexpr (requires(pack_t<T, W> const& all, piece<T, W>& x) { x = all.data; }) return W;
#endif
    return 1;
}
template <class T, std::size_t W>
inline constexpr std::size_t longest_piece = find_longest_piece<T, W>();
// Whether rows of L numbers that lie one behind the other are turned as they lie, in L - 1 steps for each register.
template <class T, std::size_t W, std::size_t L>
inline constexpr bool turns_as_it_lies = L > 1 && L < 8 && L < longest_piece<T, W>;

#if XGRAD_DETAIL_TURNS_ROWS

// N lanes, of which lane j is lane At::of(j) of a and b, which are counted one behind the other; -1 is any.
template <class At, std::size_t N, class V>
XGRAD_DETAIL_INLINE auto choose_lanes(V const& a, V const& b) {
    return [&]<std::size_t... J>(std::index_sequence<J...>) XGRAD_DETAIL_LAMBDA {
        return __builtin_shufflevector(a, b, std::integral_constant<int, At::of(static_cast<int>(J))>::value...);
    }(std::make_index_sequence<N>());
}
template <int First>
struct lanes_from {
    static constexpr int of(int j) { return First + j; }
};
// The register that holds pieces of Count rows, from row(first) on each one `step` further.
template <class T, std::size_t N, std::size_t Count, class Row>
XGRAD_DETAIL_INLINE auto join_pieces(Row const& row, std::size_t first, std::size_t step) {
    if constexpr (Count == 1) {
        piece<T, N> v;
        std::memcpy(&v, row(first), sizeof v);
        return v;
    } else {
        auto const a = join_pieces<T, N, Count / 2>(row, first, step), b = join_pieces<T, N, Count / 2>(row, first + step * (Count / 2), step);
        return choose_lanes<lanes_from<0>, N * Count>(a, b);
    }
}
// Of two registers, rows i and i + Step of squares, what these become in the step that turns parts of Step lanes.
template <int W, int Step>
struct upper_row {
    static constexpr int of(int j) { return j & Step ? W + j - Step : j; }
};
template <int W, int Step>
struct lower_row {
    static constexpr int of(int j) { return j & Step ? W + j : j + Step; }
};
// In each group of N lanes of N registers rows and columns change places.
template <class T, std::size_t W, std::size_t N>
XGRAD_DETAIL_INLINE void turn_squares(piece<T, W> (&x)[N]) {
    static_assert(N <= 16);
    for_each_constant<4>([&]<std::size_t B>(std::integral_constant<std::size_t, B>) XGRAD_DETAIL_LAMBDA {
        constexpr std::size_t step = std::size_t{1} << B;
        if constexpr (step < N) {
            for (std::size_t i = 0; i < N; ++i)
                if (!(i & step)) {
                    auto const a = x[i], b = x[i + step];
                    x[i] = choose_lanes<upper_row<static_cast<int>(W), 1 << B>, W>(a, b);
                    x[i + step] = choose_lanes<lower_row<static_cast<int>(W), 1 << B>, W>(a, b);
                }
        }
    });
}
// Of L registers that hold rows of L numbers as they lie in memory, one behind the other, that which holds number K of each row: what register M has of it.
template <int L, int K, int W, int M>
struct number_of_rows {
    static constexpr int of(int j) {
        int const place = j * L + K;
        return place / W == M ? W + place % W : place / W > M ? -1 : M == 1 ? place : j;
    }
};
// The other way round: register K of those that hold the rows as they lie, and what it has of number M.
template <int L, int K, int W, int M>
struct rows_of_numbers {
    static constexpr int of(int j) {
        int const row = (K * W + j) / L, number = (K * W + j) % L;
        return number == M ? W + row : number > M ? -1 : M == 1 ? row : j;
    }
};
// Either, one register after the other.
template <template <int, int, int, int> class At, int K, int W, std::size_t L, class V>
XGRAD_DETAIL_INLINE V register_of(V const (&r)[L]) {
    V x = r[0];
    for_each_constant<L - 1>([&]<std::size_t I>(std::integral_constant<std::size_t, I>) XGRAD_DETAIL_LAMBDA {
        x = choose_lanes<At<static_cast<int>(L), K, W, static_cast<int>(I) + 1>, W>(x, r[I + 1]);
    });
    return x;
}
#endif

// set(k, v) for numbers k, ... of the rows at p + at(j), as many as fit into pieces of N or less.
template <std::size_t N, class T, std::size_t W, class At, class Set>
XGRAD_DETAIL_INLINE void load_pieces(std::size_t k, std::size_t length, memory_t<T const> p, At const& at, Set const& set) {
    for (; k + N <= length; k += N) {
        auto const from = p + static_cast<std::ptrdiff_t>(k);
        if constexpr (N == 1) set(k, read_lanes<T, W>(from, false, at));
#if XGRAD_DETAIL_TURNS_ROWS
        else {
            piece<T, W> x[N];
            for (std::size_t m = 0; m < N; ++m) x[m] = join_pieces<T, N, W / N>([&](std::size_t j) XGRAD_DETAIL_LAMBDA { return from + at(j); }, m, N);
            turn_squares<T, W>(x);
            for (std::size_t m = 0; m < N; ++m) set(k + m, pack_t<T, W>(x[m]));
        }
#endif
    }
    if constexpr (N > 1) load_pieces<N / 2, T, W>(k, length, p, at, set);
}
// set(k, v) with the pack of number k of each row, for rows of `length` numbers at p + at(j).
template <class T, std::size_t W, class At, class Set>
XGRAD_DETAIL_INLINE void load_rows(std::size_t length, memory_t<T const> p, At const& at, Set const& set) {
    load_pieces<longest_piece<T, W>, T, W>(0, length, p, at, set);
}

// The packs get(k) become numbers k, ... of the rows, or are added to them.
template <bool Add, std::size_t N, class T, std::size_t W, class At, class Get>
XGRAD_DETAIL_INLINE void store_pieces(std::size_t k, std::size_t length, memory_t<T> p, At const& at, Get const& get) {
    for (; k + N <= length; k += N) {
        auto const to = p + static_cast<std::ptrdiff_t>(k);
        if constexpr (N == 1 && Add) add_lanes<T, W>(to, false, get(k), at);
        else if constexpr (N == 1) put_lanes<T, W>(to, false, get(k), at);
#if XGRAD_DETAIL_TURNS_ROWS
        else {
            piece<T, W> x[N];
            for (std::size_t m = 0; m < N; ++m) x[m] = get(k + m).data;
            turn_squares<T, W>(x);
            for_each_constant<W>([&]<std::size_t J>(std::integral_constant<std::size_t, J>) XGRAD_DETAIL_LAMBDA {
                piece<T, N> v = choose_lanes<lanes_from<static_cast<int>(J / N * N)>, N>(x[J % N], x[J % N]);
                if constexpr (Add) {
                    piece<T, N> old;
                    std::memcpy(&old, to + at(J), sizeof old);
                    v = old + v;
                }
                std::memcpy(to + at(J), &v, sizeof v);
            });
        }
#endif
    }
    if constexpr (N > 1) store_pieces<Add, N / 2, T, W>(k, length, p, at, get);
}
// The packs get(k) become number k of each row, or are added to it, the first lane first: two rows may be one.
template <bool Add, class T, std::size_t W, class At, class Get>
XGRAD_DETAIL_INLINE void store_rows(std::size_t length, memory_t<T> p, At const& at, Get const& get) {
    store_pieces<Add, longest_piece<T, W>, T, W>(0, length, p, at, get);
}

// Where rows lie that are one behind the other.
XGRAD_DETAIL_INLINE auto row_after_row(std::size_t length) {
    return [length](std::size_t j) XGRAD_DETAIL_LAMBDA { return static_cast<std::ptrdiff_t>(j * length); };
}
// The same for those.
template <class T, std::size_t W, class Set>
XGRAD_DETAIL_INLINE void load_dense_rows(std::size_t length, memory_t<T const> p, Set const& set) {
    bool done = false;
#if XGRAD_DETAIL_TURNS_ROWS
    if constexpr (longest_piece<T, W> != 1) for_each_constant<8>([&]<std::size_t L>(std::integral_constant<std::size_t, L>) XGRAD_DETAIL_LAMBDA {
        if constexpr (turns_as_it_lies<T, W, L>)
            if (length == L) {
                piece<T, W> r[L];
                for (std::size_t m = 0; m < L; ++m) r[m] = load<T, W>(p + static_cast<std::ptrdiff_t>(m * W)).data;
                for_each_constant<L>([&]<std::size_t K>(std::integral_constant<std::size_t, K>) XGRAD_DETAIL_LAMBDA {
                    set(K, pack_t<T, W>(register_of<number_of_rows, static_cast<int>(K), static_cast<int>(W)>(r)));
                });
                done = true;
            }
    });
#endif
    if (!done) load_rows<T, W>(length, p, row_after_row(length), set);
}
template <bool Add, class T, std::size_t W, class Get>
XGRAD_DETAIL_INLINE void store_dense_rows(std::size_t length, memory_t<T> p, Get const& get) {
    bool done = false;
#if XGRAD_DETAIL_TURNS_ROWS
    if constexpr (longest_piece<T, W> != 1) for_each_constant<8>([&]<std::size_t L>(std::integral_constant<std::size_t, L>) XGRAD_DETAIL_LAMBDA {
        if constexpr (turns_as_it_lies<T, W, L>)
            if (length == L) {
                piece<T, W> x[L];
                for (std::size_t k = 0; k < L; ++k) x[k] = get(k).data;
                for_each_constant<L>([&]<std::size_t K>(std::integral_constant<std::size_t, K>) XGRAD_DETAIL_LAMBDA {
                    auto const to = p + static_cast<std::ptrdiff_t>(K * W);
                    pack_t<T, W> const r(register_of<rows_of_numbers, static_cast<int>(K), static_cast<int>(W)>(x));
                    if constexpr (Add) store<T, W>(to, load<T, W>(memory_t<T const>(to)) + r);
                    else store<T, W>(to, r);
                });
                done = true;
            }
    });
#endif
    if (!done) store_rows<Add, T, W>(length, p, row_after_row(length), get);
}

}
#undef XGRAD_DETAIL_TURNS_ROWS
XGRAD_DETAIL_QUIET_END
