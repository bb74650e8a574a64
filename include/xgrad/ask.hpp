// Defines ask: what a function says of every element of active values, which is a plain array of bool, and of numbers a bool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <tuple>
#include <type_traits>

#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/call/variable.hpp>
#include <xgrad/truth_array.hpp>

namespace xgrad::detail {

// Evaluates and owes nothing: a name into its slot, a temporary for this once.
template <class E>
auto scalar_primal(E const& e) {
    if constexpr (std::is_arithmetic_v<E>) return e;
    else if constexpr (is_plain_scalar<E>) return e();
    else if constexpr (is_formula<E>) {
        e.materialise();
        return innermost_primal(e.slot_at()->value);
    } else return innermost_primal(e.share().forward());
}

// The elements of duals without their tangents.
template <class T, int R>
auto primal_elements(array_ref<T const, R> const& a) {
    if constexpr (number_dual<T>) return primal_elements(array_ref<typename T::primal_type const, R>{a.data.primal(), a.shape, a.stride});
    else return a;
}

// What has to be there while the elements of an operand are read, and, by in_memory, where they lie.
template <class E>
auto read_elements(E const& e) {
    if constexpr (is_scalar_operand<E>) return scalar_primal(e);
    else if constexpr (is_cref<E>) return read_elements(e.get());
    else if constexpr (active<E>) {
        if constexpr (is_formula<E>) {
            e.materialise();
            return primal_elements(e.source());
        } else return e.share();
    } else if constexpr (contiguous_storage<E>) {
        using T = std::remove_const_t<typename E::value_type>;
        return array_ref<T const, rank_of<E>>{e.data() + static_cast<std::ptrdiff_t>(e.data_offset()), shape_of<rank_of<E>>(e), strides_of<rank_of<E>>(e)};
    } else return xt::eval(e);
}
template <class V>
auto in_memory(V const& v) {
    if constexpr (std::is_arithmetic_v<V>) return array_ref<V const, 0>{&v, {}, {}};
    else if constexpr (plain_array<V>) return read_elements(v);
    else if constexpr (requires { v.source(); }) return primal_elements(v.source());
    else return v;
}

constexpr int widest(std::initializer_list<int> ranks) {
    int most = 0;
    for (int r : ranks) most = most == dynamic_rank || r == dynamic_rank ? dynamic_rank : std::max(most, r);
    return most;
}

// What f says of numbers; of packs it is asked lane by lane.
template <class F>
struct of_each_lane {
    F f;
    template <class... X>
    bool operator()(X const&... x) const {
        if constexpr ((batch<X> || ...)) {
            return first_of_lanes<std::max({size_of<X>()...})>([&](std::size_t j) -> bool { return f(lane_of(x, j)...); });
        } else return f(x...);
    }

private:
    template <class X>
    static constexpr std::size_t size_of() {
        if constexpr (batch<X>) return X::size;
        else return 1;
    }
    template <class X>
    static auto lane_of(X const& x, std::size_t j) {
        if constexpr (!batch<X>) return x;
        else {
            alignas(64) lane_type_t<X> lane[X::size];
            x.store_aligned(lane);
            return lane[j];
        }
    }
};

template <class F>
of_each_lane(F) -> of_each_lane<F>;

// What a comparison of numbers gives, and of packs.
template <class C>
auto of_numbers(C const& c) {
    if constexpr (std::is_same_v<C, bool>) return c;
    else return lane_mask<C>{c};
}

// f(x...) of every element: a bool, or a plain array of them. Throws std::invalid_argument where shapes do not broadcast.
template <class F, class... E>
auto ask(char const* name, F const& f, E const&... e) {
    if constexpr ((is_scalar_operand<E> && ...)) return of_numbers(f(scalar_primal(e)...));
    else {
        auto const read = std::make_tuple(read_elements(e)...);
        return detail::call_with(
            [&](auto const&... v) {
                constexpr int R = widest({decltype(in_memory(v))::rank...});
                extents<R> space{};
                if constexpr (R != dynamic_rank) space.n.fill(1);
                return ask_arrays(name, f, space, in_memory(v)...);
            },
            read);
    }
}

}
