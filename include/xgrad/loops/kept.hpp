// Defines kept_loop, the loop of keep_all: all that its steps compute stays, as in a `for` loop with variables, and no step runs twice.
#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/explain_loop.hpp>
#include <xgrad/loops/kept_items.hpp>
#include <xgrad/loops/result.hpp>
#include <xgrad/loops/schedule.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/node/stack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// r, what a body gives, as the variable V of a part of the state or of the outputs.
template <class V, class R>
V as_kept(R&& r) {
    using T = typename V::value_type;
    if constexpr (!active<std::remove_cvref_t<R>>) {
        if constexpr (V::rank == 0) return V(embed<T>(number_in(r)));
        else return V(std::forward<R>(r));
    } else {
        using A = std::remove_cvref_t<R>;
        if constexpr (number_dual<T> && !number_dual<typename A::value_type>) {  // a constant
            if constexpr (A::rank == 0) return V(embed<T>(part_source(r).forward()));
            else return V(primal_copy(part_source(r).source()));
        } else if constexpr (A::rank == V::rank) return V(std::forward<R>(r));
        else if constexpr (V::rank == 0) return V(only_element(std::forward<R>(r)));
        else {
            auto const p = part_source(std::forward<R>(r));
            auto const found = p.extent();
            extents<V::rank> s;
            strides<V::rank> t;
            s.set_rank(found.rank());
            t.set_rank(found.rank());
            if (s.rank() != found.rank()) state_changes_shape(to_string(found), "as many dimensions as the state has");
            for (int d = 0; d < found.rank(); ++d) {
                s[d] = found[d];
                t[d] = steps_of(p)[d];
            }
            return V(make_slot_view(p, 0, s, t));
        }
    }
}

// What a body gives, to the next state.
template <class P, class V, class R>
void keep_next(V& to, R&& r) {
    if constexpr (!differentiable<P>) to = static_cast<P>(r);
    else if constexpr (is_leaf<P>) {
        auto next = as_kept<V>(std::forward<R>(r));
        if constexpr (V::rank != 0)
            if (auto const found = next.extent(), expected = to.extent(); !covers(expected, found)) state_changes_shape(to_string(found), to_string(expected));
        to = std::move(next);
    } else {
        auto take = [](auto& mine, auto& others) {
            [&]<std::size_t... I, class... Q>(std::index_sequence<I...>, type_list<Q...>) {
                using std::get;
                (keep_next<std::remove_cv_t<Q>>(get<I>(mine), get<I>(others)), ...);
            }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(mine)>>>{}, find_part_types<P>());
        };
        auto bind = [&](auto&& mine, auto&& others) { take(mine, others); };
        bind(fields_in_turn(to), fields_in_turn(r));
    }
}

// An output of all steps: their values, which a stack takes, or a sum.
template <class Y, class L>
class kept_output {
    using port = output_port<Y, L>;
    using part = variable<typename primal_of<typename port::T, port::rank>::type>;

public:
    using type = output_variable_t<port>;
    kept_output(context& c, std::size_t n) : all_(c, n) {}
    template <class R>
    void take(std::size_t i, R&& r) {
        auto y = as_kept<part>(std::forward<R>(r));
        if constexpr (port::rank != 0) {
            if (i == 0) shape_ = y.extent();
            else if (auto const found = y.extent(); !(found == shape_)) output_changes_shape(to_string(found), to_string(shape_));
        }
        all_.push_back(std::move(y).operand());
    }
    type get() {
        if (all_.size() != 0) return type(formula<stacked, typename part::ref_type>(std::in_place, std::move(all_)));
        return type(primal_of_shape<typename variable_shape<Y>::element>(shape_of_rows(0, shape_)));
    }

private:
    extents<port::rank> shape_{};
    debts<typename part::ref_type> all_;
};
template <class Y, class L>
class kept_output<summed<Y>, L> {
    using port = output_port<summed<Y>, L>;

public:
    using type = output_variable_t<port>;
    kept_output(context&, std::size_t) {}
    template <class R>
    void take(std::size_t i, R&& r) {
        auto y = as_kept<type>(behind_sum(r));
        if (i == 0) all_ = std::move(y);
        else {
            if constexpr (port::rank != 0)
                if (auto const found = y.extent(), expected = all_.extent(); !(found == expected))
                    output_changes_shape(to_string(found), to_string(expected));
            all_ = all_ + std::move(y);
        }
    }
    type get() {
        if constexpr (port::rank != 0)
            if (all_.is_empty()) return type(primal_of_shape<typename variable_shape<Y>::element>(extents<port::rank>{}));
        return std::move(all_);
    }

private:
    type all_;
};
template <class Types, class L>
struct kept_outputs_of;
template <class... Y, class L>
struct kept_outputs_of<type_list<Y...>, L> {
    template <class Q>
    struct made : Q {
        struct from {
            context& c;
            std::size_t n;
        };
        made(from const& f) : Q(f.c, f.n) {}
    };
    using type = std::tuple<made<kept_output<Y, L>>...>;
    static type make([[maybe_unused]] context& c, [[maybe_unused]] std::size_t n) { return type(typename made<kept_output<Y, L>>::from{c, n}...); }
};

