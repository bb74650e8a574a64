// XGRAD_REFLECT(S, fields...): makes a struct's fields known, and with them its mirrors. Here is the macro and its variants.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

#include <xgrad/tangent/derived_reflection.hpp>
#include <xgrad/tangent/mirror.hpp>

// A for-each over macro arguments, by rescanning: 4 + 4^2 + 4^3 + 4^4 steps.
#define XGRAD_DETAIL_PARENS ()
#define XGRAD_DETAIL_SCAN(...) XGRAD_DETAIL_SCAN3(XGRAD_DETAIL_SCAN3(XGRAD_DETAIL_SCAN3(XGRAD_DETAIL_SCAN3(__VA_ARGS__))))
#define XGRAD_DETAIL_SCAN3(...) XGRAD_DETAIL_SCAN2(XGRAD_DETAIL_SCAN2(XGRAD_DETAIL_SCAN2(XGRAD_DETAIL_SCAN2(__VA_ARGS__))))
#define XGRAD_DETAIL_SCAN2(...) XGRAD_DETAIL_SCAN1(XGRAD_DETAIL_SCAN1(XGRAD_DETAIL_SCAN1(XGRAD_DETAIL_SCAN1(__VA_ARGS__))))
#define XGRAD_DETAIL_SCAN1(...) XGRAD_DETAIL_SCAN0(XGRAD_DETAIL_SCAN0(XGRAD_DETAIL_SCAN0(XGRAD_DETAIL_SCAN0(__VA_ARGS__))))
#define XGRAD_DETAIL_SCAN0(...) __VA_ARGS__
#define XGRAD_DETAIL_EACH(M, ...) __VA_OPT__(XGRAD_DETAIL_SCAN(XGRAD_DETAIL_EACH_STEP(M, __VA_ARGS__)))
#define XGRAD_DETAIL_EACH_STEP(M, a, ...) M(a) __VA_OPT__(XGRAD_DETAIL_EACH_NEXT XGRAD_DETAIL_PARENS(M, __VA_ARGS__))
#define XGRAD_DETAIL_EACH_NEXT() XGRAD_DETAIL_EACH_STEP
#define XGRAD_DETAIL_LIST(M, ...) __VA_OPT__(XGRAD_DETAIL_SCAN(XGRAD_DETAIL_LIST_STEP(M, __VA_ARGS__)))
#define XGRAD_DETAIL_LIST_STEP(M, a, ...) M(a) __VA_OPT__(, XGRAD_DETAIL_LIST_NEXT XGRAD_DETAIL_PARENS(M, __VA_ARGS__))
#define XGRAD_DETAIL_LIST_NEXT() XGRAD_DETAIL_LIST_STEP

#define XGRAD_DETAIL_NAME(a) ::std::string_view{#a}
#define XGRAD_DETAIL_TYPE(a) decltype(xgrad_type::a)
#define XGRAD_DETAIL_TIED(a) xgrad_s.a
#define XGRAD_DETAIL_CALL(a) xgrad_f(xgrad_s.a...)
#define XGRAD_DETAIL_STATEMENT(a) static_cast<void>(xgrad_f(xgrad_s.a...));
#define XGRAD_DETAIL_FIELD(a) \
    [[no_unique_address]] typename ::xgrad::detail::mirror_field<typename XgradFn::template type<decltype(xgrad_type::a)>, xgrad_at::a>::type a{};

