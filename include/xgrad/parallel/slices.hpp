// Defines slices, the items of a function of whole pieces: few ranges of indices, or the rows of arrays cut into as many pieces.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/parallel/items.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Items [begin, end) of a range.
struct slice {
    std::size_t begin = 0, end = 0;
    constexpr std::size_t size() const noexcept { return end - begin; }
};

namespace detail {

class index_slices {
public:
    explicit index_slices(std::size_t n) noexcept {
        chunk_cut const cut(n);
        for (; count_ < cut.count; ++count_) all_[count_] = {cut.first(count_), cut.last(count_)};
    }
    std::size_t size() const noexcept { return count_; }
    slice const* begin() const noexcept { return all_.data(); }
    slice const* end() const noexcept { return all_.data() + count_; }

private:
    std::array<slice, chunk_cut::most> all_;
    std::size_t count_ = 0;
};

// The rows of an X; what has a name is referred to.
template <class X>
struct row_slices {
    X x;
};

// What the verbs ask of types and values: items as they are without slices.
template <class X>
struct without_slices { using type = X; };
template <class X>
struct without_slices<row_slices<X>> { using type = std::remove_cvref_t<X>; };
template <class... X>
struct without_slices<std::tuple<X...>> { using type = std::tuple<typename without_slices<std::remove_cvref_t<X>>::type...>; };
template <class X>
using without_slices_t = typename without_slices<std::remove_cvref_t<X>>::type;
template <class X>
decltype(auto) whole_items(X const& x) {
    if constexpr (is_std_tuple<X>) return call_with([](auto const&... part) { return std::tuple<decltype(whole_items(part))...>(whole_items(part)...); }, x);
    else if constexpr (!std::is_same_v<without_slices_t<X>, X>) return std::as_const(x.x);
    else return (x);
}

// As row_port, of piece number i of an array.
template <class P, class M, class L>
struct piece_port;
template <class M, class L>
struct to_piece_port {
    template <class P>
    using type = piece_port<std::remove_cvref_t<P>, M, L>;
};
// Pieces differ in their number of rows, which is in no type.
template <class P>
using piece_of = typename primal_of<array_element_t<P>, rank_of<P>>::type;
template <class M, class L>
struct to_piece_handle {
    template <class P>
    static consteval auto find() {
        if constexpr (number_array<P>) return type_tag<handle_t<piece_of<P>, M, L>>{};
        else return type_tag<typename parts<P>::template rebind<to_piece_handle>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};
template <class M, class L>
inline constexpr bool makes_active<to_piece_handle<M, L>> = true;
template <class M, class L>
inline constexpr bool stands_for_structs<to_piece_handle<M, L>> = true;

template <number_array P, class M, class L>
struct piece_port<P, M, L> {
    using primal = P;
    using T = typename L::template type<array_element_t<P>>;
    static constexpr bool takes_cotangents = true;
    std::size_t at = 0, n = 0, of_row = 0, i = 0;
    loop_port<piece_of<P>, M, L> piece;

    template <class V>
    void measure(V const& v, state_layout& l) {
        piece.shape = v.extent();
        n = piece.shape[0];
        of_row = n == 0 ? 0 : element_count(piece.shape) / n;
        at = l.add(n * of_row * sizeof(T), 64);
    }
    std::size_t rows() const noexcept { return n; }
    memory_t<T> all(std::byte* p) const noexcept { return memory_in<T>(p + at, n * of_row); }
    void open(context& c) { piece.open(c); }
    void enter_at(memory_t<T> x, memory_t<T> xbar) noexcept {
        chunk_cut const cut(n);
        std::size_t const first = cut.first(i);
        piece.shape[0] = cut.last(i) - first;
        piece.count = piece.shape[0] * of_row;
        piece.s->shape = piece.shape;
        piece.s->stride = row_major_strides(piece.shape);
        piece.s->size = piece.count;
        auto const from = static_cast<std::ptrdiff_t>(first * of_row);
        piece.enter_at(x + from, xbar + from);
    }
    bool came() const noexcept { return piece.came(); }
    bool is_owed() const noexcept { return piece.is_owed(); }
    template <class G>
    void leave(std::byte* xbar, G const& g) noexcept {
        piece.leave(nullptr);
        if constexpr (!std::is_same_v<G, no_factor>) {
            auto const to = all(xbar) + static_cast<std::ptrdiff_t>(chunk_cut(n).first(i) * of_row);
            for (std::size_t k = 0; k < piece.count; ++k) to[k] = T(T(to[k]) * g);
        }
    }
    auto handle() { return piece.handle(); }
};
template <class P, class M, class L>
    requires(!is_leaf<P>)
struct piece_port<P, M, L> {
    using primal = P;
    typename parts<P>::template rebind<to_piece_port<M, L>> parts_here{};

    auto handle() {
        using H = typename to_piece_handle<M, L>::template type<P>;
        return parts<P>::template make<H>([](auto& part) -> decltype(auto) { return part.handle(); }, parts_here);
    }
};

// The pieces of active arrays.
template <class X, class M, class L, bool Again>
    requires holds_active<std::remove_cvref_t<X>>
class parallel_items<row_slices<X>, M, L, Again> : public active_items<std::remove_cvref_t<X>, L, piece_port<state_t<std::remove_cvref_t<X>>, M, L>> {
    using base = active_items<std::remove_cvref_t<X>, L, piece_port<state_t<std::remove_cvref_t<X>>, M, L>>;

public:
    parallel_items(row_slices<X> const& s, context& c) : base(s.x, c) {}
    std::size_t cut_rows() { return this->rows(); }
    std::size_t size() { return chunk_cut(cut_rows()).count; }
};

}

// As the items of a parallel verb: the range [0, n) in at most 64 slices of one length, of which the last may be shorter, cut by n alone. Each part of the verb
// computes with whole arrays where it would go through items one by one.
inline auto slices(std::integral auto n) { return detail::index_slices(static_cast<std::size_t>(n)); }
// The rows of x, cut in the same way: f gets pieces of an array, active or plain, structs of pieces of a struct of arrays, spans of a container of constants;
// of several x... std::tuples of them. What comes to a piece of an active array goes to its own place, so that the gradient of x is there once, not once for
// each thread. Where the x... have different numbers of rows the verb throws std::invalid_argument (E326).
template <class X>
    requires(!std::integral<std::remove_cvref_t<X>>)
auto slices(X&& x) {
    return detail::row_slices<X>{std::forward<X>(x)};
}
template <class X, class Y, class... Z>
auto slices(X&& x, Y&& y, Z&&... z) {
    return std::tuple(slices(std::forward<X>(x)), slices(std::forward<Y>(y)), slices(std::forward<Z>(z))...);
}

}
XGRAD_DETAIL_QUIET_END
