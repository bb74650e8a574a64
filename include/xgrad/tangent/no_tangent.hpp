// no_tangent, no_fdata, no_rdata: the types that say "there is none", and the form they take as members, where they need no room.
#pragma once

#include <type_traits>

namespace xgrad {

// The tangent type of what cannot be perturbed: not a zero tangent, which is a value.
struct no_tangent {
    friend constexpr bool operator==(no_tangent, no_tangent) = default;
};

// Nothing of the tangent is identified by its address.
struct no_fdata {
    friend constexpr bool operator==(no_fdata, no_fdata) = default;
};

// Nothing of the tangent is identified by its value.
struct no_rdata {
    friend constexpr bool operator==(no_rdata, no_rdata) = default;
};

// `None` as a member of a mirror. Members of one empty type may not share an address, not even as bases: so every field has a type of its own.
template <class None, auto Field>
struct absent_field {
    using none = None;
    // Not defaulted: zero-initialisation would write a byte, which belongs to a neighbour.
    constexpr absent_field() noexcept {}
    constexpr absent_field(None) noexcept {}
    constexpr operator None() const noexcept { return {}; }
    friend constexpr bool operator==(absent_field, absent_field) = default;
};

// Specialise it to true for an empty type of your own that means "none" as a field of a mirror.
template <class T>
inline constexpr bool is_none = std::is_same_v<T, no_tangent> || std::is_same_v<T, no_fdata> || std::is_same_v<T, no_rdata>;

template <class T>
inline constexpr bool is_absent = is_none<T>;
template <class None, auto Field>
inline constexpr bool is_absent<absent_field<None, Field>> = true;

// no_tangent, no_fdata, no_rdata, or one of them as a member.
template <class T>
concept absent = is_absent<std::remove_cvref_t<T>>;

}  // namespace xgrad
