// XGRAD_REFLECT(S, fields...): makes a struct's fields known, and with them its mirrors. Here is the macro and its variants.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <xgrad/tangent/derived_reflection.hpp>
#include <xgrad/tangent/mirror.hpp>

namespace xgrad::detail {

// What XGRAD_REFLECT is given: a name without :: and < >, of a type and not of a class template.
consteval bool is_plain_name(std::string_view s) { return s.find_first_of(":<") == s.npos; }
template <class>
consteval bool names_a_type() {
    return true;
}
template <template <class...> class>
consteval bool names_a_type() {
    return false;
}
template <template <class, auto, auto...> class>
consteval bool names_a_type() {
    return false;
}


// Whether the field of this name can be named from outside; and the name of the first that cannot.
struct seen_field {
    std::string_view name;
    bool is_seen;
};
struct field_name {
    char text[64] = {};
    consteval bool empty() const { return text[0] == '\0'; }
};
consteval field_name first_unseen(std::initializer_list<seen_field> all) {
    field_name r;
    for (auto const& f : all)
        if (!f.is_seen && r.empty())
            for (std::size_t i = 0; i < f.name.size() && i < 63; ++i) r.text[i] = f.name[i];
    return r;
}
template <field_name Name>
struct field_of_struct {
    static_assert(Name.empty(),
                  "xgrad[E118]: XGRAD_REFLECT(S, fields...) requires fields that can be named from outside, but the one named here is private, or S has no "
                  "such field: correct the name, or, inside the class, write XGRAD_REFLECT_INSIDE(S, fields...)");
};

// The reflection of S, which has the bases B, by what a macro wrote. Where a field cannot be named that is said, and there is none.
template <class... B, class Written, class S>
constexpr auto reflection_by(type_tag<Written>, type_tag<S>) {
    static_assert((reflected<B> && ...), "xgrad[E158]: XGRAD_REFLECT_DERIVED(S, (B), fields...) requires bases that are reflected themselves, but one is not: "
                                         "write XGRAD_REFLECT(B, fields...) beside it, and before, or leave a base without data out");
    if constexpr (!Written::template unseen<S>.empty()) return field_of_struct<Written::template unseen<S>>{};
    else if constexpr (!(reflected<B> && ...)) return no_tangent{};
    else if constexpr (sizeof...(B) == 0) return typename Written::template fields<S>{};
    else return derived_reflection<typename Written::template fields<S>, B...>{};
}

}  // namespace xgrad::detail

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

#define XGRAD_DETAIL_SEEN(a) ::xgrad::detail::seen_field{#a, requires { xgrad_type::a; }}

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
        template <class XgradT>                                                                            \
            requires(::xgrad::detail::stands_for_structs<XgradFn> && ::std::is_same_v<XgradT, xgrad_type>) \
        operator XgradT() const {                                                                          \
            return ::xgrad::detail::refuse_struct<XgradT>();                                               \
        }                                                                                                  \
        template <class XgradM>                                                                            \
            requires(::xgrad::detail::stands_for_structs<XgradFn> &&                                       \
                     ::xgrad::detail::other_form_of<XgradM, xgrad_type, mirror>)                           \
        mirror& operator=(XgradM const& xgrad_m) {                                                         \
            ::xgrad::detail::assign_field xgrad_f;                                                         \
            ::xgrad::for_each_field(xgrad_f, *this, xgrad_m);                                              \
            return *this;                                                                                  \
        }                                                                                                  \
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
// What a macro writes: templates over the struct, so that a field that cannot be named is found, and is no error by itself.
#define XGRAD_DETAIL_WRITTEN(NAME, ...)                                                                                 \
    template <class xgrad_type>                                                                                         \
    static constexpr auto unseen = ::xgrad::detail::first_unseen({XGRAD_DETAIL_LIST(XGRAD_DETAIL_SEEN, __VA_ARGS__)});  \
    template <class xgrad_of>                                                                                           \
    struct fields {                                                                                                     \
        using xgrad_type = xgrad_of;                                                                                    \
        XGRAD_DETAIL_REFLECTION(NAME, __VA_ARGS__)                                                                      \
    };

