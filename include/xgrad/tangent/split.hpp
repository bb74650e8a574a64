// fdata_of(t) and rdata_of(t): the two parts of a tangent; join(f, r): the tangent of two such parts.
#pragma once

#include <utility>

#include <xgrad/tangent/fdata.hpp>
#include <xgrad/tangent/rdata.hpp>

namespace xgrad {

namespace detail {

struct fdata_of_fn {
    template <class T>
    [[nodiscard]] constexpr fdata_type_t<T> operator()([[maybe_unused]] T& t) const {
        using F = fdata_type_t<T>;
        if constexpr (absent<F>)
            return F{};
        else if constexpr (parts<T>::identity == identified::by_handle)
            return t;
        else if constexpr (parts<T>::identity == identified::by_address)
            return F(t);
        else
            return parts<T>::template make<F>(*this, t);
    }
};

struct rdata_of_fn {
    template <class T>
    [[nodiscard]] constexpr rdata_type_t<T> operator()([[maybe_unused]] T const& t) const {
        using R = rdata_type_t<T>;
        if constexpr (absent<R>)
            return R{};
        else if constexpr (has_parts<T>)
            return parts<T>::template make<R>(*this, t);
        else
            return t;
    }
};

// The tangent type that splits into F and R: the inverse of fdata_type_t and rdata_type_t.
template <class F, class R>
consteval auto find_joined_type();

template <class F, class R>
using find_joined_t = typename decltype(find_joined_type<F, R>())::type;

template <class F>
inline constexpr bool is_handle = false;
template <has_parts F>
inline constexpr bool is_handle<F> = parts<F>::identity == identified::by_handle;

template <class T>
struct to_constant {
    template <class>
    using type = T;
};

// The type of the form of Form whose parts have these types.
template <class Form, class... T>
consteval auto find_form_of() {
    if constexpr (sizeof...(T) == 1)
        return type_tag<rebind_t<Form, to_constant<T...>>>{};
    else
        return type_tag<typename parts<Form>::template of<T...>>{};
}
// Of two sides, of which one may be absent; then so are its parts.
template <class Form, class... F, class... R>
consteval auto join_parts(type_list<F...>, type_list<R...>) {
    return find_form_of<Form, find_joined_t<F, R>...>();
}
template <class Form, class... F, absent R>
consteval auto join_parts(type_list<F...>, R) {
    return find_form_of<Form, find_joined_t<F, R>...>();
}
template <class Form, absent F, class... R>
consteval auto join_parts(F, type_list<R...>) {
    return find_form_of<Form, find_joined_t<F, R>...>();
}

template <class F, class R>
consteval auto find_joined_type() {
    if constexpr (absent<F> && absent<R>)
        return type_tag<no_tangent>{};
    else if constexpr (is_shadow_ref<F>)
        return type_tag<typename F::shadow_type>{};
    else if constexpr (is_handle<F>)
        return type_tag<F>{};
    else if constexpr (absent<F> && !has_parts<R>)
        return type_tag<R>{};
    else if constexpr (mirror<F>)
        return type_tag<tangent_type_t<mirrored_t<F>>>{};
    else if constexpr (mirror<R>)
        return type_tag<tangent_type_t<mirrored_t<R>>>{};
    else if constexpr (absent<F>)
        return join_parts<R>(F{}, typename parts<R>::types{});
    else if constexpr (absent<R>)
        return join_parts<F>(typename parts<F>::types{}, R{});
    else
        return join_parts<F>(typename parts<F>::types{}, typename parts<R>::types{});
}

struct join_fn {
    template <class F, class R>
    [[nodiscard]] constexpr auto operator()([[maybe_unused]] F const& f, [[maybe_unused]] R const& r) const -> find_joined_t<F, R> {
        using T = find_joined_t<F, R>;
        if constexpr (absent<F> && absent<R>)
            return T{};
        else if constexpr (is_shadow_ref<F>)
            return std::move(*f);
        else if constexpr (is_handle<F>)
            return f;
        else if constexpr (absent<F> && !has_parts<R>)
            return r;
        else if constexpr (absent<F>)
            return parts<R>::template make<T>([this](auto const& part) { return (*this)(no_fdata{}, part); }, r);
        else if constexpr (absent<R>)
            return parts<F>::template make<T>([this](auto const& part) { return (*this)(part, no_rdata{}); }, f);
        else
            return parts<F>::template make<T>(*this, f, r);
    }
};

}  // namespace detail

template <class F, class R>
using joined_t = detail::find_joined_t<F, R>;

inline constexpr detail::fdata_of_fn fdata_of{};
inline constexpr detail::rdata_of_fn rdata_of{};

// Containers are moved out of the shadows that f refers to: their elements keep their addresses.
inline constexpr detail::join_fn join{};

}  // namespace xgrad
