// Defines row_port<P, M, L>, the slots by which the body of a scan sees a row of an active array, and rows_type, what a row of an array is.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/loops/port.hpp>
#include <xgrad/scope/operand/give_each.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class T, int R>
struct row_of_rank { using type = typename primal_of<T, R - 1>::type; };
template <class T>
struct row_of_rank<T, 1> { using type = T; };
template <class T>
struct row_of_rank<T, dynamic_rank> { using type = typename primal_of<T, dynamic_rank>::type; };
// What stands behind one index of an array P.
template <class P>
using row_t = typename row_of_rank<array_element_t<P>, rank_of<P>>::type;

template <int R>
constexpr int rank_of_row = R == dynamic_rank ? dynamic_rank : R - 1;
template <int R>
extents<rank_of_row<R>> shape_of_row(extents<R> const& all) {
    extents<rank_of_row<R>> s;
    s.set_rank(all.rank() - 1);
    for (int d = 1; d < all.rank(); ++d) s[d - 1] = all[d];
    return s;
}
template <int R>
extents<R == dynamic_rank ? R : R + 1> shape_of_rows(std::size_t n, extents<R> const& row) {
    extents<R == dynamic_rank ? R : R + 1> s;
    s.set_rank(row.rank() + 1);
    s[0] = n;
    for (int d = 0; d < row.rank(); ++d) s[d + 1] = row[d];
    return s;
}

// As loop_port, of one row of an array, whose rows lie one behind the other: turn_to(i) chooses one.
template <class P, class M, class L>
struct row_port;
template <class M, class L>
struct to_row_port {
    template <class P>
    using type = row_port<std::remove_cvref_t<P>, M, L>;
};
template <class M, class L>
struct to_row_handle {
    template <class P>
    static consteval auto find() {
        if constexpr (number_array<P>) return type_tag<handle_t<row_t<P>, M, L>>{};
        else return type_tag<typename parts<P>::template rebind<to_row_handle>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};
template <class M, class L>
inline constexpr bool makes_active<to_row_handle<M, L>> = true;
template <class M, class L>
inline constexpr bool stands_for_structs<to_row_handle<M, L>> = true;

template <number_array P, class M, class L>
struct row_port<P, M, L> {
    using primal = P;
    using T = typename L::template type<array_element_t<P>>;
    static constexpr bool takes_cotangents = true;
    std::size_t first = 0, n = 0, i = 0;
    bool due = false;
    loop_port<row_t<P>, M, L> row;
    static constexpr bool is_number = perturbable_number<row_t<P>>;

    template <class V>
    void measure(V const& v, state_layout& l) {
        auto const shape = v.extent();
        n = shape[0];
        if constexpr (!is_number) {
            row.shape = shape_of_row(shape);
            row.count = element_count(row.shape);
        }
        first = l.add(n * row.size() * sizeof(T), 64);
    }
    std::size_t rows() const noexcept { return n; }
    memory_t<T> all(std::byte* p) const noexcept { return memory_in<T>(p + first, n * row.size()); }
    XGRAD_DETAIL_INLINE memory_t<T> memory(std::byte* p) const noexcept { return all(p) + i * row.size(); }
    XGRAD_DETAIL_INLINE void open(context& c) { row.open(c); }
    XGRAD_DETAIL_INLINE void enter(std::byte* x, std::byte* xbar) noexcept { enter_at(all(x), xbar ? all(xbar) : memory_t<T>(nullptr)); }
    // The same of all rows.
    XGRAD_DETAIL_INLINE void enter_at(memory_t<T> x, memory_t<T> xbar) noexcept {
        auto const from = static_cast<std::ptrdiff_t>(i * row.size());
        if constexpr (is_number) {
            row.s.value = T(x[from]);
            row.s.cotangent = T(0);
            row.s.has_cotangent = false;
        } else row.enter_at(x + from, xbar ? xbar + from : xbar);
    }
    XGRAD_DETAIL_INLINE bool came() const noexcept { return row.came(); }
    bool is_owed() const noexcept { return row.is_owed(); }
    // What came, times g; zero where nothing came.
    template <class G>
    XGRAD_DETAIL_INLINE void leave(std::byte* xbar, G const& g) noexcept {
        if constexpr (is_number && std::is_same_v<G, no_factor>) memory(xbar)[0] = row.s.cotangent;
        else if constexpr (is_number) memory(xbar)[0] = T(row.s.cotangent * g);
        else {
            row.leave(nullptr);
            if constexpr (!std::is_same_v<G, no_factor>) {
                auto const to = memory(xbar);
                for (std::size_t k = 0; k < row.count; ++k) to[k] = T(T(to[k]) * g);
            }
        }
    }
    XGRAD_DETAIL_INLINE auto handle() { return row.handle(); }
};
template <class P, class M, class L>
    requires(!is_leaf<P>)
struct row_port<P, M, L> {
    using primal = P;
    typename parts<P>::template rebind<to_row_port<M, L>> parts_here{};

    auto handle() {
        return parts<P>::template make<typename to_row_handle<M, L>::template type<P>>([](auto& part) -> decltype(auto) { return part.handle(); }, parts_here);
    }
};

// Whether P is an array of numbers, or a struct of such: something that has rows.
template <class P>
consteval bool find_has_rows() {
    if constexpr (number_array<P>) return rank_of<P> != 0;
    else if constexpr (!differentiable<P> || is_leaf<P>) return false;
    else if constexpr (!fixed_form<P>) return false;
    else return []<class... Q>(type_list<Q...>) { return (find_has_rows<std::remove_cv_t<Q>>() && ...); }(typename parts<P>::types{});
}

}
XGRAD_DETAIL_QUIET_END