// A parameter as each step sees it.
template <class L, class E>
decltype(auto) kept_parameter(E const& e) {
    if constexpr (holds_active<E>) return make_loop_variable<L>{}(e);
    else if constexpr (requires { e.get(); typename E::type; }) return e.get();
    else return (e);
}

// F is the body, N says how many steps there are, L what elements are, P the state.
template <class F, class L, class P>
struct kept_loop {
    template <class N, class Options, class I, class... E>
    [[gnu::noinline]] static auto apply(N const& steps, F const& f, Options const& options, I&& init, E const&... e) {
        using X = typename N::items;
        using V = loop_variable_t<P, L>;
        using R = std::remove_cvref_t<loop_result_t<F, counted, L, P, X, E...>>;
        using O = typename decltype(find_outputs<P, R>())::type;
        constexpr bool has_items = !std::is_same_v<X, no_items>, has_outputs = !std::is_same_v<O, no_outputs>;
        V s = make_loop_variable<L>{}(std::forward<I>(init));
        std::tuple<decltype(kept_parameter<L>(e))...> params(kept_parameter<L>(e)...);
        context* const found = owner_of_loop(s, params, steps.xs());
        std::conditional_t<has_items, kept_items<X, L>, no_items> items(steps.xs(), *found);
        std::size_t const before = found->memory.reached();
        auto call = [&]<class... Item>(Item&... item) -> decltype(auto) {
            return detail::call_with([&](auto const&... p) -> decltype(auto) { return f(std::as_const(s), item..., p...); }, params);
        };
        auto report = [&](std::size_t done, std::size_t of) {
            if constexpr (requires { options.progress.f; }) {
                if (done % options.progress.every == 0) options.progress.f(loop_progress{done, of, false});
            } else (void)done, (void)of;
        };
        auto step = [&](auto const& take, auto&... item) {
            auto&& r = call(item...);
            V next = s;
            if constexpr (has_outputs) {
                take(std::get<1>(r));
                keep_next<P>(next, std::get<0>(r));
            } else keep_next<P>(next, r);
            s = std::move(next);
        };
        auto explain = [&](std::size_t n) {
            if (explaining) [[unlikely]] explain_kept_loop(N::text, n, found->memory.reached() - before);
        };
        auto nothing = [](auto&) {};
        if constexpr (requires { steps.holds; }) {
            std::size_t n = 0;
            for (; call_with([&](auto const&... p) { return static_cast<bool>(steps.holds(std::as_const(s), p...)); }, params); report(++n, 0)) step(nothing);
            explain(n);
            return s;
        } else {
            std::size_t const n = steps.count(items);
            [[maybe_unused]] auto outputs = kept_outputs_of<typename O::types, L>::make(*found, n);
            for (std::size_t i = 0; i < n; ++i) {
                auto take = [&](auto& ys) {
                    if constexpr (has_outputs) {
                        auto&& parts = O::tie(ys);
                        [&]<std::size_t... J>(std::index_sequence<J...>) {
                            (std::get<J>(outputs).take(i, std::get<J>(parts)), ...);
                        }(std::make_index_sequence<std::tuple_size_v<decltype(outputs)>>{});
                    }
                };
                if constexpr (has_items) {
                    auto&& item = items.item(i);
                    step(take, item);
                } else step(take);
                report(i + 1, n);
            }
            explain(n);
            if constexpr (!has_outputs) return s;
            else {
                auto ys = detail::call_with([](auto&... y) { return std::tuple(y.get()...); }, outputs);
                if constexpr (O::is_tuple) return std::tuple(std::move(s), std::move(ys));
                else return std::tuple(std::move(s), std::get<0>(std::move(ys)));
            }
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
