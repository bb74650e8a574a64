// fdata_type_t<P>: the part of P's tangent that is identified by its address: it is there on the forward pass and added to on the reverse pass.
#pragma once

#include <type_traits>

#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

// A reference to a shadow: the tangent T of what has an address, a container. Copies refer to the same shadow; a fresh one refers to none yet.
template <class T>
class shadow_ref {
public:
    using shadow_type = T;
    constexpr shadow_ref() = default;
    constexpr explicit shadow_ref(T& shadow) noexcept : shadow_(&shadow) {}
    [[nodiscard]] constexpr T& get() const noexcept { return *shadow_; }
    [[nodiscard]] constexpr T& operator*() const noexcept { return *shadow_; }
    [[nodiscard]] constexpr T* operator->() const noexcept { return shadow_; }

private:
    T* shadow_ = nullptr;
};

template <class R>
inline constexpr bool is_shadow_ref = false;
template <class T>
inline constexpr bool is_shadow_ref<shadow_ref<T>> = true;

namespace detail {

template <class P>
consteval auto find_fdata_type();

}  // namespace detail

template <class P>
using fdata_type_t = typename decltype(detail::find_fdata_type<std::remove_cvref_t<P>>())::type;

namespace detail {

struct to_fdata {
    template <class P>
    using type = fdata_type_t<P>;
};

template <class... P>
consteval bool have_no_fdata(type_list<P...>) {
    return (true && ... && std::is_same_v<fdata_type_t<P>, no_fdata>);
}

template <class P>
consteval auto find_fdata_type() {
    if constexpr (std::is_same_v<tangent_type_t<P>, no_tangent> || !has_parts<P>) {
        return type_tag<no_fdata>{};
    } else if constexpr (parts<P>::identity == identified::by_handle) {
        return type_tag<tangent_type_t<P>>{};
    } else if constexpr (parts<P>::identity == identified::by_address) {
        return type_tag<shadow_ref<tangent_type_t<P>>>{};
    } else if constexpr (have_no_fdata(typename parts<P>::types{})) {
        return type_tag<no_fdata>{};
    } else {
        return type_tag<rebind_t<P, to_fdata>>{};
    }
}

}  // namespace detail

// The fdata of a reflected struct: its mirror, with the same field names.
template <reflected S>
using fdata = fdata_type_t<S>;

}  // namespace xgrad
