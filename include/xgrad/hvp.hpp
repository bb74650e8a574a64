// Defines hvp and prepare_hvp: the product of a Hessian with a tangent, by the forward mode over the reverse mode.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/jvp.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The value of a function, its gradient, and the product of its Hessian with a tangent: the derivative of the gradient along it.
template <class T, class... G>
struct value_with_hvp {
    T value{};
    std::tuple<G...> gradient{};  // braces of its own: not every type can be made of an empty list alone
    std::tuple<G...> product{};
};

namespace detail {

// Says whether these are tangents of arguments of the types X.
template <class... X, class... D>
consteval bool check_tangents(type_tag<std::tuple<D...>>) {
    constexpr bool good = [] {
        if constexpr (sizeof...(X) != sizeof...(D)) return false;
        else return (std::is_same_v<std::remove_cvref_t<D>, gradient_type_t<X>> && ...);
    }();
    static_assert(
        good,
        "xgrad[E055]: hvp(f, primals, tangents) requires one tangent for each primal, of type tangent_type_t<X>: begin with zero_tangent(x), and give "
        "no_tangent{} for a constant");
    return good;
}

template <class F, class... X>
using level_of_hvp = level<std::remove_cv_t<F>, X...>;
// Whether f can be called: nothing of a call is compiled before.
template <class F, class... X>
consteval bool check_hvp() { return check_call<gradient_owner::verb, F, dual_lift<1, level_of_hvp<F, X...>>, X...>(); }

// What a product of an earlier call does not show: what is null now, and which objects are one.
struct is_pointer {
    template <class P>
    static constexpr bool of = pointer_argument<P>;
};

// A call of hvp. Made again with arguments of the same forms it allocates nothing.
template <class F, class... X>
class hvp_call {
    using tag = level_of_hvp<F, X...>;
    using call_type = gradient_call_of<dual_lift<1, tag>, F, X...>;
    static constexpr bool has_pointers = (somewhere_in_argument<is_pointer, X> || ...);

public:
    using value_type = std::remove_const_t<decltype(primal_at<tag>(std::declval<typename call_type::value_type&>()))>;
    using result_type = value_with_hvp<value_type, gradient_type_t<X>...>;

    // `r` is as the call before has left it, if there was one. Throws std::invalid_argument where a tangent has another form than its argument.
    void run(F& f, workspace& w, result_type& r, X const&... x, gradient_type_t<X> const&... xdot) {
        if (has_pointers || !is_shaped_) shape(r, x...);
        try {
            collect(r, x..., xdot...);
        } catch (std::invalid_argument const&) {
            // if it is not a tangent's form that is wrong, it is that of the product
            shape(r, x...);
            collect(r, x..., xdot...);
        }
        auto const y = call_.run(f, w, x..., &r.gradient, gradient_memory::own, &seeds_);
        r.value = primal_at<tag>(y);
    }

private:
    call_type call_;
    tangent_seeds seeds_;
    bool is_shaped_ = false;

    // The product has the form of these arguments: an object that several of them point to has one part in it.
    void shape(result_type& r, X const&... x) {
        zero_products const zero{{}, &r};
        if constexpr ((shares_objects<X> || ...)) with_object_table(zero, x...);
        else zero(x...);
        is_shaped_ = true;
    }
    struct zero_products : make_zero_tangent {
        result_type* result;
        void operator()(X const&... x) const {
            [&]<std::size_t... I>(std::index_sequence<I...>) { (one(x, std::get<I>(result->product)), ...); }(std::index_sequence_for<X...>{});
        }
        template <class Y, class G>
        void one(Y const& y, G& product) const {
            if constexpr (!traits_of<Y>::is_constant) product = make_zero_tangent::operator()(y);
        }
    };
    void collect(result_type& r, X const&... x, gradient_type_t<X> const&... xdot) {
        seeds_.leaves.clear();
        seeds_.at = 0;
        collect_leaves one(seeds_);
        auto take = [&]<class Y, class T, class G>(Y const& y, T const& t, G& g) {
            if constexpr (!traits_of<Y>::is_constant) one(y, t, g);
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) { (take(x, xdot, std::get<I>(r.product)), ...); }(std::index_sequence_for<X...>{});
    }
};

}

