// Defines pack_t<T, W>: W neighbouring elements of a kernel (an xsimd batch, or T itself where W is 1), and how they meet memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <xgrad/host.hpp>
#include <xgrad/rule/inline.hpp>
#include <xgrad/rule/memory.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The number of elements of T that a kernel computes at once.
template <class T>
inline constexpr std::size_t lanes = 1;
template <>
inline constexpr std::size_t lanes<float> = xsimd::batch<float>::size;
template <>
inline constexpr std::size_t lanes<double> = xsimd::batch<double>::size;

// Duals are computed as many at once as their primals.
template <class P, std::size_t N, class Tag>
inline constexpr std::size_t lanes<dual<P, N, Tag>> = lanes<P>;

namespace detail {
template <class T, std::size_t W>
struct pack_impl { using type = xsimd::batch<T>; };
template <class T>
struct pack_impl<T, 1> { using type = T; };
template <class P, std::size_t N, class Tag, std::size_t W>
    requires(W != 1)
struct pack_impl<dual<P, N, Tag>, W> { using type = dual<typename pack_impl<P, W>::type, N, Tag>; };
}

template <class T, std::size_t W>
using pack_t = typename detail::pack_impl<T, W>::type;

template <class P>
concept batch = requires { typename P::batch_bool_type; };

// The element type of a pack.
template <class P>
struct lane_type { using type = P; };
template <batch P>
struct lane_type<P> { using type = typename P::value_type; };
// what a pack of duals is made of is told by its literals alone
template <number_dual P>
struct lane_type<P> { using type = scalar_of_t<P>; };
template <class P>
using lane_type_t = typename lane_type<P>::type;

// What one lane of a pack is: of a pack of duals a dual.
template <class P>
struct lane_number { using type = P; };
template <batch P>
struct lane_number<P> { using type = typename P::value_type; };
template <class P, std::size_t N, class Tag>
struct lane_number<dual<P, N, Tag>> { using type = dual<typename lane_number<P>::type, N, Tag>; };
template <class P>
using lane_number_t = typename lane_number<P>::type;

// Whether a number is a pack, or a dual of packs: the numbers of a function that xgrad::map runs in lanes.
template <class T>
inline constexpr bool is_pack = batch<T>;
template <class P, std::size_t N, class Tag>
inline constexpr bool is_pack<dual<P, N, Tag>> = is_pack<P>;

namespace detail {
// In some lanes of a pack nothing goes back where in others something does: what is 0 there must not have become NaN on its way.
inline constinit thread_local bool lanes_are_masked = false;

// The lanes of a pack disagreed about what C++ decides once for all of them: what the function computed of them is of no use.
inline constinit thread_local bool lanes_disagree = false;

// Lanes, a bit for each, that have left a loop whose other lanes go on: what is computed of them counts for nothing, and decides nothing.
inline constinit thread_local std::uint64_t lanes_left = 0;
class leaving_lanes {
public:
    explicit leaving_lanes(std::uint64_t lanes) noexcept : before_(std::exchange(lanes_left, lanes_left | lanes)) {}
    leaving_lanes(leaving_lanes const&) = delete;
    ~leaving_lanes() { lanes_left = before_; }

private:
    std::uint64_t before_;
};

// What is said, lane by lane, of the first lane that counts; others may disagree with it.
template <std::size_t W, class Say>
auto first_of_lanes(Say const& say) {
    std::size_t first = 0;
    while (first + 1 < W && (lanes_left >> first & 1u)) ++first;
    auto const answer = say(first);
    for (std::size_t j = first + 1; j < W; ++j)
        if (!(lanes_left >> j & 1u) && say(j) != answer) lanes_disagree = true;
    return answer;
}
// What a comparison says of all lanes; where they disagree what it says of the first.
template <class C>
XGRAD_DETAIL_INLINE bool decide(C const& c) {
    if constexpr (std::is_same_v<C, bool>) return c;
    else {
        bool const all = xsimd::all(c);
        if (all == xsimd::any(c)) [[likely]] return all;
        bool lane[C::size];
        c.store_unaligned(lane);
        return first_of_lanes<C::size>([&lane](std::size_t j) { return lane[j]; });
    }
}
// Whether a derivative lets anything through in some lane.
template <class C>
XGRAD_DETAIL_INLINE bool is_open_somewhere(C const& open) {
    if constexpr (std::is_same_v<C, bool>) return open;
    else {
        bool const some = xsimd::any(open);
        if (some && !xsimd::all(open)) lanes_are_masked = true;
        return some;
    }
}
// What a comparison of packs gives: asked for one bool it decides for all lanes.
template <class C>
struct lane_mask {
    using pack_type = typename C::batch_type;
    C lanes;
    XGRAD_DETAIL_INLINE operator bool() const { return decide(lanes); }
    // 1 where it holds, and 0 elsewhere.
    XGRAD_DETAIL_INLINE pack_type as_numbers() const {
        using T = lane_type_t<pack_type>;
        return xsimd::select(lanes, pack_type(T(1)), pack_type(T(0)));
    }
};
template <class C>
inline constexpr bool is_lane_mask = false;
template <class C>
inline constexpr bool is_lane_mask<lane_mask<C>> = true;

// The number that is in all lanes; where there are several that of the first.
template <class P>
XGRAD_DETAIL_INLINE auto only_number(P const& x) {
    if constexpr (!batch<P>) return x;
    else {
        alignas(64) lane_type_t<P> lane[P::size];
        x.store_aligned(lane);
        return first_of_lanes<P::size>([&lane](std::size_t j) { return lane[j]; });
    }
}
}

