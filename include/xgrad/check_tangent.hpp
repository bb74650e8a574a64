// check_tangent(x): tests at run time the laws that hold for the tangents of x, for your own types too.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/check_tangent_types.hpp>
#include <xgrad/tangent/accumulate.hpp>
#include <xgrad/tangent/add_to_primal.hpp>
#include <xgrad/tangent/addresses.hpp>
#include <xgrad/tangent/clone.hpp>
#include <xgrad/tangent/describe.hpp>
#include <xgrad/tangent/difference.hpp>
#include <xgrad/tangent/law_report.hpp>
#include <xgrad/tangent/pairing.hpp>
#include <xgrad/tangent/randn_tangent.hpp>
#include <xgrad/tangent/same_value.hpp>
#include <xgrad/tangent/scale.hpp>
#include <xgrad/tangent/set_to_zero.hpp>
#include <xgrad/tangent/split.hpp>
#include <xgrad/tangent/zero_rdata.hpp>
#include <xgrad/tangent/zero_tangent.hpp>

namespace xgrad {

namespace detail {

// Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
struct splitmix {
    std::uint64_t state;
    using result_type = std::uint64_t;
    static constexpr std::uint64_t min() { return 0; }
    static constexpr std::uint64_t max() { return std::numeric_limits<std::uint64_t>::max(); }
    constexpr std::uint64_t operator()() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
};

// |d - t| is at most the rounding errors of x + t and of taking x away again.
struct compare_round_trip : operation {
    bool* close;
    template <class P, class T>
    void operator()([[maybe_unused]] P const& x, [[maybe_unused]] T const& t, [[maybe_unused]] T const& d) const {
        if constexpr (differentiable<P>) {
            if constexpr (has_parts<P>) {
                parts<P>::each(*this, x, t, d);
            } else {
                using std::abs;
                *close = *close && abs(d - t) <= 2 * std::numeric_limits<real_type_t<T>>::epsilon() * (abs(x) + abs(t));
            }
        }
    }
};

struct count_numbers : operation {
    std::size_t* count;
    template <class T>
    constexpr void operator()(T const& t) const {
        if constexpr (has_parts<T>)
            parts<T>::each(*this, t);
        else if constexpr (!absent<T>)
            ++*count;
    }
};

struct count_made : operation {
    std::size_t* count;
    template <class T>
    constexpr T operator()(T const& t) const {
        if constexpr (has_parts<T>)
            return parts<T>::template make<T>(*this, t);
        else
            return *count += !absent<T>, t;
    }
};

// One object has one shadow, and two objects have two.
struct match_objects : operation {
    std::map<std::pair<void const*, void const*>, void const*>* shadow_of;
    bool* one_to_one;
    template <class P, class T>
    void operator()([[maybe_unused]] P const& x, [[maybe_unused]] T const& t) const {
        if constexpr (differentiable<P> && has_parts<P>) {
            if constexpr (is_shared_owner<P>) {
                if (is_there(x) && is_there(t)) {
                    void const* shadow = &pointee(t);
                    auto const [at, fresh] = shadow_of->try_emplace({&pointee(x), &identity_of_type<P>}, shadow);
                    *one_to_one = *one_to_one && at->second == shadow;
                    if (!fresh) return;
                }
            }
            parts<P>::each(*this, x, t);
        }
    }
};

template <class P, class T>
bool one_shadow_each(P const& x, T const& t) {
    std::map<std::pair<void const*, void const*>, void const*> shadow_of;
    bool one_to_one = true;
    match_objects{{}, &shadow_of, &one_to_one}(x, t);
    std::map<void const*, int> owners;
    for (auto const& [object, shadow] : shadow_of) one_to_one = one_to_one && ++owners[shadow] == 1;
    return one_to_one;
}

// Each law by itself: an exception breaks the one it is thrown in.
template <class Law>
void check_law(law_report& report, std::string const& name, Law law) {
    try {
        report.require(law(), name);
    } catch (std::exception const& e) {
        report.require(false, name + " (threw: " + e.what() + ")");
    }
}

template <class T>
void check_laws_in_place(law_report& report, T& t) {
    check_law(report, "accumulate: accumulate(t, s) is t", [&] { return &accumulate(t, std::as_const(t)) == &t; });
    check_law(report, "split: join(fdata_of(t), rdata_of(t)) has the addresses of t", [&] {
        auto const before = addresses_in(t);
        auto joined = join(fdata_of(t), rdata_of(t));
        bool const kept = addresses_in(joined) == before;
        t = std::move(joined);
        return kept;
    });
    check_law(report, "zero: set_to_zero(t) is t and has no length", [&] { return &set_to_zero(t) == &t && pairing(t, t) == 0; });
}

}  // namespace detail

// The laws that need no more than one tangent of x; t is zero afterwards. For what does not own what it refers to.
template <class P>
[[nodiscard]] law_report check_tangent([[maybe_unused]] P const& x, tangent_type_t<P>& t) {
    static_assert(check_tangent_types<P>());
    law_report report;
    detail::check_laws_in_place(report, t);
    return report;
}

// All laws, on random tangents of x.
template <class P>
[[nodiscard]] law_report check_tangent(P const& x, std::uint64_t seed = 1) {
    static_assert(check_tangent_types<P>());
    using detail::check_law, detail::clone, detail::same_value;
    law_report report;
    detail::splitmix rng{seed};
    auto const zero = zero_tangent(x);
    auto const t = randn_tangent(rng, x);
    auto const s = randn_tangent(rng, x);
    auto const twice = scale(2, t);
    check_law(report, "parts: each meets as many numbers as make makes", [&] {
        std::size_t met = 0, made = 0;
        detail::with_object_table<P>(detail::count_numbers{{}, &met}, t);
        static_cast<void>(detail::with_object_table<P>(detail::count_made{{}, &made}, t));
        return met == made;
    });
    if constexpr (differentiable<P> && detail::fixed_form<P> && std::is_default_constructible_v<tangent_type_t<P>>)
        check_law(report, "parts: of a fixed form M{} has the parts that x has", [&] {
            tangent_type_t<P> blank{};
            std::size_t of_x = 0, of_blank = 0;
            parts<P>::each([&](auto const&) { ++of_x; }, x);
            parts<P>::each([&](auto const&) { ++of_blank; }, blank);
            parts<P>::each([](auto const&, auto const&) {}, x, blank);
            return of_x == of_blank;
        });
    check_law(report, "zero: 0 + t = t", [&] { return same_value(accumulate(zero, t), t); });
    check_law(report, "zero: t + 0 = t", [&] { return same_value(accumulate(t, zero), t); });
    check_law(report, "zero: set_to_zero(t) = zero_tangent(x)", [&] {
        auto u = clone(t);
        return same_value(set_to_zero(u), zero);
    });
    check_law(report, "vector space: t + s = s + t", [&] { return same_value(accumulate(t, s), accumulate(s, t)); });
    check_law(report, "vector space: scale(2, t) = t + t, each object once", [&] { return same_value(twice, accumulate(t, t)); });
    check_law(report, "accumulate: by value as in place", [&] {
        auto u = clone(t);
        return same_value(accumulate(u, s), accumulate(t, s)) && same_value(accumulate(clone(t), s), u);
    });
    check_law(report, "accumulate: leaves a constant as it is", [&] {
        auto const before = scale(1, t);
        static_cast<void>(accumulate(t, s));
        return same_value(t, before);
    });
    check_law(report, "pairing: (0, 0) = 0, (t, t) = 0 for zero only", [&] {
        return pairing(zero, zero) == 0 && (pairing(t, t) > 0 || same_value(t, zero));
    });
    check_law(report, "pairing: (t, 2 t) = 2 (t, t), (t, s) = (s, t)", [&] {
        return pairing(t, twice) == 2 * pairing(t, t) && pairing(t, s) == pairing(s, t);
    });
    check_law(report, "primal: x + 0 = x", [&] { return same_value(difference(add_to_primal(x, zero), x), zero); });
    check_law(report, "primal: x - x = 0", [&] { return same_value(difference(x, x), zero); });
    check_law(report, "primal: (x + t) - x = t up to rounding", [&] {
        bool close = true;
        detail::with_object_table<P>(detail::compare_round_trip{{}, &close}, x, t, difference(add_to_primal(x, t), x));
        return close;
    });
    check_law(report, "aliasing: one shadow for each object", [&] {
        auto u = clone(t);
        accumulate(u, s);
        return detail::one_shadow_each(x, zero) && detail::one_shadow_each(x, t) && detail::one_shadow_each(x, u) &&
               detail::one_shadow_each(x, difference(x, x)) && detail::one_shadow_each(add_to_primal(x, t), t);
    });
    check_law(report, "split: join(fdata_of(t), rdata_of(t)) = t", [&] {
        auto u = clone(t);
        return same_value(join(fdata_of(u), rdata_of(u)), t);
    });
    if constexpr (has_zero_rdata<P>)
        check_law(report, "split: zero_rdata<P>() is the rdata of zero", [&] {
            auto u = clone(zero);
            return same_value(join(fdata_of(u), zero_rdata<P>()), zero);
        });
    auto u = clone(t);
    detail::check_laws_in_place(report, u);
    return report;
}

}  // namespace xgrad
