// Defines element_iterator, and how one element of an active array is taken: x(i...), x.at(i...), x.flat(i).
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <utility>

#include <xgrad/rule/identity.hpp>
#include <xgrad/scope/node/evaluated_number.hpp>
#include <xgrad/scope/operand/slot_view.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// A temporary, whose slot goes with it.
template <class E>
inline constexpr bool is_stacked_array = false;
template <class Op, class... A>
    requires(node<Op, A...>::rank != 0)
inline constexpr bool is_stacked_array<formula<Op, A...>> = lies_on_stack<node<Op, A...>>;

// What an expression holds of an active array that it only reads in parts: a handle, or a debt. What is one already stays.
template <class E>
XGRAD_DETAIL_INLINE auto part_source(E&& e) {
    if constexpr (is_stacked_array<E>) {
        if (e.is_empty()) moved_from();
        return in_workspace(std::move(e));
    } else if constexpr (active<E>) return e.share();
    else return std::remove_cvref_t<E>(std::forward<E>(e));
}

}

namespace detail {
// The element that lies there in what S holds: a part of it, or, where nothing goes backward, its value.
template <class S>
XGRAD_DETAIL_INLINE auto element_at(S const& s, std::ptrdiff_t offset) {
    if constexpr (!is_valued<S>) return make_slot_view(s, offset, extents<0>{}, strides<0>{});
    else {
        using T = typename S::value_type;
        if constexpr (is_slot_view<S>) return valued_number<T>(T(s.viewed().get()->value[s.offset() + offset]));
        else return valued_number<T>(T(s.get()->value[offset]));
    }
}
// What its elements are read in: an argument is in its place where nothing goes backward.
template <class E>
XGRAD_DETAIL_INLINE decltype(auto) element_source(E&& e) {
    if constexpr (is_valued<std::remove_cvref_t<E>> && requires { e.argument(); }) return (e.checked());
    else return part_source(std::forward<E>(e));
}
// What an iterator D is that knows its place by an index.
template <class D>
class index_iterator {
public:
    index_iterator() = default;
    explicit index_iterator(std::ptrdiff_t i) : i_(i) {}
    D& operator+=(std::ptrdiff_t n) {
        i_ += n;
        return static_cast<D&>(*this);
    }
    D& operator-=(std::ptrdiff_t n) { return *this += -n; }
    D& operator++() { return *this += 1; }
    D& operator--() { return *this -= 1; }
    D operator++(int) {
        D before = static_cast<D&>(*this);
        ++i_;
        return before;
    }
    D operator--(int) {
        D before = static_cast<D&>(*this);
        --i_;
        return before;
    }
    friend D operator+(D a, std::ptrdiff_t n) { return a += n; }
    friend D operator+(std::ptrdiff_t n, D a) { return a += n; }
    friend D operator-(D a, std::ptrdiff_t n) { return a -= n; }
    friend std::ptrdiff_t operator-(D const& a, D const& b) { return place(a) - place(b); }
    friend bool operator==(D const& a, D const& b) { return place(a) == place(b); }
    friend auto operator<=>(D const& a, D const& b) { return place(a) <=> place(b); }

protected:
    std::ptrdiff_t index() const noexcept { return i_; }

private:
    std::ptrdiff_t i_ = 0;
    static std::ptrdiff_t place(index_iterator const& a) noexcept { return a.i_; }
};
}

// Goes through the elements of an array that S holds, in row-major or column-major order. What it gives is an active value of its own,
// so to algorithms older than ranges it is an input iterator.
template <class S, bool Columns>
class element_iterator : public detail::index_iterator<element_iterator<S, Columns>> {
public:
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::random_access_iterator_tag;
    using value_type = decltype(detail::element_at(std::declval<S const&>(), 0));
    using difference_type = std::ptrdiff_t;
    using reference = value_type;
    using pointer = void;

    element_iterator() = default;
    element_iterator(S s, std::ptrdiff_t i) : detail::index_iterator<element_iterator>(i), source_(std::move(s)) {}

    value_type operator*() const { return (*this)[0]; }
    value_type operator[](std::ptrdiff_t n) const {
        auto const& shape = source_.extent();
        auto const& step = detail::steps_of(source_);
        auto i = static_cast<std::size_t>(this->index() + n);
        std::ptrdiff_t offset = 0;
        for (int k = 1, r = shape.rank(); k <= r; ++k) {
            int const d = Columns ? k - 1 : r - k;
            offset += static_cast<std::ptrdiff_t>(k == r ? i : i % shape[d]) * step[d];
            if (k != r) i /= shape[d];
        }
        return detail::element_at(source_, offset);
    }

private:
    S source_;
};

