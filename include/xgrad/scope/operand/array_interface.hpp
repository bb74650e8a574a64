// Defines array_interface: what a user's function can ask of an active value: its shape, its elements.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/host.hpp>
#include <xgrad/rule/extents.hpp>
#include <xgrad/scope/operand/plain_array.hpp>
#include <xgrad/tangent/mirror.hpp>
#include <xgrad/tangent/tangent_type.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
template <class...>
inline constexpr bool never = false;

template <class P>
inline constexpr bool is_plain_container = false;
template <class C, xt::layout_type L, class S, class G>
inline constexpr bool is_plain_container<xt::xarray_container<C, L, S, G>> = true;
template <class C, std::size_t N, xt::layout_type L, class G>
inline constexpr bool is_plain_container<xt::xtensor_container<C, N, L, G>> = true;
template <class T, class S, xt::layout_type L, bool Sharable, class G>
inline constexpr bool is_plain_container<xt::xfixed_container<T, S, L, Sharable, G>> = true;

template <class... I>
extents<dynamic_rank, std::ptrdiff_t> indices(I... i) { return {{static_cast<std::ptrdiff_t>(i)...}, sizeof...(I)}; }
template <int R>
bool is_inside(extents<R> const& s, extents<dynamic_rank, std::ptrdiff_t> const& at) {
    bool fits = s.rank() == at.rank();
    for (int d = 0; fits && d < at.rank(); ++d) fits = at[d] >= 0 && static_cast<std::size_t>(at[d]) < s[d];
    return fits;
}
}

namespace detail {
// An index that is a list: of as many integers as there are dimensions.
template <class J>
concept index_list = std::ranges::forward_range<J const> && std::integral<std::ranges::range_value_t<J const>>;
}

// Where argument-dependent lookup finds functions of active values whose names mean something else in xgrad: real and imag.
namespace spelling {
template <class D>
struct names {};
}

// What can be asked of an active value: its shape, its elements. D is the active type, T its element type, R its rank.
template <class D, class T, int R>
class array_interface : spelling::names<D> {
public:
    // The extents; as in xtensor a reference that lives as long as the value (a formula is evaluated for it).
    auto const& shape() const {
        auto const& s = stored_extents();
        if constexpr (R == dynamic_rank) return s;
        else return s.n;
    }
    std::size_t shape(std::size_t d) const {
        auto const s = self().extent();
        if (d >= s.size()) throw std::out_of_range("xgrad[E205]: shape(" + std::to_string(d) + ") requires an axis of an array of shape " + to_string(s));
        return s[static_cast<int>(d)];
    }
    std::size_t dimension() const { return static_cast<std::size_t>(self().extent().rank()); }
    std::size_t size() const { return element_count(self().extent()); }

    // One element, active; the scalar itself where there are no dimensions.
    template <std::integral... I>
        requires(R != 0 || sizeof...(I) == 0)
    XGRAD_DETAIL_INLINE auto operator()(I... i) const& { return element_of<false>(self(), i...); }
    template <std::integral... I>
        requires(R != 0 || sizeof...(I) == 0)
    XGRAD_DETAIL_INLINE auto operator()(I... i) && { return element_of<false>(static_cast<D&&>(*this), i...); }
    // Refused, so that `requires { x(0); }` is false: a number has no elements.
    template <detail::hint Why = "xgrad[E023]: this x is a number, it has no elements", std::integral... I>
        requires(R == 0 && sizeof...(I) != 0)
    void operator()(I... i) const = delete;
    template <std::integral I>
    XGRAD_DETAIL_INLINE auto operator[](I i) const&
        requires(R == 1 || R == dynamic_rank)
    {
        return element_of<false>(self(), i);
    }
    template <std::integral I>
    XGRAD_DETAIL_INLINE auto operator[](I i) &&
        requires(R == 1 || R == dynamic_rank)
    {
        return element_of<false>(static_cast<D&&>(*this), i);
    }
    // The same by a list of indices: x[{0, 1}], or an array of them.
    template <std::integral I>
        requires(R != 0)
    auto operator[](std::initializer_list<I> index) const { return element_by(index); }
    template <detail::index_list J>
        requires(R != 0)
    auto operator[](J const& index) const { return element_by(index); }
    template <std::integral... I>
    XGRAD_DETAIL_INLINE auto at(I... i) const& { return element_of<false>(self(), i...); }
    template <std::integral... I>
    XGRAD_DETAIL_INLINE auto at(I... i) && { return element_of<false>(static_cast<D&&>(*this), i...); }
    // The same of the array repeated without end in all directions: -1 is the last index.
    template <std::integral... I>
    auto periodic(I... i) const& { return element_of<true>(self(), i...); }
    template <std::integral... I>
    auto periodic(I... i) && { return element_of<true>(static_cast<D&&>(*this), i...); }
    // Refused: an index that is no integer.
    template <class... I>
        requires(!(std::integral<I> && ...))
    double operator()(I const&...) const { return refuse_index<I...>(); }
    template <class I>
        requires(!std::integral<I> && !detail::index_list<I>)
    double operator[](I const&) const { return refuse_index<I>(); }
    template <std::integral... I>
    bool in_bounds(I... i) const { return detail::is_inside(self().extent(), detail::indices(i...)); }

