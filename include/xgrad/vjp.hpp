// Defines vjp: the value of a function and its pullback, which can be called again and again.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/gradient.hpp>
#include <xgrad/loops/delivered_parts.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/call/pull.hpp>
#include <xgrad/scope/call/pushforward.hpp>
#include <xgrad/tangent/scale.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

struct no_level {};
// An argument as a pullback keeps it: one with a name is referred to.
template <class X>
struct kept_argument {
    X const* x;
    explicit kept_argument(X const& named) : x(std::addressof(named)) {}
    X const& get() const noexcept { return *x; }
};
template <class X>
struct owned_argument {
    X x;
    explicit owned_argument(X&& temporary) : x(std::move(temporary)) {}
    X const& get() const noexcept { return x; }
};
template <class X>
using holder_of = std::conditional_t<std::is_lvalue_reference_v<X>, kept_argument<std::remove_cvref_t<X>>, owned_argument<std::remove_cvref_t<X>>>;

// One evaluated call whose values stay.
template <class F, class... X>
class kept_call {
    using lifetime = typename called<identity_lift, F, std::remove_cvref_t<X>...>::lifetime;
    using result_type = std::remove_cvref_t<std::invoke_result_t<F&, parameter_t<std::remove_cvref_t<X>, lifetime>...>>;
    static constexpr bool is_declared = declared_result<result_type>, has_parts = declares_parts<result_type>;
    static auto find_root() {
        if constexpr (is_declared || !is_result<result_type>) return std::type_identity<no_root>{};
        else return std::type_identity<decltype(take_root{}(std::declval<result_type const&>()))>{};
    }
    using root_type = typename decltype(find_root())::type;
    // What a cotangent is for; of a declared result the type of the value, whose numbers are duals where those of an argument are.
    static auto find_pulled() {
        if constexpr (has_parts) {
            using L = lift_of_results<identity_lift, std::remove_cvref_t<X>...>;
            return std::type_identity<typename to_plain_result<L>::template type<typename result_type::value_type>>{};
        } else if constexpr (is_declared) {
            using N = number_of_result<typename result_type::value_type, std::remove_cvref_t<X>...>;
            return std::type_identity<typename N::type>{};
        } else return std::type_identity<root_type>{};
    }
    using pulled_type = typename decltype(find_pulled())::type;
    using index = std::index_sequence_for<X...>;
    template <class R>
    using delivered = delivered_parts<typename R::value_type, lift_of_results<identity_lift, std::remove_cvref_t<X>...>>;

public:
    using gradient_type = std::tuple<gradient_type_t<std::remove_cvref_t<X>>...>;

    template <class G>
    kept_call(G&& f, X&&... x) : f_(std::forward<G>(f)), x_(holder_of<X>(std::forward<X>(x))...) {}
    kept_call(kept_call const&) = delete;
    ~kept_call() { close(); }
    static consteval bool check() {
        if constexpr (has_parts) return check_parts<result_type>();
        else if constexpr (is_declared) return true;
        else return check_result<result_type>();
    }

    // The value; afterwards its values are kept, if they can be pulled more than once.
    auto begin() {
        if constexpr (has_parts) {
            auto use = [&](context& c, auto&&... h) {
                delivered<result_type> y(c);
                call_parts(f_, c, y, h...);
                return y.template part<no_level, false>();
            };
            return run<counted>(nullptr, use);
        } else if constexpr (is_declared) return with_arguments([&](auto const&... x) { return value(f_, x...); });
        else {
            context& c = w_.get();
            c.begin(true, true);
            within_call here(&c);
            try {
                with_arguments([&](auto const&... x) { bind_arguments(arguments_, &gradient_, c, gradient_memory::own, nullptr, false, x...); });
                auto y = detail::call_with([&](auto&... a) { return evaluate(c, a.handle()...); }, arguments_);
                if (c.runs_once) close();
                return y;
            } catch (...) {
                close();
                throw;
            }
        }
    }
    template <class D>
    gradient_type const& pull(D const& ybar) {
        if constexpr (!check_cotangent<pulled_type, D>()) return gradient_;
        else if constexpr (has_parts) {
            auto use = [&](context& c, auto&&... h) {
                delivered<result_type> y(c);
                y.expect(ybar);
                call_parts(f_, c, y, h...);
                return 0;
            };
            run<lifetime>(&gradient_, use);
        } else if constexpr (is_declared) {
            gradient_ = with_arguments([&](auto const&... x) { return gradient(f_, x...); });
            [&]<std::size_t... I>(std::index_sequence<I...>) { (scale_gradient(std::get<I>(gradient_), ybar), ...); }(index{});
        } else if (!root_) run_again(ybar);
        else {
            give_cotangent<true>{}(*root_, ybar);
            detail::call_with([](auto&... a) { (a.rearm(), ...); }, arguments_);
            give_cotangent<false>{}(*root_, ybar);
            w_.get().settle_kept(context::keeping::backward);
            finish(index{});
        }
        return gradient_;
    }

private:
    F f_;
    std::tuple<holder_of<X>...> x_;
    workspace w_;
    std::tuple<storage_of<std::remove_cvref_t<X>, lifetime>...> arguments_;
    gradient_type gradient_{};
    std::optional<root_type> root_;