#define XGRAD_DETAIL_REQUIRE_STRUCT(S)                                                                                                                      \
    static_assert(::xgrad::detail::is_plain_name(#S),                                                                                                       \
                  "xgrad[E119]: XGRAD_REFLECT(S, fields...) requires the plain name of a struct of the namespace that it stands in, but S has :: or < >: "  \
                  "move it beside the struct, or, in the global namespace, write XGRAD_REFLECT_FOREIGN(S, fields...)");                                     \
    static_assert(::xgrad::detail::names_a_type<S>(),                                                                                                       \
                  "xgrad[E123]: XGRAD_REFLECT(S, fields...) requires a struct, but S is a class template: write XGRAD_REFLECT_INSIDE(S, fields...) inside " \
                  "it, or, in the global namespace, XGRAD_REFLECT_TEMPLATE((class T), (S<T>), fields...)");

// Beside the struct, in its namespace.
#define XGRAD_REFLECT(S, ...)                                                            \
    XGRAD_DETAIL_REQUIRE_STRUCT(S)                                                       \
    struct xgrad_reflection_##S { XGRAD_DETAIL_WRITTEN(#S, __VA_ARGS__) };               \
    [[maybe_unused]] inline auto xgrad_reflect(::xgrad::type_tag<S> xgrad_s) {           \
        return ::xgrad::detail::reflection_by(::xgrad::type_tag<struct xgrad_reflection_##S>(), xgrad_s);          \
    }

// Inside the class, after its fields: for private members, class templates and nested classes.
#define XGRAD_REFLECT_INSIDE(S, ...)                                                     \
    struct xgrad_reflection { XGRAD_DETAIL_WRITTEN(#S, __VA_ARGS__) };                   \
    [[maybe_unused]] friend auto xgrad_reflect(::xgrad::type_tag<S> xgrad_s) {           \
        return ::xgrad::detail::reflection_by(::xgrad::type_tag<xgrad_reflection>(), xgrad_s);              \
    }

// In the global namespace, for a type of somebody else's: XGRAD_REFLECT_FOREIGN(lib::point, x, y).
#define XGRAD_REFLECT_FOREIGN(S, ...)                                                                       \
    template <>                                                                                             \
    struct xgrad::detail::reflection_of<S> {                                                                \
        struct written { XGRAD_DETAIL_WRITTEN(#S, __VA_ARGS__) };                                           \
        using type = decltype(::xgrad::detail::reflection_by(::xgrad::type_tag<written>(), ::xgrad::type_tag<S>{}));           \
    };

// In the global namespace, for a class template of somebody else's: XGRAD_REFLECT_TEMPLATE((class T, int N), (lib::point<T, N>), x, y).
#define XGRAD_REFLECT_TEMPLATE(PARAMETERS, S, ...)                                                                               \
    template <XGRAD_DETAIL_UNPAREN PARAMETERS>                                                                                   \
    struct xgrad::detail::reflection_of<XGRAD_DETAIL_UNPAREN S> {                                                                \
        struct written { XGRAD_DETAIL_WRITTEN(#S, __VA_ARGS__) };                                                                \
        using type = decltype(::xgrad::detail::reflection_by(::xgrad::type_tag<written>(), ::xgrad::type_tag<XGRAD_DETAIL_UNPAREN S>{}));           \
    };

// Beside a struct with base classes that are reflected: XGRAD_REFLECT_DERIVED(S, (B, C), a, b). Bases without data need not be named.
#define XGRAD_REFLECT_DERIVED(S, BASES, ...)                                                                               \
    XGRAD_DETAIL_REQUIRE_STRUCT(S)                                                                                         \
    struct xgrad_reflection_##S { XGRAD_DETAIL_WRITTEN(#S, __VA_ARGS__) };                                                 \
    [[maybe_unused]] inline auto xgrad_reflect(::xgrad::type_tag<S> xgrad_s) {                                             \
        return ::xgrad::detail::reflection_by<XGRAD_DETAIL_UNPAREN BASES>(::xgrad::type_tag<struct xgrad_reflection_##S>(), xgrad_s);                \
    }
