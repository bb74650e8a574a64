// Defines active_call<X...>: the engine as a verb of one's own uses it: it binds arguments, runs a function of active values, and has their gradients.
#pragma once

#include <tuple>

#include <xgrad/scope/call/call.hpp>
#include <xgrad/scope/call/pull.hpp>

namespace xgrad {

// For arguments of types X..., or constant(x). From the second run on with arguments of the same forms it allocates nothing.
//   auto one_pullback = [](auto const& f, auto const& ybar, auto const&... x) {
//       xgrad::active_call<std::remove_cvref_t<decltype(x)>...> call;
//       auto y = call.run([&](auto const&... h) { auto r = f(h...); xgrad::pull(r, ybar); return xgrad::primal(r); }, x...);
//       return std::pair(y, call.gradient());
//   };
template <class... X>
class active_call {
public:
    using gradient_type = std::tuple<gradient_type_t<X>...>;

    // use(h...) with a handle of each argument (handle_t<X, counted>; of a constant the argument itself), and what it returns, which must be plain:
    // nothing active outlives the call, or std::logic_error is thrown. Inside, pull(y, ybar) gives an active value a cotangent, as often as one likes.
    // Throws what use throws, and then the gradient is of no use.
    template <class Use>
    auto run(Use&& use, X const&... x) {
        auto in_call = [&](context&, auto&&... h) { return use(h...); };
        return call_.run(workspace_, x..., &gradient_, gradient_memory::own, nullptr, in_call);
    }
    // With respect to each argument, of the last run: a tangent of its form, or no_tangent for a constant.
    gradient_type const& gradient() const noexcept { return gradient_; }

private:
    workspace workspace_;
    bound_call<counted, identity_lift, X...> call_;
    gradient_type gradient_{};
};

}