    template <class G>
    decltype(auto) with_arguments(G&& g) {
        return detail::call_with([&](auto const&... a) -> decltype(auto) { return g(a.get()...); }, x_);
    }
    template <class... H>
    auto evaluate(context& c, H&&... h) {
        auto&& r = f_(h...);
        if (c.deliveries != 0) other_delivery();
        root_.emplace(take_root{}(r));
        return part_of_result<no_level, false>{}(r);
    }
    template <class D>
    void run_again(D const& ybar) {
        auto use = [&](context&, auto&&... h) {
            auto&& r = f_(h...);
            auto const root = take_root{}(r);
            give_cotangent<true>{}(root, ybar);
            give_cotangent<false>{}(root, ybar);
            return 0;
        };
        run<lifetime>(&gradient_, use);
    }
    // use(c, h...) in a call whose values have lifetime M.
    template <class M, class Use>
    auto run(gradient_type* gradient, Use use) {
        bound_call<M, identity_lift, std::remove_cvref_t<X>...> call;
        return with_arguments([&](auto const&... x) { return call.run(w_, x..., gradient, gradient_memory::own, nullptr, use); });
    }
    template <std::size_t... I>
    void finish(std::index_sequence<I...>) noexcept {
        (std::get<I>(arguments_).finish(std::addressof(std::get<I>(gradient_)), gradient_memory::own), ...);
    }
    template <class G, class T>
    static void scale_gradient(G& g, T const& s) {
        if constexpr (!std::is_same_v<G, no_tangent>) g = scale(s, g);
    }
    void close() noexcept {
        context& c = w_.get();
        root_.reset();
        if (c.keeps != context::keeping::nothing) c.settle_kept(context::keeping::end);
        if (c.live == 0) c.forget();
        else w_.give_up();
    }
};

}

// The pullback of a function at its arguments: from a cotangent of the value (of its type's tangent type and its shape) to the std::tuple of
// the arguments' cotangents. It may be called as often as one likes. Named arguments are referred to: they must stay as they are.
template <class F, class... X>
class pullback {
public:
    explicit pullback(std::unique_ptr<detail::kept_call<F, X...>> call) : call_(std::move(call)) {}
    template <class D>
    auto operator()(D const& ybar) {
        return call_->pull(ybar);
    }

private:
    std::unique_ptr<detail::kept_call<F, X...>> call_;
};

// {y, pullback} of f(x...). f gives a number, an array, or a std::tuple, pair, array or vector of them, or declares xgrad::result<S>, of numbers and of arrays
// of fixed shape in structs and tuples: then y is an S. What f computed is kept for the pullback, which evaluates nothing anew; a function that declares its
// result, assigns to an argument or calls a rule by xgrad::call runs again for each call of the pullback. Throws what f throws, and std::invalid_argument for
// shapes that do not fit; pullback(ybar) throws it for a cotangent that has not the form (shape, size, keys) of y.
template <class F, class... X>
auto vjp(F&& f, X&&... x) {
    using G = std::remove_cvref_t<F>;
    if constexpr (!detail::check_call<detail::gradient_owner::verb, G, identity_lift, std::remove_cvref_t<X>...>())
        return detail::refused_call<value_with_pullback<double, int>>();
    else {
        using call_type = detail::kept_call<G, X...>;
        if constexpr (!call_type::check()) return detail::refused_call<value_with_pullback<double, int>>();
        else {
            auto call = std::make_unique<call_type>(std::forward<F>(f), std::forward<X>(x)...);
            auto y = call->begin();
            return value_with_pullback{std::move(y), pullback<G, X...>(std::move(call))};
        }
    }
}

}
XGRAD_DETAIL_QUIET_END