    // Of a complex number, as std::complex has them; real(z) and imag(z) are there for arrays, too.
    auto real() const
        requires(R == 0 && detail::is_complex_number<T>);
    auto imag() const
        requires(R == 0 && detail::is_complex_number<T>);

    // All elements, each active, in the order in which xtensor goes through arrays: row by row, unless L says otherwise.
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto begin() const { return iterator_at<L>(false); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto end() const { return iterator_at<L>(true); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto cbegin() const { return iterator_at<L>(false); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto cend() const { return iterator_at<L>(true); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto rbegin() const { return std::make_reverse_iterator(iterator_at<L>(true)); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto rend() const { return std::make_reverse_iterator(iterator_at<L>(false)); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto crbegin() const { return std::make_reverse_iterator(iterator_at<L>(true)); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto crend() const { return std::make_reverse_iterator(iterator_at<L>(false)); }
    // The first and the last of them, and the i-th in memory: of a column-major array column by column, of a part with gaps row by row. What is computed
    // lies row by row, also where xtensor would read its own expression of column-major arrays column by column.
    auto front() const&
        requires(R != 0)
    {
        return nth<false>(self(), 0);
    }
    auto front() &&
        requires(R != 0)
    {
        return nth<false>(static_cast<D&&>(*this), 0);
    }
    auto back() const&
        requires(R != 0)
    {
        return nth<false>(self(), size() - 1);
    }
    auto back() &&
        requires(R != 0)
    {
        return nth<false>(static_cast<D&&>(*this), size() - 1);
    }
    auto flat(std::size_t i) const&
        requires(R != 0)
    {
        return nth<true>(self(), i);
    }
    auto flat(std::size_t i) &&
        requires(R != 0)
    {
        return nth<true>(static_cast<D&&>(*this), i);
    }

    // An active value does not turn into a plain one: its derivative would be lost without a word.
    // No template for numbers: so this is the one conversion that std::exp(x), c ? a : b and a <=> b find, where several would be ambiguous.
    operator double() const {
        static_assert(detail::never<D>, "xgrad[E020]: a plain number requires a plain value, but this one is active: write auto or xgrad::variable for double, "
                                        "exp(x) for std::exp(x), c ? variable(a) : variable(b) for c ? a : b, or xgrad::primal(x) to drop its derivative");
        return {};
    }
    template <class P>
        requires(detail::plain_scalar<P> && !std::is_arithmetic_v<P>)
    operator P() const {
        static_assert(detail::never<P>, "xgrad[E020]: a plain number requires a plain value, but this one is active: write auto or xgrad::variable for double, "
                                        "exp(x) for std::exp(x), c ? variable(a) : variable(b) for c ? a : b, or xgrad::primal(x) to drop its derivative");
        return P{};
    }
    template <class P>
        requires(detail::is_plain_container<P>)
    operator P() const {
            static_assert(detail::never<P>, "xgrad[E021]: a plain array requires plain values, but these are active: write auto or xgrad::variable to keep "
                                            "the derivative, xgrad::primal(x) to drop it");
            return P{};
    }

protected:
    // Refused: a value of another type. A class that declares an assignment of its own declares this one, too.
    template <class E>
    static D& refuse_assignment_of_another(D& s) {
        static_assert(detail::never<E>, "xgrad[E141]: s = e requires for s a variable, but s is an argument, a field or an expression, whose type is that of "
                                        "one expression: begin with xgrad::variable s = x, or, for a struct, auto m2 = variables(m)");
        return s;
    }

private:
    template <class... I>
    static double refuse_index() {
        static_assert(detail::never<I...>, "xgrad[E140]: x(i...) and x[i] require integers, but an index is active, a fraction or something else: take "
                                           "int(xgrad::primal(i)) of an active one, view(x, slices...) for parts of x");
        return {};
    }
    D const& self() const noexcept { return static_cast<D const&>(*this); }
    extents<R> const& stored_extents() const {
        if constexpr (R == 0) {
            static constexpr extents<0> none{};
            return none;
        } else return self().stored_extent();
    }
    template <bool Periodic, class E, class... I>
    static auto element_of(E&& e, I... i);
    template <class J>
    auto element_by(J const& index) const;
    template <xt::layout_type L>
    auto iterator_at(bool end) const;
    template <bool InMemory, class E>
    static auto nth(E&& e, std::size_t i);
};

}
XGRAD_DETAIL_QUIET_END
