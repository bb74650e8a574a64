// Defines variable<valued_of<T>>: a dual number that may be assigned to, in a call that never goes backward.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/scope/call/variable.hpp>
#include <xgrad/scope/operand/valued_number.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// It is its value, and has no slot. Of plain numbers a variable<double> does that: variable s = 0.0 is one, and so must be what stands beside it in c ? s : t.
template <class T>
class variable<detail::valued_of<T>> : public array_interface<variable<detail::valued_of<T>>, T, 0> {
public:
    using active_tag = void;
    using value_type = T;
    using lifetime = valued;
    static constexpr int rank = 0;
    static constexpr bool is_elementwise = false;

    XGRAD_DETAIL_INLINE variable() : value_(0) {}
    variable(variable const&) = default;
    template <class E>
        requires(!std::same_as<std::remove_cvref_t<E>, variable> && (active<E> || plain_operand<E>))
    XGRAD_DETAIL_INLINE variable(E&& e) : value_(value_of(std::forward<E>(e))) {}

    variable& operator=(variable const&) = default;
    template <class E>
        requires(!std::same_as<std::remove_cvref_t<E>, variable> && (active<E> || plain_operand<E>))
    XGRAD_DETAIL_INLINE variable& operator=(E&& e) {
        value_ = value_of(std::forward<E>(e));
        return *this;
    }
    template <class E>
    XGRAD_DETAIL_INLINE variable& operator+=(E&& e) {
        if constexpr (detail::takes_element_of<T, E>()) return *this = *this + std::forward<E>(e);
        else return *this;
    }
    template <class E>
    XGRAD_DETAIL_INLINE variable& operator-=(E&& e) {
        if constexpr (detail::takes_element_of<T, E>()) return *this = *this - std::forward<E>(e);
        else return *this;
    }
    template <class E>
    XGRAD_DETAIL_INLINE variable& operator*=(E&& e) {
        if constexpr (detail::takes_element_of<T, E>()) return *this = *this * std::forward<E>(e);
        else return *this;
    }
    template <class E>
    XGRAD_DETAIL_INLINE variable& operator/=(E&& e) {
        if constexpr (detail::takes_element_of<T, E>()) return *this = *this / std::forward<E>(e);
        else return *this;
    }
    variable& operator++() { return *this += T(1); }
    variable& operator--() { return *this -= T(1); }
    variable operator++(int) { return std::exchange(*this, *this + T(1)); }
    variable operator--(int) { return std::exchange(*this, *this - T(1)); }

    XGRAD_DETAIL_INLINE context* owner() const { return operand().owner(); }
    XGRAD_DETAIL_INLINE T const& number() const { return value_; }
    XGRAD_DETAIL_INLINE valued_number<T> operand() const { return valued_number<T>(value_); }
    XGRAD_DETAIL_INLINE valued_number<T> share() const { return operand(); }
    extents<0> extent() const { return {}; }
    static constexpr bool is_empty() noexcept { return false; }
    T deliver(T const&, bool) const { return value_; }

private:
    T value_;
    template <class U>
    static consteval bool is_number_of_its_kind() {
        if constexpr (!active<U>) return false;
        else return detail::is_valued<U> && U::rank == 0 && std::is_same_v<typename U::value_type, T>;
    }

    // What is not such a number is taken, or refused, as by any variable.
    template <class E>
    XGRAD_DETAIL_INLINE static T value_of(E&& e) {
        if constexpr (std::is_same_v<std::remove_cvref_t<E>, T>) return e;
        else if constexpr (requires { { e.operand() } -> std::same_as<valued_number<T>>; }) return e.operand().forward();
        else if constexpr (is_number_of_its_kind<std::remove_cvref_t<E>>()) return make_formula<identity_op>(std::forward<E>(e)).forward();
        else return variable<T>(std::forward<E>(e)).operand().forward();
    }
};

}
XGRAD_DETAIL_QUIET_END
