// Defines handle_t<P, M>: the type by which a function in mode M sees an argument of type P, or a part of one.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

#include <xgrad/scope/operand/input.hpp>
#include <xgrad/scope/operand/plain_array.hpp>
#include <xgrad/scope/operand/valued_number.hpp>
#include <xgrad/tangent/mirror.hpp>
#include <xgrad/tangent/tangent_type.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The element types of a call's active values: those of its arguments, or duals of them.
struct identity_lift {
    template <class T>
    using type = T;
    static constexpr bool are_dual = false;
};
template <std::size_t N, class Tag, class Row = void>
struct dual_lift {
    template <class T>
    using type = dual<T, N, Tag>;
    static constexpr bool are_dual = true;
    static constexpr std::size_t count = N;
    using tag = Tag;
    using row_type = Row;  // of the tangents of a gradient with respect to coordinates; void where they are given
};

namespace detail {

// The type of the one part of a container or of a pointer.
template <class P>
consteval auto find_only_part() {
    return []<class Q>(type_list<Q>) { return type_tag<std::remove_cv_t<Q>>{}; }(typename parts<P>::types{});
}
template <class P>
using only_part_t = typename decltype(find_only_part<P>())::type;

// An array of numbers that owns them, with as many as it is told.
template <class P>
concept array_argument = is_plain_container<P> && perturbable_number<typename P::value_type>;
// An array of numbers: that, or of a fixed shape, or a view of somebody else's.
template <class P>
concept number_array = plain_array<P> && has_parts<P> && perturbable_number<std::remove_const_t<typename P::value_type>>;
// An array of structs and the like.
template <class P>
concept array_of_parts = plain_array<P> && has_parts<P> && differentiable<P> && !number_array<P>;

template <class P>
using array_element_t = std::remove_const_t<typename P::value_type>;

// An array that can only have one element is a scalar.
template <class P>
inline constexpr bool is_rank_zero = false;
template <number_array P>
inline constexpr bool is_rank_zero<P> = rank_of<P> == 0;

// A std::vector, list, deque, valarray, span, or the like.
template <class P>
concept sequence = has_parts<P> && differentiable<P> && !plain_array<P> && requires(P& x) {
    requires parts<P>::identity == identified::by_handle || requires { x.resize(x.size()); };
    std::begin(x);
    std::end(x);
};

template <class P>
inline constexpr bool is_pointer_argument = std::is_pointer_v<P>;
template <class P, class D>
inline constexpr bool is_pointer_argument<std::unique_ptr<P, D>> = true;
template <class P>
inline constexpr bool is_pointer_argument<std::shared_ptr<P>> = true;
template <class P>
inline constexpr bool is_pointer_argument<std::reference_wrapper<P>> = true;

template <class P>
concept pointer_argument = is_pointer_argument<P> && has_parts<P> && differentiable<P>;

// The handles of objects belong to the call: what points to them does not own.
struct leave_alone {
    void operator()(void const*) const noexcept {}
};

template <class P, class H>
struct pointer_to {
    using type = H*;
};
template <class P, class D, class H>
struct pointer_to<std::unique_ptr<P, D>, H> {
    using type = std::unique_ptr<H, leave_alone>;
};
template <class P, class H>
struct pointer_to<std::shared_ptr<P>, H> {
    using type = std::shared_ptr<H>;
};
template <class P, class H>
struct pointer_to<std::reference_wrapper<P>, H> {
    using type = std::reference_wrapper<H>;
};

template <class X, class H>
struct array_over;
template <class E, std::size_t N, xt::layout_type L, class Tag, class H>
struct array_over<xt::xtensor_container<E, N, L, Tag>, H> {
    using type = xt::xtensor_adaptor<xt::xbuffer_adaptor<H*, xt::no_ownership, std::allocator<H>>, N, L>;
};
template <class E, xt::layout_type L, class S, class Tag, class H>
struct array_over<xt::xarray_container<E, L, S, Tag>, H> {
    using type = xt::xarray_adaptor<xt::xbuffer_adaptor<H*, xt::no_ownership, std::allocator<H>>, L, S>;
};

// What the type of an array's handle says of its shape: the rank. The room small/ has arrays of which it says all.
template <class P, class M, class L>
struct known_shape { using shape_type = rank_c<rank_of<P>>; };

// Whether a call whose values are on the stack has all of such an argument there: of a number, and of what the room small/ says.
template <class P, class M, class L>
inline constexpr bool is_small_argument = !L::are_dual && perturbable_number<P>;

template <class T, class M>
using number_handle_t = std::conditional_t<std::is_same_v<M, valued>, valued_number<T>, input<T, rank_c<0>, M>>;

// The hint is in the name of the mirrors.
template <class M, class L, hint Hint>
struct to_handle;
template <class M, class L>
using to_handles = to_handle<M, L, "xgrad[E144]: not in XGRAD_REFLECT">;
template <class M, class L, hint Hint>
inline constexpr bool stands_for_structs<to_handle<M, L, Hint>> = true;

// As an alternative of a variant, or in a container of one's own, what has no tangent is a copy: a reference could not be there.
template <class M, class L>
struct to_contained_handle {
    template <class P>
    using type = std::remove_cvref_t<typename to_handles<M, L>::template type<P>>;
};

// What a function sees of a sequence whose elements it sees as H: a span, with at(i) as a std::vector has it.
template <class H>
class sequence_handle : public std::span<H const> {
public:
    using std::span<H const>::span;
    H const& at(std::size_t i) const {
        if (i >= this->size())
            throw std::out_of_range("xgrad[E204]: x.at(i) requires an index inside of x, found " + std::to_string(i) + " of " + std::to_string(this->size()) +
                                    ": count from 0");
        return (*this)[i];
    }
    // Refused: an argument has the elements that it has.
    template <class... E>
    void push_back(E&&...) const { refuse_change<E...>(); }
    template <class... E>
    void emplace_back(E&&...) const { refuse_change<E...>(); }
    template <class... E>
    void pop_back(E&&...) const { refuse_change<E...>(); }
    template <class... E>
    void resize(E&&...) const { refuse_change<E...>(); }
    template <class... E>
    void insert(E&&...) const { refuse_change<E...>(); }
    template <class... E>
    void erase(E&&...) const { refuse_change<E...>(); }
    template <class... E>
    void clear(E&&...) const { refuse_change<E...>(); }

private:
    template <class... E>
    static void refuse_change() {
        static_assert(never<H, E...>, "xgrad[E146]: x.push_back(e), x.resize(n) and their like require a sequence of f's own, but x is an argument, which f "
                                      "only reads: begin with auto v = variables(x), a std::vector of variables");
    }
};

}
// Its parts are those of the span.
template <class H>
struct parts<detail::sequence_handle<H>> : parts<std::span<H const>> {};
namespace detail {

template <class M, class L, hint Hint>
struct to_handle {
    template <class P>
    static consteval auto find() {
        if constexpr (!differentiable<P>) return type_tag<P const&>{};
        else if constexpr (perturbable_number<P>) return type_tag<number_handle_t<typename L::template type<P>, M>>{};
        else if constexpr (number_array<P>)
            return type_tag<input<typename L::template type<array_element_t<P>>, typename known_shape<P, M, L>::shape_type, M>>{};
        else if constexpr (sequence<P>) return type_tag<sequence_handle<typename to_handle::template type<only_part_t<P>>>>{};
        else if constexpr (pointer_argument<P>)
            return type_tag<typename pointer_to<P, std::remove_reference_t<typename to_handle::template type<only_part_t<P>>> const>::type>{};
        else if constexpr (array_of_parts<P>) return type_tag<typename array_over<P, typename to_handle::template type<only_part_t<P>>>::type>{};
        else if constexpr (requires { typename parts<P>::is_seen_without_names; }) return type_tag<typename parts<P>::template seen_by<to_handle>>{};
        else if constexpr (fixed_form<P>) return type_tag<typename parts<P>::template rebind<to_handle>>{};
        else return type_tag<typename parts<P>::template rebind<to_contained_handle<M, L>>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};

}

// Names, keys and indices are those of P:
//   a number, an array       input<T, rank, M>, an active value; so, too, a view of an array; an array of fixed shape has that in the place of the rank;
//                            where nothing goes backward a number is a valued_number<T>
//   a struct                 its mirror: the same field names; tuples and the like are of the same kind, a struct without a macro is a std::tuple
//   vector, list, deque ...  a std::span<handle const>, with at(i)
//   map, optional, variant   the same container of handles, by value
//   unique_ptr, shared_ptr   one to a handle, which it does not own; likewise reference_wrapper and P*
//   what has no tangent      P const&; in a variant a copy
// L says whether T is the argument's own, or a dual of it.
template <class P, class M, class L = identity_lift>
using handle_t = typename detail::to_handles<M, L>::template type<P>;

}

template <class H>
inline constexpr bool std::ranges::enable_view<xgrad::detail::sequence_handle<H>> = true;
template <class H>
inline constexpr bool std::ranges::enable_borrowed_range<xgrad::detail::sequence_handle<H>> = true;
XGRAD_DETAIL_QUIET_END
