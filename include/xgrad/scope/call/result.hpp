// Defines real, result<T> and sum_result: the declared result types. A result is delivered and seeded inside the function, while its locals live.
#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <xgrad/scope/call/limits.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void second_delivery() {
    throw std::logic_error("xgrad[E213]: a gradient call requires one result, found a second one made on the way: keep intermediate values in auto, and "
                           "return the one real, result or sum_result");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void other_delivery() {
    throw std::logic_error("xgrad[E213]: a gradient call requires that the result made in the function is the one it returns: return it");
}

// Evaluates an active scalar and, going backward, pulls it with this seed. What throws does so before anything is pulled. Way: std::true_type or
// std::false_type where the caller knows whether it goes backward, so that the other way is not compiled. ends: the function has returned, and what throws ends
// the call.
template <class Way = void, class E, class T = typename std::remove_cvref_t<E>::value_type>
XGRAD_DETAIL_INLINE T deliver(E&& e, context* c, T const& seed, bool ends = false) {
    if constexpr (std::is_lvalue_reference_v<E> || std::is_const_v<std::remove_reference_t<E>>) return deliver<Way>(as_operand(e), c, seed, ends);
    // a map in lanes runs one function for values alone, too
    else if constexpr (is_stacked<typename std::remove_cvref_t<E>::lifetime> && !is_pack<T>) return e.deliver(seed, std::true_type());
    else {
        auto by = [&](auto way) XGRAD_DETAIL_LAMBDA {
            if constexpr (is_formula<std::remove_cvref_t<E>>) return e.deliver(seed, way, ends);
            else return e.deliver(seed, way);
        };
        if constexpr (std::is_void_v<Way>) return by(c && c->reverse);
        else return by(Way());
    }
}

// The context that a result is delivered to; none for what is made of constants alone.
template <class E>
XGRAD_DETAIL_INLINE context* receiver(E const& e, bool may_deliver_again) {
    context* c = e.owner();
    if (c != running_call || !c) [[unlikely]] {
        if (c && !c->plain) contexts_meet();
        return nullptr;
    }
    if constexpr (!std::is_same_v<typename E::lifetime, unchecked>)
        if (c->deliveries != 0 && !may_deliver_again) [[unlikely]] second_delivery();
    return c;
}

}

namespace detail {
// A dual of other floating-point numbers as one of T.
template <class T, class S>
constexpr auto in_scalars_of(S const& y) {
    if constexpr (is_pack<S> || std::is_same_v<scalar_of_t<S>, T>) return y;
    else if constexpr (!number_dual<S>) return static_cast<T>(y);
    else {
        using P = std::remove_const_t<decltype(in_scalars_of<T>(y.primal))>;
        dual<P, S::count, typename S::tag> r(in_scalars_of<T>(y.primal));
        for (std::size_t k = 0; k < S::count; ++k) r.direction(k) = in_scalars_of<T>(y.direction(k));
        return r;
    }
}
}

namespace detail {
template <plain_array E>
auto only_plain_element(E const& e) {
    if (e.size() != 1)
        throw std::invalid_argument("xgrad[E218]: gradient(f, x...) requires a scalar result, found an array of shape " + shape_text(e.shape()) +
                                    ": reduce it with sum or mean");
    return *e.begin();
}
}

// The base of what a scoped function may return. It is opaque: no arithmetic; value() is the primal.
template <class T>
class result {
public:
    using declared_result = void;
    using value_type = T;

