// Defines items_of_list and leaf_of_list: one part of each element of a container of structs, as an array with a row for each element.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/loops/state.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/node/make_formula.hpp>
#include <xgrad/scope/node/stack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// A struct, a tuple, or an array of a few things: something with parts, whose number the type says.
template <class U>
inline constexpr bool has_tuple_size = requires { std::tuple_size<U>::value; };
template <class U>
concept struct_like = !active<U> && !plain_array<U> && (has_fields<U> || has_tuple_size<std::remove_cv_t<U>>);

// The parts of a struct, and of the structs in it what has no parts, in order.
template <class U>
auto parts_in_turn(U& u) {
    if constexpr (has_fields<U>) return fields(u);
    else return detail::call_with([](auto&... part) { return std::tie(part...); }, u);
}
template <class U>
auto leaves_of(U& u) {
    if constexpr (!struct_like<U>) return std::tuple<U&>(u);
    else return detail::call_with([](auto&... part) { return std::tuple_cat(leaves_of(part)...); }, parts_in_turn(u));
}
template <class U>
inline constexpr std::size_t count_of_leaves = std::tuple_size_v<decltype(leaves_of(std::declval<U&>()))>;
template <class U, std::size_t K>
using leaf_at = std::remove_cvref_t<std::tuple_element_t<K, decltype(leaves_of(std::declval<U&>()))>>;

// A container of anything but numbers that lie one after the other, which are an array.
template <class X>
concept list_of_items = !plain_array<X> && !active<X> && std::ranges::sized_range<X> && std::ranges::forward_range<X>;
template <class X>
using item_of_list = std::remove_cvref_t<std::ranges::range_value_t<X>>;
template <class X>
concept list_of_numbers_only = list_of_items<X> && std::is_arithmetic_v<item_of_list<X>>;

// What f sees of a part that is plain.
template <class P>
inline constexpr bool is_plain_part = std::is_trivially_copyable_v<P> && requires(P const& a) { static_cast<bool>(a == a); };
template <class P>
    requires plain_array<P>
inline constexpr bool is_plain_part<P> = number_array<P> && rank_of<P> != dynamic_rank;
template <class U, std::size_t... K>
consteval bool find_is_item(std::index_sequence<K...>) {
    auto one = []<class L>(type_tag<L>) {
        if constexpr (active<L>) return true;
        else return is_plain_part<L>;
    };
    return (one(type_tag<leaf_at<U, K>>{}) && ...);
}
template <class U>
inline constexpr bool is_item = find_is_item<U>(std::make_index_sequence<count_of_leaves<U>>{});

// Part K of each element of a container that lasts as long as the call, and of one of the function's own, what is owed to it.
template <class H, std::size_t K>
struct leaves_in_argument {
    std::span<H const> all;
    std::size_t size() const noexcept { return all.size(); }
    auto operator[](std::size_t i) const { return std::get<K>(leaves_of(all[i])).operand(); }
};
template <class Ref>
struct leaves_kept {
    std::vector<Ref> all;
    std::size_t size() const noexcept { return all.size(); }
    Ref const& operator[](std::size_t i) const { return all[i]; }
};
struct items_of_list {
    static constexpr char const* name = "each(v)";
};
[[noreturn, gnu::cold, gnu::noinline]] inline void list_of_other_shapes(std::string const& a, std::string const& b) {
    throw std::invalid_argument("xgrad[E243]: map(f, a...) requires arrays of one shape in the elements of a container, found " + a + " and " + b +
                                ": map each shape on its own");
}
template <class E>
struct element_inside { using type = std::remove_const_t<typename E::value_type>; };
// Whether the elements of an array lie in the object itself.
template <class E>
inline constexpr bool has_elements_inside = false;
template <class T, std::size_t... N, xt::layout_type L, bool Sharable, class Tag>
inline constexpr bool has_elements_inside<xt::xfixed_container<T, xt::fixed_shape<N...>, L, Sharable, Tag>> = L == xt::layout_type::row_major;

}

// y[i, ...] = part of x[i]: each element's cotangent is a row of ȳ.
template <class Leaves>
struct node<detail::items_of_list, Leaves> {
    using Ref = std::remove_cvref_t<decltype(std::declval<Leaves const&>()[0])>;
    using value_type = typename Ref::value_type;
    using T = value_type;
    using lifetime = counted;
    static constexpr int rank = Ref::rank == dynamic_rank ? dynamic_rank : Ref::rank + 1;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;

    Leaves x;
    context* c;

