// Defines pull(y, ybar): gives an active value, or the parts of a tuple, an array or a vector of them, a cotangent.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/call/result_form.hpp>
#include <xgrad/scope/call/variable.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// What of a result can be given a cotangent: a debt to each active part.
struct take_root {
    template <class U>
    auto operator()(U const& u) const {
        if constexpr (active<U>) return part_source(u);
        else if constexpr (plain_scalar<U> || number_dual<U> || plain_array<U>) return no_root{};
        else return of_parts(u);
    }

private:
    template <class... E>
    auto of_parts(std::tuple<E...> const& t) const {
        return detail::call_with([this](auto const&... e) { return std::tuple((*this)(e)...); }, t);
    }
    template <class A, class B>
    auto of_parts(std::pair<A, B> const& p) const {
        return std::pair((*this)(p.first), (*this)(p.second));
    }
    template <class E, std::size_t N>
    auto of_parts(std::array<E, N> const& a) const {
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::array{(*this)(a[I])...}; }(std::make_index_sequence<N>{});
    }
    template <class E>
    auto of_parts(std::vector<E> const& a) const {
        std::vector<decltype((*this)(a[0]))> r;
        for (auto const& e : a) r.push_back((*this)(e));
        return r;
    }
};

// A call as the user wrote it, and what zero_tangent takes there.
struct pulling_call { char const *text = "pullback(ybar)", *value = "y"; };
[[noreturn, gnu::cold, gnu::noinline]] inline void wrong_cotangent(std::string const& found, std::string const& expected, pulling_call const& by = {}) {
    throw std::invalid_argument(std::string("xgrad[E208]: ") + by.text + " requires a cotangent of the value's form, found " + found + " for " + expected +
                                ": begin with zero_tangent(" + by.value + ")");
}

// Checks a cotangent against what it is for, or adds it there.
template <bool Check>
struct give_cotangent {
    pulling_call by{};

    template <class Root, class D>
    void operator()(Root const& root, D const& ybar) const {
        if constexpr (std::is_same_v<Root, no_root>) return;
        else if constexpr (requires { requires Root::is_active; }) {
            if constexpr (Root::rank == 0) {
                if constexpr (!Check) root.add(static_cast<typename Root::value_type>(conjugate(ybar)));
            } else {
                auto const shape = shape_of<Root::rank == dynamic_rank ? dynamic_rank : rank_of<D>>(ybar);
                if constexpr (Check) {
                    if (!covers(root.extent(), shape)) wrong_cotangent(to_string(shape), "a value of shape " + to_string(root.extent()), by);
                } else {
                    using T = typename Root::value_type;
                    xt::xtensor<T, 1> rows = xt::flatten<xt::layout_type::row_major>(ybar);
                    if constexpr (is_complex_number<T>)
                        for (auto& g : rows) g = conjugate(g);
                    pull_back(root, root.extent(), nullptr, rows.data());
                }
            }
        } else parts_of(root, ybar);
    }

private:
    template <class... R, class... D>
    void parts_of(std::tuple<R...> const& r, std::tuple<D...> const& d) const {
        [&]<std::size_t... I>(std::index_sequence<I...>) { ((*this)(std::get<I>(r), std::get<I>(d)), ...); }(std::index_sequence_for<R...>{});
    }
    template <class A, class B, class C, class D>
    void parts_of(std::pair<A, B> const& r, std::pair<C, D> const& d) const {
        (*this)(r.first, d.first);
        (*this)(r.second, d.second);
    }
    template <class A, class D, std::size_t N>
    void parts_of(std::array<A, N> const& r, std::array<D, N> const& d) const {
        for (std::size_t i = 0; i < N; ++i) (*this)(r[i], d[i]);
    }
    template <class A, class D>
    void parts_of(std::vector<A> const& r, std::vector<D> const& d) const {
        if (r.size() != d.size()) wrong_cotangent("a vector of " + std::to_string(d.size()), "one of " + std::to_string(r.size()), by);
        for (std::size_t i = 0; i < r.size(); ++i) (*this)(r[i], d[i]);
    }
};

}

// Adds ybar to the cotangent of y, which is pulled as y leaves its scope: what a verb of one's own does with what a function of active values
// returned (active_call.hpp). y is a number, an array, or a std::tuple, pair, array or vector of them, of which plain ones take nothing; ybar has
// its form, as zero_tangent of the value has; other types are refused (E185, E186). Throws std::invalid_argument where a shape differs, before anything
// is added.
template <class Y, class D>
void pull(Y const& y, D const& ybar) {
    constexpr bool known = detail::has_roots<Y>();
    static_assert(known, "xgrad[E186]: pull(y, ybar) requires a y that is a number, an array, or a std::tuple, pair, array or vector of them, but this one is "
                         "something else: pull its parts one by one, and a declared result not at all, which value_and_gradient pulls");
    if constexpr (known) {
        using root_type = decltype(detail::take_root{}(y));
        if constexpr (detail::check_cotangent<root_type, D>()) {
            auto const root = detail::take_root{}(y);
            detail::pulling_call const by{"pull(y, ybar)", "xgrad::primal(y)"};
            detail::give_cotangent<true>{by}(root, ybar);
            detail::give_cotangent<false>{by}(root, ybar);
        }
    }
}

}
XGRAD_DETAIL_QUIET_END
