// Defines frozen<T>: a T that is not differentiated: a field of it keeps its value, and the gradient of the struct has nothing in its place.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

// It is read like a pointer, *x and x->, by plain code and in a differentiated function, and assigned like a T.
//   struct model { xt::xtensor<double, 2> weights; xgrad::frozen<xt::xtensor<double, 2>> embedding; xgrad::frozen<double> rate; };
// flattened, for_each_leaf, accumulate and their like leave it out. To freeze a field in one call only, pass it beside the struct by constant(x),
// or read it by stop_gradient(m.field): its gradient is then 0.
template <class T>
class frozen {
public:
    using value_type = T;
    frozen() = default;
    template <class U>
        requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, frozen>)
    frozen(U&& x) : value_(std::forward<U>(x)) {}
    template <class U>
        requires(std::is_assignable_v<T&, U> && !std::is_same_v<std::remove_cvref_t<U>, frozen>)
    frozen& operator=(U&& x) {
        value_ = std::forward<U>(x);
        return *this;
    }
    T& operator*() noexcept { return value_; }
    T const& operator*() const noexcept { return value_; }
    T* operator->() noexcept { return &value_; }
    T const* operator->() const noexcept { return &value_; }

private:
    T value_{};
};

template <class T>
inline constexpr bool unperturbable<frozen<T>> = true;

}
