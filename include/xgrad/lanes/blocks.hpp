// Defines jacobian_blocks and hessian_blocks: the derivatives of each item of a map with respect to its own numbers, in packs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/arguments.hpp>
#include <xgrad/lanes/results.hpp>
#include <xgrad/lanes/turned_rows.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/arguments/call_argument.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// constant(x) says of an argument, or of what is in each and pick, that there are no derivatives with respect to it.
template <class A>
inline constexpr bool is_constant_source = traits_of<std::remove_cvref_t<behind_t<A>>>::is_constant;
template <class A>
auto without_constant(A const& a) {
    using U = std::remove_cvref_t<A>;
    if constexpr (is_each<U>) {
        auto const& x = traits_of<std::remove_cvref_t<decltype(a.x)>>::get(a.x);
        return each_of<U::length, decltype(x)>{x};
    } else if constexpr (is_pick<U>) {
        auto const& x = traits_of<std::remove_cvref_t<decltype(a.x)>>::get(a.x);
        return pick_of<U::length, decltype(x), decltype(a.index) const&>{x, a.index};
    } else return std::cref(traits_of<U>::get(a));
}
// What all items share, with derivatives where it is made of floating-point numbers.
template <class T, class U>
auto shared_inputs(U const& u, context& c) {
    if constexpr (std::is_floating_point_v<U>) return std::tuple(shared_input<constant_number<scalar_of_t<T>>>(constant_number<scalar_of_t<T>>(u)));
    else if constexpr (number_array<U>) {
        auto a = as_constant_array<scalar_of_t<T>>(u, c);
        return std::tuple(shared_input<decltype(a)>(std::move(a)));
    } else if constexpr (struct_like<U> && differentiable<U>)
        return detail::call_with([&](auto&... part) { return std::tuple_cat(shared_inputs<T>(part, c)...); }, parts_in_turn(u));
    else return std::tuple(plain_of<std::reference_wrapper<U const>>(std::cref(u)));
}
template <class T, class A>
auto inputs_of(A const& a, context& c) {
    using U = std::remove_cvref_t<A>;
    if constexpr (is_each<U> || is_pick<U>) return sources_of<T>(without_constant(a), c);
    else return shared_inputs<T>(a, c);
}
template <class A>
consteval auto find_input_form() {
    using U = std::remove_cvref_t<A>;
    if constexpr (is_constant_source<A>) return find_form<decltype(without_constant(std::declval<A const&>()))>();
    else if constexpr (!is_each<U> && !is_pick<U> && struct_like<U> && differentiable<U>) return type_tag<of_parts<U, item_kind::shared_input>>{};
    else return find_form<A>();
}
template <class A>
using input_form_t = typename decltype(find_input_form<A>())::type;

// By which the duals of items are told from others.
template <class F>
struct direction_tag {};

// Which sources are inputs: those of rows and of what is shared, but where the argument is constant.
template <bool... Is>
struct input_flags {
    static constexpr bool at[sizeof...(Is) + 1] = {Is..., false};
};
template <class... Flags>
struct join_flags { using type = input_flags<>; };
template <bool... Is>
struct join_flags<input_flags<Is...>> { using type = input_flags<Is...>; };
template <bool... Is, bool... Js, class... Rest>
struct join_flags<input_flags<Is...>, input_flags<Js...>, Rest...> : join_flags<input_flags<Is..., Js...>, Rest...> {};
template <bool IsConstant, class... S>
input_flags<(!IsConstant && (is_rows<S> || is_whole<S>))...> flags_of(std::tuple<S...> const&);

// g(slot, first) of each input, where first is the place of its first number among all; how many numbers there are.
template <class Flags, class Call, class G>
std::size_t each_input(Call& call, G g) {
    std::size_t first = 0, source = 0;
    call.each_port([&](auto& p) {
        if constexpr (requires { p.slot(); })
            if (Flags::at[source]) {
                g(p.slot(), first);
                first += p.slot().size();
            }
        ++source;
    });
    return first;
}
template <class Call>
void forget_cotangents(Call& call) {
    call.each_port([](auto& p) {
        if constexpr (requires { p.slot(); }) p.slot().clear();
    });
}

// The derivatives of a pack's items, until it is known that the pack was right, and of all of them: n blocks of `size` numbers.
template <class V>
struct block_of_pack {
    V const* p;
};
class blocks {
public:
    blocks(context& c, double* y, std::size_t size) : y_(y), size_(size), room_(c, size * sizeof(pack_t<double, lanes<double>>) + 64) {}
    template <class V>
    V* room() const {
        auto const at = reinterpret_cast<std::uintptr_t>(room_.get());
        return reinterpret_cast<V*>((at + 63) / 64 * 64);
    }
    template <class V>
    void put(std::size_t i, block_of_pack<V> const& b) const {
        double* const to = y_ + i * size_;
        if constexpr (!is_pack<V>) std::copy_n(b.p, size_, to);
        else {
            constexpr std::size_t W = lanes<double>;
            store_dense_rows<false, double, W>(size_, to, [&b](std::size_t k) XGRAD_DETAIL_LAMBDA { return b.p[k]; });
        }
    }

private:
    double* y_;
    std::size_t size_;
    block room_;
};