template <class T, std::size_t W>
XGRAD_DETAIL_INLINE pack_t<T, W> load(memory_t<T const> p) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        pack_t<T, W> x(load<P, W>(p.primal()));
        for (std::size_t k = 0; k < T::count; ++k) x.direction(k) = load<P, W>(p.direction(k));
        return x;
    } else if constexpr (W == 1) return *p;
    else return pack_t<T, W>::load_unaligned(p);
}

template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void store(memory_t<T> p, pack_t<T, W> const& x) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        store<P, W>(p.primal(), x.primal);
        for (std::size_t k = 0; k < T::count; ++k) store<P, W>(p.direction(k), x.direction(k));
    } else if constexpr (W == 1) *p = x;
    else x.store_unaligned(p);
}

// One number in all lanes.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE pack_t<T, W> broadcast_lanes(T const& x) {
    if constexpr (W == 1) return x;
    else if constexpr (number_dual<T>) return detail::embed<pack_t<T, W>>(x);
    else return pack_t<T, W>(x);
}

// The lanes, one by one.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void store_lanes(T* t, pack_t<T, W> const& x) {
    if constexpr (W == 1) *t = x;
    else if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        P one[W];
        store_lanes<P, W>(one, x.primal);
        for (std::size_t j = 0; j < W; ++j) t[j].primal = one[j];
        for (std::size_t i = 0; i < T::count; ++i) {
            store_lanes<P, W>(one, x.direction(i));
            for (std::size_t j = 0; j < W; ++j) t[j].direction(i) = one[j];
        }
    } else x.store_unaligned(t);
}

// Lane j is at p + place[j]: of several lanes at one place all are the same.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE pack_t<T, W> load_lanes_at(memory_t<T const> p, std::ptrdiff_t const* place) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        pack_t<T, W> x(load_lanes_at<P, W>(p.primal(), place));
        for (std::size_t k = 0; k < T::count; ++k) x.direction(k) = load_lanes_at<P, W>(p.direction(k), place);
        return x;
    } else return [&]<std::size_t... J>(std::index_sequence<J...>) XGRAD_DETAIL_LAMBDA { return pack_t<T, W>{p[place[J]]...}; }(std::make_index_sequence<W>{});
}
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void store_lanes_at(memory_t<T> p, std::ptrdiff_t const* place, pack_t<T, W> const& x) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        store_lanes_at<P, W>(p.primal(), place, x.primal);
        for (std::size_t k = 0; k < T::count; ++k) store_lanes_at<P, W>(p.direction(k), place, x.direction(k));
    } else {
        T t[W];
        store_lanes<T, W>(t, x);
        for (std::size_t j = 0; j < W; ++j) p[place[j]] = t[j];
    }
}

