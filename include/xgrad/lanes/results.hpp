// Defines results_of<T, R>: how a map computes one number for each item, or those of an R, and where they lie in its array.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/lists.hpp>
#include <xgrad/lanes/loop.hpp>
#include <xgrad/lanes/turned_rows.hpp>
#include <xgrad/loops/form.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// How many numbers an R has, whose parts are numbers and arrays of fixed shape with one axis; none where it has others.
template <class P>
consteval std::size_t numbers_of_part() {
    if constexpr (std::is_floating_point_v<P>) return 1;
    else if constexpr (number_array<P>)
        if constexpr (std::is_floating_point_v<array_element_t<P>> && shape_by_type<P>::is_known && rank_of<P> == 1) return shape_by_type<P>::get()[0];
        else return 0;
    else return 0;
}
template <class R>
consteval std::size_t find_count_of_results() {
    std::size_t n = 0;
    bool all = true;
    auto add = [&](std::size_t k) {
        n += k;
        all = all && k != 0;
    };
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        (add(numbers_of_part<leaf_at<R, K>>()), ...);
    }(std::make_index_sequence<count_of_leaves<R>>{});
    return all ? n : 0;
}
template <class R>
inline constexpr std::size_t count_of_results = find_count_of_results<R>();
template <>
inline constexpr std::size_t count_of_results<void> = 1;

// Whether they are the columns of one array, and not an array for each.
template <class R>
inline constexpr bool is_array_of_results = false;
template <class T, std::size_t N>
inline constexpr bool is_array_of_results<std::array<T, N>> = std::is_floating_point_v<T>;
template <class T, std::size_t... N, xt::layout_type L, bool Sharable, class Tag>
inline constexpr bool is_array_of_results<xt::xfixed_container<T, xt::fixed_shape<N...>, L, Sharable, Tag>> = true;

// f that gives several results, and does not declare them, as one that does: they are delivered while what they are made of is there.
template <class F, class R>
class giving {
public:
    explicit giving(F f) : f_(std::move(f)) {}
    template <class... H>
        requires std::is_invocable_v<F const&, H const&...>
    result<R> operator()(H const&... h) const {
        return result<R>(f_(h...));
    }

private:
    F f_;
};
template <class F, class R>
inline constexpr bool is_undeclared<giving<F, R>> = true;

// The struct that a result Q of f has all results in; void where it is one number, and no_results where it is something else.
struct no_results {};
template <class Q>
consteval auto find_results() {
    if constexpr (is_scalar_result<Q>) return type_tag<void>{};
    else if constexpr (declares_parts<Q>)
        return type_tag<std::conditional_t<count_of_results<typename Q::value_type> != 0, typename Q::value_type, no_results>>{};
    else if constexpr (struct_like<Q> && holds_active<Q>) return type_tag<std::conditional_t<count_of_results<state_t<Q>> != 0, state_t<Q>, no_results>>{};
    else return type_tag<no_results>{};
}

// Whether a part is a struct of columns itself.
template <class P>
concept struct_of_columns = struct_like<P> && !is_array_of_results<P>;