// The seed direction that number k of the inputs has among those from `begin` on.
template <class Flags, class Call>
void set_directions(Call& call, std::size_t begin) {
    each_input<Flags>(call, [begin]<class Slot>(Slot& s, std::size_t first) {
        for (std::size_t k = 0; k < s.size(); ++k) {
            auto v = s.value(k);
            for (std::size_t j = 0; j < v.count; ++j) v.direction(j) = std::remove_cvref_t<decltype(v.direction(j))>(first + k == begin + j ? 1.0 : 0.0);
            s.set(k, v);
        }
    });
}
// A later run of the same pack must not hide what an earlier one has found.
template <class Call>
void remember_masked_nan(Call& call) {
    if (lanes_are_masked && call.has_nan()) lanes_disagree = true;
}

// One run of f for each result: its cotangents are a row.
template <class R, class Flags>
struct jacobian_by_reverse {
    blocks const& to;
    std::size_t inputs;
    template <class Call>
    auto compute(Call& call, std::size_t) const {
        using V = typename Call::V;
        V* const out = to.template room<V>();
        auto read = [&](std::size_t r) {
            each_input<Flags>(call, [&](auto& s, std::size_t first) {
                bool const came = s.came();
                for (std::size_t k = 0; k < s.size(); ++k) new (out + r * inputs + first + k) V(came ? V(s.cotangent(k)) : V(0.0));
            });
        };
        if constexpr (std::is_void_v<R>) {
            (void)call.value();
            read(0);
        } else
            for (std::size_t r = 0; r < count_of_results<R>; ++r) {
                several_values<V, R> all;
                all.set_seed(r, V(1.0));
                forget_cotangents(call);
                all.compute(call, true);
                read(r);
                remember_masked_nan(call);
            }
        return block_of_pack<V>{out};
    }
};
// One run of f for each few inputs, as many as the duals have directions: the tangents of the results.
template <class R, class Flags>
struct jacobian_by_forward {
    blocks const& to;
    std::size_t inputs;
    template <class Call>
    auto compute(Call& call, std::size_t) const {
        using V = typename Call::V;
        using P = typename V::primal_type;
        P* const out = to.template room<P>();
        for (std::size_t begin = 0; begin < inputs; begin += V::count) {
            set_directions<Flags>(call, begin);
            several_values<V, R> all;
            all.compute(call, false);
            for (std::size_t r = 0; r < count_of_results<R>; ++r) {
                V const y = all[r];
                for (std::size_t j = 0; j < V::count && begin + j < inputs; ++j) new (out + r * inputs + begin + j) P(y.direction(j));
            }
        }
        return block_of_pack<P>{out};
    }
};
// The reverse mode over duals.
template <class Flags>
struct hessian_by_both {
    blocks const& to;
    std::size_t inputs;
    template <class Call>
    auto compute(Call& call, std::size_t) const {
        using V = typename Call::V;
        using P = typename V::primal_type;
        P* const out = to.template room<P>();
        for (std::size_t begin = 0; begin < inputs; begin += V::count) {
            forget_cotangents(call);
            set_directions<Flags>(call, begin);
            (void)call.value();
            each_input<Flags>(call, [&](auto& s, std::size_t first) {
                bool const came = s.came();
                for (std::size_t k = 0; k < s.size(); ++k) {
                    V const g = came ? V(s.cotangent(k)) : V(0.0);
                    for (std::size_t j = 0; j < V::count && begin + j < inputs; ++j) new (out + (first + k) * inputs + begin + j) P(g.direction(j));
                }
            });
            remember_masked_nan(call);
        }
        return block_of_pack<P>{out};
    }
};

// How many numbers the inputs of one item have.
template <class Flags, class... S>
std::size_t count_inputs(std::tuple<S...> const& x) {
    std::size_t n = 0, source = 0;
    auto add = [&](auto const& s) {
        using U = std::remove_cvref_t<decltype(s)>;
        if constexpr (is_rows<U> || is_whole<U>)
            if (Flags::at[source]) {
                auto const shape = s.a.extent();
                std::size_t k = 1;
                for (int d = is_rows<U> ? 1 : 0; d < shape.rank(); ++d) k *= shape[d];
                n += k;
            }
        ++source;
    };
    detail::call_with([&](auto const&... s) { (add(s), ...); }, x);
    return n;
}

// Runs f over all items for its blocks: Results says how.
template <class T, class F, class... S, class Results>
void run_blocks(F const& f, std::tuple<S...> const& x, context& c, blocks const& to, Results const& results) {
    auto take = [&to](std::size_t i, auto const& b) { to.put(i, b); };
    auto seed = [](std::size_t, auto const&) { return 1.0; };
    std::size_t const n = detail::call_with([](auto const&... s) { return items_of(s...); }, x);
    run_items<T>(f, x, 0, n, c, std::tuple((static_cast<void>(sizeof(S)), no_place{})...), take, seed, results);
}

}
XGRAD_DETAIL_QUIET_END