namespace detail {
template <int R, class... I>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_indices(extents<R> const& s, I... i) {
    throw std::out_of_range("xgrad[E204]: x(i...) requires indices inside the shape of x, found " + to_string(indices(i...)) + " and " + to_string(s) +
                            ": count from 0");
}
// f(d, index) for each index into the shape s, which are as many as its dimensions; periodic ones are counted on from both ends.
template <bool Periodic, int R, class F, class... I>
XGRAD_DETAIL_INLINE void for_indices(extents<R> const& s, F const& f, I... i) {
    if (s.rank() != static_cast<int>(sizeof...(I))) [[unlikely]] refuse_indices(s, i...);
    int d = 0;
    auto const step = [&](std::ptrdiff_t at) XGRAD_DETAIL_LAMBDA {
        auto const n = static_cast<std::ptrdiff_t>(s[d]);
        if constexpr (Periodic)
            if (n != 0) at = (at % n + n) % n;
        if (at < 0 || at >= n) [[unlikely]] refuse_indices(s, i...);
        f(d++, at);
    };
    (step(static_cast<std::ptrdiff_t>(i)), ...);
}
// Where the element with this list of indices lies.
template <int R, class J>
std::ptrdiff_t offset_by(extents<R> const& s, strides<R> const& t, J const& index) {
    extents<dynamic_rank, std::ptrdiff_t> at{};
    at.set_rank(0);
    bool fits = std::ranges::distance(index) <= max_dynamic_rank;
    if (fits)
        for (auto i : index) {
            at.set_rank(at.rank() + 1);
            at[at.rank() - 1] = static_cast<std::ptrdiff_t>(i);
        }
    if (!fits || !is_inside(s, at))
        throw std::out_of_range("xgrad[E204]: x[{i...}] requires indices inside the shape of x, one for each axis, found " + to_string(at) + " and " +
                                to_string(s) + ": count from 0");
    std::ptrdiff_t offset = 0;
    for (int d = 0; d < s.rank(); ++d) offset += at[d] * t[d];
    return offset;
}
template <int R>
void require_element(extents<R> const& s, std::size_t i) {
    if (i >= element_count(s))
        throw std::out_of_range("xgrad[E206]: x.flat(i), x.front() and x.back() require an element that is there, found none in an array of shape " +
                                to_string(s) + ": i is from 0 to x.size() - 1");
}
// The place in row-major order of the i-th element in column-major order.
template <int R>
std::size_t place_in_rows(extents<R> const& s, std::size_t i) {
    std::size_t row = 0;
    extents<R> at = s;
    for (int d = 0; d < s.rank(); ++d) {
        at[d] = i % s[d];
        i /= s[d];
    }
    for (int d = 0; d < s.rank(); ++d) row = row * s[d] + at[d];
    return row;
}
// Whether elements of this shape and these strides lie one after the other in column-major order.
template <int R>
bool lies_in_columns(extents<R> const& s, strides<R> const& t) {
    std::ptrdiff_t next = 1;
    for (int d = 0; d < s.rank(); ++d) {
        if (s[d] != 1 && t[d] != next) return false;
        next *= static_cast<std::ptrdiff_t>(s[d]);
    }
    return true;
}
}

template <class D, class T, int R>
template <bool Periodic, class E, class... I>
XGRAD_DETAIL_INLINE auto array_interface<D, T, R>::element_of(E&& e, I... i) {
    if constexpr (sizeof...(I) == 0 && R == 0) return std::remove_cvref_t<E>(std::forward<E>(e));
    else {
        static_assert(R == dynamic_rank || sizeof...(I) == R,
                      "xgrad[E023]: x(i...) requires one index for each dimension of x: give as many indices as x.dimension()");
        auto&& p = detail::element_source(std::forward<E>(e));
        std::ptrdiff_t offset = 0;
        detail::for_indices<Periodic>(p.extent(), [&](int d, std::ptrdiff_t at) XGRAD_DETAIL_LAMBDA { offset += at * detail::steps_of(p)[d]; }, i...);
        return detail::element_at(p, offset);
    }
}
template <class D, class T, int R>
template <class J>
auto array_interface<D, T, R>::element_by(J const& index) const {
    auto const p = detail::part_source(self());
    return detail::element_at(p, detail::offset_by(p.extent(), detail::steps_of(p), index));
}
template <class D, class T, int R>
template <xt::layout_type L>
auto array_interface<D, T, R>::iterator_at(bool end) const {
    auto p = detail::part_source(self());
    auto const n = end ? static_cast<std::ptrdiff_t>(element_count(p.extent())) : 0;
    return element_iterator<decltype(p), L == xt::layout_type::column_major>(std::move(p), n);
}
template <class D, class T, int R>
template <bool InMemory, class E>
auto array_interface<D, T, R>::nth(E&& e, std::size_t i) {
    auto const p = detail::part_source(std::forward<E>(e));
    auto const s = p.extent();
    detail::require_element(s, i);
    if constexpr (InMemory)
        if (detail::lies_in_columns(s, detail::steps_of(p))) return detail::element_at(p, static_cast<std::ptrdiff_t>(i));
    return element_iterator<std::remove_const_t<decltype(p)>, false>(p, static_cast<std::ptrdiff_t>(i))[0];
}

}
XGRAD_DETAIL_QUIET_END