    node(Leaves all, context& call) : x(std::move(all)), c(&call) {}
    context* owner() const { return c; }
    void prepare() const { (void)extent(); }
    extents<rank> extent() const {
        extents<rank> s{};
        if constexpr (Ref::rank == 0) s[0] = x.size();
        else if (x.size() == 0) s.set_rank(std::max(Ref::rank, 0) + 1);
        else {
            auto const first = x[0].extent();
            s.set_rank(first.rank() + 1);
            s[0] = x.size();
            for (int d = 0; d < first.rank(); ++d) s[d + 1] = first[d];
            for (std::size_t i = 1; i < x.size(); ++i)
                if (!detail::covers(first, x[i].extent())) detail::list_of_other_shapes(to_string(first), to_string(x[i].extent()));
        }
        return s;
    }
    template <class Slot>
    void evaluate(Slot& y) const {
        std::size_t const size = x.size() == 0 ? 0 : y.size / x.size();
        for (std::size_t i = 0; i < x.size(); ++i) {
            if constexpr (Ref::rank == 0) y.value[i] = x[i].forward();
            else xgrad::evaluate(x[i], x[i].extent(), y.value + i * size);
        }
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        std::size_t const size = x.size() == 0 ? 0 : y.size / x.size();
        for (std::size_t i = 0; i < x.size(); ++i) {
            if constexpr (Ref::rank == 0) x[i].add(T(y.cotangent[i]));
            else pull_back(x[i], x[i].extent(), memory_t<T const>(nullptr), memory_t<T const>(y.cotangent + i * size));
        }
    }
};

namespace detail {

template <class E>
inline constexpr int rank_of_rows = 1;
template <plain_array E>
inline constexpr int rank_of_rows<E> = rank_of<E> + 1;

// Part K of the elements of x, as an operand of a map whose numbers are like T. Where x is promised not to change it is not copied, if that can be.
template <class T, std::size_t K, class X>
auto leaf_of_list(X const& x, context& c, bool is_promised) {
    using H = item_of_list<X>;
    using E = leaf_at<H, K>;
    std::size_t const n = std::ranges::size(x);
    if constexpr (active<E>) {
        auto formula_of = [&c]<class L>(L all) { return formula<items_of_list, L>(std::in_place, std::move(all), c); };
        if constexpr (std::is_base_of_v<std::span<H const>, X>) return formula_of(leaves_in_argument<H, K>{x});
        else {
            leaves_kept<std::remove_cvref_t<decltype(std::declval<E const&>().operand())>> kept;
            kept.all.reserve(n);
            for (auto const& one : x) kept.all.push_back(std::get<K>(leaves_of(one)).operand());
            return formula_of(std::move(kept));
        }
    } else {
        constexpr bool is_array = plain_array<E>;
        using P = typename std::conditional_t<is_array, element_inside<E>, type_tag<E>>::type;
        using U = std::conditional_t<std::is_floating_point_v<P>, scalar_of_t<T>, P>;
        constexpr int rank = rank_of_rows<E>;
        extents<rank> shape{};
        shape[0] = n;
        std::size_t count = 1;
        if constexpr (is_array)
            if (n != 0) {
                auto const first = shape_of<rank - 1>(std::get<K>(leaves_of(*std::ranges::begin(x))));
                for (int d = 0; d < rank - 1; ++d) shape[d + 1] = first[d];
                count = element_count(first);
            }
        // a part of a struct in its place
        if constexpr (std::ranges::contiguous_range<X> && std::is_same_v<P, U> && sizeof(H) % sizeof(U) == 0 && (!is_array || has_elements_inside<E>))
            if (is_promised && n != 0) {
                auto const& first = std::get<K>(leaves_of(*std::ranges::data(x)));
                auto stride = row_major_strides(shape);
                if (n != 1) stride[0] = sizeof(H) / sizeof(U);
                U const* data = nullptr;
                if constexpr (is_array) data = first.data();
                else data = &first;
                return constant_array<U, rank, block>(block(), data, shape, stride);
            }
        block b(c, n * count * sizeof(U));
        U* const data = static_cast<U*>(b.get());
        U* to = data;
        for (auto&& one : x) {
            if constexpr (is_array) {
                auto const& a = std::get<K>(leaves_of(one));
                if (auto const s = shape_of<rank - 1>(a); element_count(s) != count) list_of_other_shapes(to_string(shape), to_string(s));
                for (auto it = a.template begin<xt::layout_type::row_major>(), end = a.template end<xt::layout_type::row_major>(); it != end; ++it)
                    *to++ = static_cast<U>(*it);
            } else if constexpr (struct_like<H>) new (to++) U(static_cast<U>(std::get<K>(leaves_of(one))));
            else new (to++) U(static_cast<U>(one));
        }
        return constant_array<U, rank, block>(std::move(b), data, shape, row_major_strides(shape));
    }
}

}

}
XGRAD_DETAIL_QUIET_END
