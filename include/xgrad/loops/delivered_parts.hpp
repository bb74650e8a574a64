// Defines delivered_parts, where a verb takes the parts of a declared result from, and call_parts, which calls a function that declares one.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <type_traits>

#include <xgrad/loops/declared.hpp>
#include <xgrad/scope/call/pull.hpp>
#include <xgrad/scope/call/pushforward.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Whether a type says which numbers there are, so that there is room for them before the function runs.
template <class S>
consteval bool says_all_shapes() {
    if constexpr (is_summed<S>) return false;
    else if constexpr (!differentiable<S>) return std::is_trivially_copyable_v<S>;
    else if constexpr (is_leaf<S>) return shape_by_type<S>::is_known;
    else if constexpr (!fixed_form<S>) return false;
    else return []<class... P>(type_list<P...>) { return (says_all_shapes<std::remove_cv_t<P>>() && ...); }(typename parts<S>::types{});
}
template <class R>
consteval bool check_parts() {
    constexpr bool known = differentiable<typename R::value_type> && says_all_shapes<typename R::value_type>();
    static_assert(known, "xgrad[E184]: vjp, jvp and jacobian require a declared result of numbers and of arrays whose types say their shapes, in structs and "
                         "tuples, but a part of it is something else: declare xt::xtensor_fixed<double, xt::xshape<N>>, or leave the result type out");
    return known;
}

// The elements of results in a call with elements L of arguments X....
template <class L, class... X>
using lift_of_results = lift_like<typename L::template type<typename number_of_result<double, X...>::type>>;

// A value of the form S with numbers as L has them, where these are duals of a derivative around the call.
template <class L>
struct to_plain_result {
    template <class P>
    static consteval auto find() {
        if constexpr (std::is_same_v<L, identity_lift> || !differentiable<P>) return type_tag<P>{};
        else if constexpr (perturbable_number<P>) return type_tag<typename L::template type<P>>{};
        else if constexpr (number_array<P>) return type_tag<typename primal_of<typename L::template type<array_element_t<P>>, rank_of<P>>::type>{};
        else return type_tag<typename parts<P>::template rebind<to_plain_result>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};

// For a declared result S with elements L: its parts, and room for the arrays among them and for their cotangents.
template <class S, class L>
class delivered_parts {
public:
    explicit delivered_parts(context& c) {
        std::size_t bytes = 0;
        each_array([&](auto&, std::size_t n, auto one) { bytes += 2 * bytes_of(n, one); });
        room_.renew(c, bytes_of_packs(bytes));
        auto* at = static_cast<std::byte*>(room_.get());
        auto take = [&at]<class T>(std::size_t n, type_tag<T> one) {
            for (std::size_t i = 0; i < n; ++i) new (at + i * sizeof(T)) T(0);
            auto const p = memory_in<T>(at, n);
            at += bytes_of(n, one);
            return p;
        };
        each_array([&](auto& leaf, std::size_t n, auto one) {
            leaf.value = take(n, one);
            leaf.seed = take(n, one);
        });
    }
    delivered_parts(delivered_parts const&) = delete;

    // The cotangent that each part is given as it is delivered.
    template <class D>
    void expect(D const& ybar) {
        auto one = []<class Leaf>(Leaf& leaf, auto const& bar) {
            using P = typename Leaf::primal;
            if constexpr (differentiable<P>) {
                using T = typename Leaf::T;
                leaf.due = true;
                if constexpr (perturbable_number<P>) leaf.seed = static_cast<T>(conjugate(bar));
                else {
                    auto const shape = shape_of<rank_of<P>>(bar);
                    if (!covers(leaf.shape, shape)) wrong_cotangent(to_string(shape), "a value of shape " + to_string(leaf.shape));
                    std::size_t k = 0;
                    for (auto const& v : xt::flatten<xt::layout_type::row_major>(bar)) leaf.seed[k++] = static_cast<T>(conjugate(v));
                }
            }
        };
        each_leaf(one, parts_, ybar);
    }
    // The value without the derivative Tag, or with Tangent the tangent of that.
    template <class Tag, bool Tangent>
    auto part() {
        using Y = typename to_plain_result<without<Tag>>::template type<S>;
        auto copy = [this](auto to) {
            auto one = []<class Leaf>(Leaf& leaf, auto& part) {
                using P = typename Leaf::primal;
                if constexpr (!differentiable<P>) {
                    if constexpr (!Tangent) part = leaf.value;
                } else if constexpr (perturbable_number<P>) part = part_of_number<Tag, Tangent>(leaf.value);
                else {
                    using A = std::remove_reference_t<decltype(part)>;
                    if constexpr (!shape_by_type<A>::is_known) part = primal_of_shape<typename A::value_type>(leaf.shape);
                    std::size_t k = 0;
                    for (auto& v : xt::flatten<xt::layout_type::row_major>(part)) v = part_of_number<Tag, Tangent>(typename Leaf::T(leaf.value[k++]));
                }
            };
            each_leaf(one, parts_, to);
            return to;
        };
        if constexpr (Tangent) return copy(zero_tangent(Y{}));
        else return copy(Y{});
    }
    // f(v) of each number, in the order of flatten.
    template <class Fn>
    void each_number(Fn f) {
        auto one = [&f]<class Leaf>(Leaf& leaf) {
            using P = typename Leaf::primal;
            if constexpr (!differentiable<P>) return;
            else if constexpr (perturbable_number<P>) f(leaf.value);
            else
                for (std::size_t k = 0; k < element_count(leaf.shape); ++k) f(typename Leaf::T(leaf.value[k]));
        };
        each_leaf(one, parts_);
    }
    delivery<S, L>& parts() noexcept { return parts_; }

private:
    delivery<S, L> parts_{};
    block room_;

    template <class Tag>
    struct without_level { using type = L; };
    template <class Tag>
        requires(has_level<Tag, typename L::template type<double>>)
    struct without_level<Tag> { using type = lift_like<typename L::template type<double>::primal_type>; };
    template <class Tag>
    using without = typename without_level<Tag>::type;

    template <class T>
    static std::size_t bytes_of(std::size_t n, type_tag<T>) {
        return (n * sizeof(T) + 63) / 64 * 64;
    }
    template <class Fn>
    void each_array(Fn f) {
        auto one = [&f]<class Leaf>(Leaf& leaf) {
            if constexpr (number_array<typename Leaf::primal>) {
                leaf.shape = shape_by_type<typename Leaf::primal>::get();
                f(leaf, element_count(leaf.shape), type_tag<typename Leaf::T>{});
            }
        };
        each_leaf(one, parts_);
    }
};

// f(h...), whose parts are delivered to `to`; those that are due are pulled.
template <class F, class S, class L, class... H>
void call_parts(F& f, context& c, delivered_parts<S, L>& to, H&&... h) {
    c.deliver_to(&to.parts());
    auto&& r = f(h...);
    if (c.deliveries > 1) other_delivery();
    if (c.deliveries == 0) each_leaf([&c](auto& part, auto& v) { deliver_part(c, part, v); }, to.parts(), r.value());
}

}
XGRAD_DETAIL_QUIET_END
