// Defines extents<R>: the shape (or the strides) of an array of R dimensions, R known at compile time or dynamic.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/rule/inline.hpp>

namespace xgrad {

// Number of dimensions that is only known at run time (xt::xarray).
inline constexpr int dynamic_rank = -1;

// A number of dimensions as a type, so that every active type has type parameters only.
template <int R>
using rank_c = std::integral_constant<int, R>;

inline constexpr int max_dynamic_rank = 16;

template <int R, class I = std::size_t>
struct extents {
    static constexpr int capacity = R;
    std::array<I, static_cast<std::size_t>(R)> n{};

    static constexpr int rank() { return R; }
    static constexpr void set_rank(int) {}
    constexpr I& operator[](int d) { return n[static_cast<std::size_t>(d)]; }
    constexpr I const& operator[](int d) const { return n[static_cast<std::size_t>(d)]; }
    constexpr auto begin() const { return n.begin(); }
    constexpr auto end() const { return n.end(); }
    constexpr std::size_t size() const { return n.size(); }
    friend constexpr bool operator==(extents const&, extents const&) = default;
};

template <class I>
struct extents<dynamic_rank, I> {
    static constexpr int capacity = max_dynamic_rank;
    std::array<I, max_dynamic_rank> n{};
    int count = 0;

    constexpr int rank() const { return count; }
    constexpr void set_rank(int r) {
        if (r > max_dynamic_rank) throw std::invalid_argument("xgrad[E221]: an array of dynamic rank has at most 16 dimensions, found " + std::to_string(r));
        count = r;
    }
    constexpr I& operator[](int d) { return n[static_cast<std::size_t>(d)]; }
    constexpr I const& operator[](int d) const { return n[static_cast<std::size_t>(d)]; }
    constexpr auto begin() const { return n.begin(); }
    constexpr auto end() const { return n.begin() + count; }
    constexpr std::size_t size() const { return static_cast<std::size_t>(count); }
    friend constexpr bool operator==(extents const& a, extents const& b) {
        if (a.count != b.count) return false;
        for (int d = 0; d < a.count; ++d)
            if (a[d] != b[d]) return false;
        return true;
    }
};

template <int R>
using strides = extents<R, std::ptrdiff_t>;

// The number of elements of an array of this shape; 1 for rank 0.
template <int R>
constexpr std::size_t element_count(extents<R> const& s) {
    std::size_t c = 1;
    for (int d = 0; d < s.rank(); ++d) c *= s[d];
    return c;
}

// Row-major strides; a dimension of one element has stride 0, as in xtensor.
template <int R>
constexpr strides<R> row_major_strides(extents<R> const& s) {
    strides<R> r;
    r.set_rank(s.rank());
    std::ptrdiff_t step = 1;
    for (int d = s.rank() - 1; d >= 0; --d) {
        r[d] = s[d] == 1 ? 0 : step;
        step *= static_cast<std::ptrdiff_t>(s[d]);
    }
    return r;
}

// True where elements of this shape and these strides lie one after the other in row-major order; where there are none strides mean nothing.
template <int R>
constexpr bool is_contiguous(extents<R> const& s, strides<R> const& t) {
    if (element_count(s) == 0) return true;
    std::ptrdiff_t step = 1;
    for (int d = s.rank() - 1; d >= 0; --d) {
        if (s[d] != 1 && t[d] != step) return false;
        step *= static_cast<std::ptrdiff_t>(s[d]);
    }
    return true;
}

template <int R, class I>
std::string to_string(extents<R, I> const& s);

namespace detail {
// a b, or the greatest number, which no memory has room for, where that has none.
constexpr std::size_t checked_product(std::size_t a, std::size_t b) noexcept {
    std::size_t p = 0;
    return __builtin_mul_overflow(a, b, &p) ? static_cast<std::size_t>(-1) : p;
}
constexpr std::size_t checked_sum(std::size_t a, std::size_t b) noexcept {
    std::size_t p = 0;
    return __builtin_add_overflow(a, b, &p) ? static_cast<std::size_t>(-1) : p;
}
// f(i, offset) for each element of an array, row by row; of one that lies in one piece in one loop.
template <int R, class F>
void for_each_offset(extents<R> const& shape, strides<R> const& stride, F f) {
    std::size_t i = 0;
    if (is_contiguous(shape, stride)) {
        for (std::size_t const n = element_count(shape); i < n; ++i) f(i, static_cast<std::ptrdiff_t>(i));
        return;
    }
    auto walk = [&](auto const& self, int d, std::ptrdiff_t offset) -> void {
        if (d == shape.rank()) f(i++, offset);
        else
            for (std::size_t j = 0; j < shape[d]; ++j) self(self, d + 1, offset + static_cast<std::ptrdiff_t>(j) * stride[d]);
    };
    walk(walk, 0, 0);
}

// Throws std::length_error where no memory has room for an array of this shape.
template <int R>
void require_room(char const* call, extents<R> const& s) {
    std::size_t bytes = 16;
    for (int d = 0; d < s.rank(); ++d) {
        if (s[d] == 0) return;
        bytes = checked_product(bytes, s[d]);
    }
    if (bytes > static_cast<std::size_t>(-1) / 2)
        throw std::length_error(std::string("xgrad[E223]: ") + call + " requires a result that fits into memory, found the shape " + to_string(s) +
                                ": compute it in parts");
}
}

namespace detail {
template <class I>
[[gnu::cold, gnu::noinline]] std::string text_of_shape(I const* n, int rank) {
    std::string r = "(";
    for (int d = 0; d < rank; ++d) r.append(d ? ", " : "").append(std::to_string(n[d]));
    return r.append(rank == 1 ? ",)" : ")");
}
}
template <int R, class I>
std::string to_string(extents<R, I> const& s) {
    return detail::text_of_shape(s.n.data(), s.rank());
}

// In the place of rank_c<R>: a shape that is known at compile time, of an array that lies in row-major order.
template <std::size_t... N>
struct static_extents {
    static constexpr int value = sizeof...(N);
    static constexpr std::size_t size = (N * ... * 1);
    static constexpr extents<value> shape{{N...}};
    static constexpr strides<value> stride = row_major_strides(shape);
};
// Above this many elements there is nothing to gain from it.
inline constexpr std::size_t most_static_elements = 64;

namespace detail {
// An array of no more elements fits in few registers: its loops are written out, and scoped functions keep it on their stack.
inline constexpr std::size_t most_unrolled = 16;
// f(0), ..., f(N - 1). A compiler that meets no index it does not know keeps small arrays in registers.
template <std::size_t N, class F>
XGRAD_DETAIL_INLINE constexpr void for_each_index(F const& f) {
    if constexpr (N <= most_unrolled)
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA { (f(I), ...); }(std::make_index_sequence<N>{});
    else
        for (std::size_t i = 0; i < N; ++i) f(i);
}
}

// Whether an operand of this type is an array of a fixed shape, A::shape_type.
template <class A>
inline constexpr bool has_static_shape = requires { A::shape_type::shape; };

// The shape_type of A, or what stands for a rank alone.
namespace detail {
template <bool Fixed>
struct shape_or_rank {
    template <class A>
    using type = rank_c<A::rank>;
};
template <>
struct shape_or_rank<true> {
    template <class A>
    using type = typename A::shape_type;
};
}
template <class A>
using shape_or_rank_t = typename detail::shape_or_rank<has_static_shape<A>>::template type<A>;

// What arrays of fixed shapes broadcast to, beside numbers: rank_c<R> where they do not, or to many elements.
namespace detail {
template <int R, class... A>
struct fixed_broadcast {
    static constexpr extents<R> found = [] {
        extents<R> s{};
        s.n.fill(1);
        auto const take = [&s](auto const& a) {
            for (int d = 0; d < a.rank(); ++d) {
                auto& n = s[d + R - a.rank()];
                if (a[d] == 1 || n == a[d]) continue;
                n = n == 1 ? a[d] : 0;
            }
        };
        auto const take_shape = [&take]<class X>(std::type_identity<X>) {
            if constexpr (X::rank != 0) take(X::shape_type::shape);
        };
        (take_shape(std::type_identity<A>{}), ...);
        return s;
    }();
    template <std::size_t... I>
    static auto find(std::index_sequence<I...>) {
        if constexpr ((found.n[I] * ... * 1) - 1 < most_static_elements) return static_extents<found.n[I]...>{};
        else return rank_c<R>{};
    }
    using shape_type = decltype(find(std::make_index_sequence<static_cast<std::size_t>(R)>{}));
};
template <bool Fixed>
struct broadcast_shape {
    template <int R, class... A>
    using type = rank_c<R>;
};
template <>
struct broadcast_shape<true> {
    template <int R, class... A>
    using type = typename fixed_broadcast<R, A...>::shape_type;
};
}
template <int R, class... A>
using broadcast_shape_t = typename detail::broadcast_shape<(R > 0) && ((A::rank == 0 || has_static_shape<A>) && ...)>::template type<R, A...>;

}