// A function that has no accurate SIMD form, lane by lane.
template <class F, class P, class... Q>
XGRAD_DETAIL_INLINE P each_lane(F f, P const& x, Q const&... y) {
    if constexpr (!batch<P>) return f(x, y...);
    else {
        constexpr std::size_t w = P::size;
        using T = lane_type_t<P>;
        alignas(64) T in[1 + sizeof...(Q)][w];
        x.store_aligned(in[0]);
        std::size_t r = 0;
        (y.store_aligned(in[++r]), ...);
        for (std::size_t j = 0; j < w; ++j)
            [&]<std::size_t... I>(std::index_sequence<I...>) { in[0][j] = f(in[0][j], in[I + 1][j]...); }(std::index_sequence_for<Q...>{});
        return P::load_aligned(in[0]);
    }
}

// c ? a : b, for a scalar and, lane by lane, for a batch; of duals the tangents, too.
template <class C, class A>
XGRAD_DETAIL_INLINE A choose(C const& c, A const& a, A const& b) {
    if constexpr (std::is_same_v<C, bool>) return c ? a : b;
    else if constexpr (number_dual<A>) {
        A r(choose(c, a.primal, b.primal));
        for (std::size_t k = 0; k < A::count; ++k) r.direction(k) = choose(c, a.direction(k), b.direction(k));
        return r;
    } else if constexpr (batch<A>) return xsimd::select(c, a, b);
    else return c ? a : b;
}

// c ? a : 0. With AVX-512 it is part of the instruction that computes a, and elsewhere a bitwise and, where a comparison is a register of all bits.
template <class C, class A>
XGRAD_DETAIL_INLINE A choose_or_zero(C const& c, A const& a) {
#if XSIMD_WITH_AVX512F
    if constexpr (batch<A>) {
        if constexpr (std::is_same_v<lane_type_t<A>, double> && A::size == 8) return _mm512_maskz_mov_pd(c.data, a);
        else if constexpr (std::is_same_v<lane_type_t<A>, float> && A::size == 16) return _mm512_maskz_mov_ps(c.data, a);
    }
#endif
    if constexpr (batch<A>) {
        if constexpr (sizeof(c) == sizeof(a) && requires { A(c.data); }) return a & A(c.data);
        else return choose(c, a, A(lane_type_t<A>(0)));
    } else if constexpr (number_dual<A>) return choose(c, a, A(lane_type_t<A>(0)));
    else return c ? a : A(lane_type_t<A>(0));
}

// Whether x is another number than 0, or none: what xsimd's own != says of what is no number differs from one instruction set to the other, and its ! takes
// several instructions.
template <batch A>
XGRAD_DETAIL_INLINE auto is_not_zero(A const& x) {
    using T = lane_type_t<A>;
    A const zero(T(0));
#if XSIMD_WITH_AVX
    using M = typename A::batch_bool_type;
    if constexpr (std::is_same_v<T, double> && A::size == 4 && sizeof(M) == sizeof(A)) return M(_mm256_cmp_pd(x, zero, _CMP_NEQ_UQ));
    else if constexpr (std::is_same_v<T, float> && A::size == 8 && sizeof(M) == sizeof(A)) return M(_mm256_cmp_ps(x, zero, _CMP_NEQ_UQ));
    else
#endif
        return !(x == zero);
}

// Whether a comparison holds: in every lane of a pack.
template <class C>
XGRAD_DETAIL_INLINE bool holds_everywhere(C const& c) {
    if constexpr (std::is_same_v<C, bool>) return c;
    else return xsimd::all(c);
}

// The constant c as what x is: a scalar, a batch, a dual.
template <class P>
XGRAD_DETAIL_INLINE constexpr P literal(P const&, double c) { return P(static_cast<lane_type_t<P>>(c)); }
template <class P>
XGRAD_DETAIL_INLINE constexpr P one(P const& x) { return literal(x, 1.0); }
template <class P>
XGRAD_DETAIL_INLINE constexpr P zero(P const& x) { return literal(x, 0.0); }

}
XGRAD_DETAIL_QUIET_END