    template <class E>
        requires(std::is_arithmetic_v<std::remove_cvref_t<E>>)
    XGRAD_DETAIL_INLINE result(E const& constant) : value_(static_cast<T>(constant)) {}
    // the one element of a plain array, as a sum of it is
    template <plain_array E>
    result(E const& constant) : value_(static_cast<T>(detail::only_plain_element(constant))) {}
    template <active E>
    XGRAD_DETAIL_INLINE result(E&& e) {
        using U = std::remove_cvref_t<E>;
        if constexpr (U::rank != 0)
            static_assert(detail::never<E>,
                          "xgrad[E033]: gradient(f, x...) and value(f, x...) require a scalar result, but f gives an array: reduce it with sum or mean");
        else {
            context* c = detail::receiver<U>(e, false);
            using S = typename U::value_type;
            value_ = value_of_delivery(detail::deliver(std::forward<E>(e), c, S(1)), c, false);
            if ((delivered_ = c)) ++c->deliveries;
        }
    }
    T const& value() const noexcept { return value_; }
    // Whether this object is the delivery that the context has seen, or none was made.
    bool is_delivery_of(context const& c) const noexcept { return c.deliveries == (delivered_ ? 1 : 0); }

protected:
    result() = default;
    // Of a dual the primal, and of a pack nothing that would be used: the whole goes to the call.
    template <class S>
    static XGRAD_DETAIL_INLINE T value_of_delivery(S const& y, [[maybe_unused]] context* c, [[maybe_unused]] bool add) {
        if constexpr (is_pack<S>) {
            if (!c) return static_cast<T>(detail::only_number(detail::innermost_primal(y)));
            c->delivered(y, add);
            return T{};
        } else if constexpr (number_dual<S>) {
            auto const v = detail::in_scalars_of<T>(y);
            if (c) c->delivered(v, add);
            return detail::innermost_primal(v);
        } else return static_cast<T>(y);
    }
    T value_{};
    context* delivered_ = nullptr;
};

// The result of a scalar function of doubles (or of floats: the value is widened).
class real : public result<double> {
public:
    template <class E>
        requires(active<E> || std::is_arithmetic_v<std::remove_cvref_t<E>> || plain_array<E>)
    XGRAD_DETAIL_INLINE real(E&& e) : result<double>(static_cast<E&&>(e)) {}
};

// An additive loss: `total += r;` delivers r at once, so what r was made of is pulled as the loop's body ends.
template <class T>
class basic_sum_result : public result<T> {
public:
    basic_sum_result() : result<T>() {}
    basic_sum_result(basic_sum_result const&) = delete;
    basic_sum_result& operator=(basic_sum_result const&) = delete;
    basic_sum_result(basic_sum_result&& o) noexcept : result<T>(o) { o.delivered_ = nullptr; }

    template <active E>
    basic_sum_result& operator+=(E&& e) {
        using U = std::remove_cvref_t<E>;
        static_assert(U::rank == 0, "xgrad[E034]: total += x requires a scalar x: reduce it with sum or mean");
        context* c = detail::receiver<U>(e, this->delivered_ != nullptr);
        using S = typename U::value_type;
        T const v = result<T>::value_of_delivery(detail::deliver(std::forward<E>(e), c, S(1)), c, true);
        if (c && !this->delivered_) {
            this->delivered_ = c;
            ++c->deliveries;
        }
        this->value_ = this->value_ + v;
        return *this;
    }
    template <class E>
        requires(std::is_arithmetic_v<E>)
    basic_sum_result& operator+=(E constant) {
        this->value_ = this->value_ + static_cast<T>(constant);
        return *this;
    }
    template <class E>
        requires(active<E> || std::is_arithmetic_v<std::remove_cvref_t<E>>)
    basic_sum_result& operator-=(E&& e) {
        return *this += -std::forward<E>(e);
    }
};
using sum_result = basic_sum_result<double>;

template <class R>
concept declared_result = requires { typename std::remove_cvref_t<R>::declared_result; };
namespace detail {
// One of several numbers and arrays, whose caller says where they go (loops/declared.hpp).
template <class R>
concept declares_parts = requires { typename std::remove_cvref_t<R>::declared_parts; };
}

#define XGRAD_DETAIL_OPAQUE(SYMBOL)                                                                                                                          \
    template <class A, class B>                                                                                                                              \
        requires(declared_result<A> || declared_result<B>)                                                                                                   \
    auto operator SYMBOL(A&&, B&&) {                                                                                                                         \
        static_assert(detail::never<A>, "xgrad[E035]: an expression requires active values, but this one is the declared result of a function, which is "    \
                                        "already delivered: declare the helper's result auto or xgrad::variable");                                           \
    }
XGRAD_DETAIL_OPAQUE(+)
XGRAD_DETAIL_OPAQUE(-)
XGRAD_DETAIL_OPAQUE(*)
XGRAD_DETAIL_OPAQUE(/)
#undef XGRAD_DETAIL_OPAQUE

}
XGRAD_DETAIL_QUIET_END