// f(x...), its gradient and its Hessian times xdot, for a std::tuple of arguments and one of their tangents: one pass forward and one backward, with values
// and tangents side by side. Of complex numbers the product is the derivative along xdot of the gradient df/d(re z) + i df/d(im z). Throws
// std::invalid_argument where a tangent has another shape than its argument.
template <class F, class... X, class... D>
auto hvp(F&& f, std::tuple<X...> const& primals, std::tuple<D...> const& tangents) {
    if constexpr (!detail::check_tangents<std::remove_cvref_t<X>...>(type_tag<std::tuple<D...>>{})) return value_with_hvp<double>{};
    else if constexpr (!detail::check_hvp<std::remove_reference_t<F>, std::remove_cvref_t<X>...>())
        return detail::refused_call<value_with_hvp<double, detail::refused_gradient<X>...>>();
    else
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            using call_type = detail::hvp_call<std::remove_reference_t<F>, std::remove_cvref_t<X>...>;
            typename call_type::result_type r{};
            borrowed_workspace w;
            call_type().run(f, w.get(), r, std::get<I>(primals)..., std::get<I>(tangents)...);
            return r;
        }(std::index_sequence_for<X...>{});
}
// Of a function of one argument; the errors are the same.
template <class F, class X, class T>
    requires(!requires { std::tuple_size<X>::value; })
auto hvp(F&& f, X const& x, T const& xdot) {
    if constexpr (std::is_arithmetic_v<T> && detail::plain_scalar<X>) return hvp(f, std::tuple<X const&>(x), std::tuple<X>(static_cast<X>(xdot)));
    else return hvp(f, std::tuple<X const&>(x), std::tuple<T const&>(xdot));
}

// hvp(f, ...) that keeps its memory, as a prepared_gradient does: called again with arguments of the same forms it allocates nothing. It serves one call at a
// time, and throws std::logic_error for a second one (E222), and where it was moved from (E212).
template <class F, class... X>
class prepared_hvp : public detail::prepared<F> {
    using call_type = detail::hvp_call<F, X...>;

public:
    using result_type = typename call_type::result_type;
    using detail::prepared<F>::prepared;
    prepared_hvp(prepared_hvp const& o)
        requires std::is_copy_constructible_v<F>
        : detail::prepared<F>(o) {}
    prepared_hvp(prepared_hvp&&) = default;
    prepared_hvp& operator=(prepared_hvp&&) = default;
    ~prepared_hvp() = default;
    // A reference to this object's own {value, gradient, product}, valid until the next call.
    template <class... Y, class... D>
        requires(std::is_convertible_v<Y const&, X const&> && ...)
    result_type& operator()(std::tuple<Y...> const& primals, std::tuple<D...> const& tangents) {
        if constexpr (detail::check_tangents<X...>(type_tag<std::tuple<D...>>{})) {
            detail::turn::taken const mine(this->turn_);
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                auto const run = [this](X const&... x, gradient_type_t<X> const&... xdot) { call_.run(this->f_, this->workspace_, result_, x..., xdot...); };
                if ((this->is_part_of(result_, std::get<I>(primals)) || ...) || (this->is_part_of(result_, std::get<I>(tangents)) || ...)) {
                    std::tuple<X...> const x(detail::copy_of<X>(std::get<I>(primals))...);
                    std::tuple<gradient_type_t<X>...> const xdot(detail::copy_of<gradient_type_t<X>>(std::get<I>(tangents))...);
                    run(std::get<I>(x)..., std::get<I>(xdot)...);
                } else run(std::get<I>(primals)..., std::get<I>(tangents)...);
            }(std::index_sequence_for<X...>{});
        }
        return result_;
    }
    // Of one argument and its tangent.
    result_type& operator()(X const&... x, gradient_type_t<X> const&... xdot)
        requires(sizeof...(X) == 1)
    {
        return (*this)(std::tuple<X const&...>(x...), std::tuple<gradient_type_t<X> const&...>(xdot...));
    }
    template <class... Y, class... D>
        requires(std::is_convertible_v<Y const&, X const&> && ...)
    result_type operator()(std::tuple<Y...> const&, std::tuple<D...> const&) const {
        detail::prepared<F>::template refuse_const<std::tuple<D...>>();
        return {};
    }
    template <class D = F>
    result_type operator()(X const&..., gradient_type_t<X> const&...) const
        requires(sizeof...(X) == 1)
    {
        detail::prepared<F>::template refuse_const<D>();
        return {};
    }

private:
    call_type call_;
    result_type result_{};
};

// prepare_hvp(f, x...): the object for arguments like these; f is copied or moved into it, and called by its operator(). It is called as hvp is without f,
// h(primals, tangents) with two tuples or h(x, xdot), and returns a reference to its own {value, gradient, product}, with the errors of hvp: for solvers that
// ask for many products.
template <class F, class... X>
auto prepare_hvp(F&& f, X const&...) {
    if constexpr (detail::check_hvp<std::remove_cvref_t<F>, typename detail::prepared_argument<std::remove_cvref_t<X>>::type...>())
        return prepared_hvp<std::remove_cvref_t<F>, typename detail::prepared_argument<std::remove_cvref_t<X>>::type...>(std::forward<F>(f));
}

}
XGRAD_DETAIL_QUIET_END