// What stands in the reflection of a struct, of which xgrad_type is a name.
#define XGRAD_DETAIL_REFLECTION(NAME, ...)                                                                 \
    static constexpr ::std::string_view name() noexcept { return NAME; }                                   \
    enum class xgrad_at : ::std::size_t { __VA_ARGS__ };                                                   \
    using types = ::xgrad::type_list<XGRAD_DETAIL_LIST(XGRAD_DETAIL_TYPE, __VA_ARGS__)>;                   \
    static constexpr ::std::array<::std::string_view, types::size> names() noexcept {                      \
        return {XGRAD_DETAIL_LIST(XGRAD_DETAIL_NAME, __VA_ARGS__)};                                        \
    }                                                                                                      \
    template <class XgradFn>                                                                               \
    struct mirror {                                                                                        \
        using xgrad_mirror_of = ::xgrad::detail::mirror_of<xgrad_type, XgradFn>;                           \
        XGRAD_DETAIL_EACH(XGRAD_DETAIL_FIELD, __VA_ARGS__)                                                 \
    };                                                                                                     \
    template <class XgradS>                                                                                \
    static constexpr auto tie([[maybe_unused]] XgradS& xgrad_s) noexcept {                                 \
        return ::std::tie(XGRAD_DETAIL_LIST(XGRAD_DETAIL_TIED, __VA_ARGS__));                              \
    }                                                                                                      \
    template <class XgradF, class... XgradS>                                                               \
    static constexpr void each([[maybe_unused]] XgradF& xgrad_f, [[maybe_unused]] XgradS&... xgrad_s) {    \
        XGRAD_DETAIL_EACH(XGRAD_DETAIL_STATEMENT, __VA_ARGS__)                                             \
    }                                                                                                      \
    template <class XgradM, class XgradF, class... XgradS>                                                 \
    static constexpr XgradM make([[maybe_unused]] XgradF& xgrad_f, [[maybe_unused]] XgradS&&... xgrad_s) { \
        return XgradM{XGRAD_DETAIL_LIST(XGRAD_DETAIL_CALL, __VA_ARGS__)};                                  \
    }

#define XGRAD_DETAIL_UNPAREN(...) __VA_ARGS__
#define XGRAD_DETAIL_REFLECTION_OF(S, NAME, ...) \
    using xgrad_type = S;                        \
    XGRAD_DETAIL_REFLECTION(NAME, __VA_ARGS__)

// Beside the struct, in its namespace.
#define XGRAD_REFLECT(S, ...)                          \
    struct xgrad_reflection_##S {                      \
        XGRAD_DETAIL_REFLECTION_OF(S, #S, __VA_ARGS__) \
    };                                                 \
    [[maybe_unused]] constexpr xgrad_reflection_##S xgrad_reflect(::xgrad::type_tag<S>) { return {}; }

// Inside the class, after its fields: for private members, class templates and nested classes.
#define XGRAD_REFLECT_INSIDE(S, ...)                   \
    struct xgrad_reflection {                          \
        XGRAD_DETAIL_REFLECTION_OF(S, #S, __VA_ARGS__) \
    };                                                 \
    [[maybe_unused]] friend constexpr xgrad_reflection xgrad_reflect(::xgrad::type_tag<S>) { return {}; }

// In the global namespace, for a type of somebody else's: XGRAD_REFLECT_FOREIGN(lib::point, x, y).
#define XGRAD_REFLECT_FOREIGN(S, ...)                      \
    template <>                                            \
    struct xgrad::detail::reflection_of<S> {               \
        struct type {                                      \
            XGRAD_DETAIL_REFLECTION_OF(S, #S, __VA_ARGS__) \
        };                                                 \
    };

// In the global namespace, for a class template of somebody else's: XGRAD_REFLECT_TEMPLATE((class T, int N), (lib::point<T, N>), x, y).
#define XGRAD_REFLECT_TEMPLATE(PARAMETERS, S, ...)                              \
    template <XGRAD_DETAIL_UNPAREN PARAMETERS>                                  \
    struct xgrad::detail::reflection_of<XGRAD_DETAIL_UNPAREN S> {               \
        struct type {                                                           \
            XGRAD_DETAIL_REFLECTION_OF(XGRAD_DETAIL_UNPAREN S, #S, __VA_ARGS__) \
        };                                                                      \
    };

// Beside a struct with base classes that are reflected: XGRAD_REFLECT_DERIVED(S, (B, C), a, b). Bases without data need not be named.
#define XGRAD_REFLECT_DERIVED(S, BASES, ...)                                                                                \
    struct xgrad_own_reflection_##S {                                                                                       \
        XGRAD_DETAIL_REFLECTION_OF(S, #S, __VA_ARGS__)                                                                      \
    };                                                                                                                      \
    using xgrad_reflection_##S = ::xgrad::detail::derived_reflection<xgrad_own_reflection_##S, XGRAD_DETAIL_UNPAREN BASES>; \
    [[maybe_unused]] constexpr xgrad_reflection_##S xgrad_reflect(::xgrad::type_tag<S>) { return {}; }