// What a map of several results gives: an array of them as it is, otherwise a struct of the columns.
template <class T, class R>
struct to_columns {
    template <class P>
    static consteval auto find() {
        if constexpr (struct_of_columns<P>) return type_tag<typename parts<P>::template rebind<to_columns>>{};
        else return type_tag<variable<xt::xtensor<T, std::is_floating_point_v<P> ? 1 : 2>>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};
template <class T, class R>
inline constexpr bool makes_active<to_columns<T, R>> = true;
template <class T, class R>
inline constexpr bool stands_for_structs<to_columns<T, R>> = true;

// The values of all results of a pack or of an item, and their seeds.
template <class V, class R>
class several_values {
public:
    static constexpr std::size_t count = count_of_results<R>;
    several_values() : values_(memory_in<V>(room_, count)), seeds_(memory_in<V>(room_ + count * sizeof(V), count)) {
        for (std::size_t k = 0; k < 2 * count; ++k) new (room_ + k * sizeof(V)) V(0.0);
    }
    several_values(several_values const&) = delete;
    XGRAD_DETAIL_INLINE V operator[](std::size_t k) const { return V(values_[k]); }
    XGRAD_DETAIL_INLINE void set_seed(std::size_t k, V const& v) { seeds_[k] = v; }
    // Runs f; what is due is pulled by the seeds.
    template <class Call>
    XGRAD_DETAIL_INLINE void compute(Call& call, bool due) {
        delivery<R, lift_like<V>> d;
        std::size_t k = 0;
        each_leaf(
            [&]<class Leaf>(Leaf& leaf) XGRAD_DETAIL_LAMBDA {
                using P = typename Leaf::primal;
                leaf.due = due;
                if constexpr (number_array<P>) {
                    leaf.shape = shape_by_type<P>::get();
                    leaf.value = values_ + static_cast<std::ptrdiff_t>(k);
                    leaf.seed = seeds_ + static_cast<std::ptrdiff_t>(k);
                } else leaf.seed = in_scalars_of<scalar_of_t<typename Leaf::T>>(V(seeds_[k]));
                k += numbers_of_part<P>();
            },
            d);
        bool constants = false;
        call.deliver(d, [&](R const& r) {
            constants = true;
            std::size_t at = 0;
            auto put = [&](auto const& part) {
                if constexpr (plain_array<std::remove_cvref_t<decltype(part)>>)
                    for (auto const v : part) values_[at++] = V(static_cast<scalar_of_t<V>>(v));
                else values_[at++] = V(static_cast<scalar_of_t<V>>(part));
            };
            detail::call_with([&](auto const&... part) { (put(part), ...); }, leaves_of(r));
        });
        if (constants) return;
        k = 0;
        each_leaf(
            [&]<class Leaf>(Leaf& leaf) XGRAD_DETAIL_LAMBDA {
                if constexpr (!number_array<typename Leaf::primal>) values_[k] = in_scalars_of<scalar_of_t<V>>(leaf.value);
                k += numbers_of_part<typename Leaf::primal>();
            },
            d);
    }

private:
    alignas(64) std::byte room_[2 * count * sizeof(V)];
    memory_t<V> values_, seeds_;
};

// One number for each item, in the array y, or where the items are pulled by those in bar.
template <class T, class R = void>
struct results_of : one_result {
    static constexpr int rank = 1;
    memory_t<T> y;
    memory_t<T const> bar;
    results_of(memory_t<T> values, memory_t<T const> cotangents) : y(values), bar(cotangents) {}
    static extents<1> shape(std::size_t n) { return {{n}}; }
    template <class V>
    XGRAD_DETAIL_INLINE void put(std::size_t i, V const& v) const {
        if constexpr (std::is_same_v<V, T>) y[i] = v;
        else store<T, lanes<T>>(y + i, v);
    }
    template <class V>
    XGRAD_DETAIL_INLINE V seed(std::size_t i, V const&) const {
        if constexpr (std::is_same_v<V, T>) return T(bar[i]);
        else return load<T, lanes<T>>(bar + i);
    }
};

// The same in an array of D axes, whose shape the first source has.
template <int D>
struct in_grid {};
template <class R>
inline constexpr bool is_in_grid = false;
template <int D>
inline constexpr bool is_in_grid<in_grid<D>> = true;
template <class T, int D>
struct results_of<T, in_grid<D>> : results_of<T> {
    using results_of<T>::results_of;
    static constexpr int rank = D;
};

// A row of several.
template <class T, class R>
    requires(!std::is_void_v<R> && !is_in_grid<R>)
struct results_of<T, R> {
    static constexpr int rank = 2;
    static constexpr std::size_t count = count_of_results<R>;
    memory_t<T> y;
    memory_t<T const> bar;
    results_of(memory_t<T> values, memory_t<T const> cotangents) : y(values), bar(cotangents) {}
    static extents<2> shape(std::size_t n) { return {{n, count}}; }
    template <class V>
    struct row {
        V y[count];
    };
    template <class Call>
    XGRAD_DETAIL_INLINE auto compute(Call& call, std::size_t i) const {
        using V = typename Call::V;
        constexpr std::size_t W = std::is_same_v<V, T> ? 1 : lanes<T>;
        several_values<V, R> all;
        bool const due(bar);
        if (due) load_dense_rows<T, W>(count, bar + at(i), [&all](std::size_t k, V const& v) XGRAD_DETAIL_LAMBDA { all.set_seed(k, v); });
        all.compute(call, due);
        row<V> r;
        for (std::size_t k = 0; k < count; ++k) r.y[k] = all[k];
        return r;
    }
    template <class V>
    XGRAD_DETAIL_INLINE void put(std::size_t i, row<V> const& v) const {
        constexpr std::size_t W = std::is_same_v<V, T> ? 1 : lanes<T>;
        store_dense_rows<false, T, W>(count, y + at(i), [&v](std::size_t k) XGRAD_DETAIL_LAMBDA { return v.y[k]; });
    }
    template <class V>
    XGRAD_DETAIL_INLINE static V seed(std::size_t, row<V> const&) {
        return V(1.0);
    }

private:
    XGRAD_DETAIL_INLINE static std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i * count); }
};

}
XGRAD_DETAIL_QUIET_END
