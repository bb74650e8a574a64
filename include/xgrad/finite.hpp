// Defines finite(x, name), a guard that says where the first value or cotangent that is not finite arose, and check_finite(f, x...), a call under guard.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include <xgrad/compare.hpp>
#include <xgrad/flatten.hpp>
#include <xgrad/gradient.hpp>
#include <xgrad/hook.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/storage/check_finite.hpp>

namespace xgrad {

namespace detail {

struct guard {
    char const* name;
    static constexpr bool looks_at_values = true;

    template <class F, int R>
    void look_at(F const& element, extents<R> const& shape) const {
        if (auto const found = find_infinite(element, shape); !found.empty()) throw std::domain_error(requires_text() + "finite values, found " + found);
    }
    template <class G>
    void operator()(G& xbar) const {
        std::string found;
        if constexpr (plain_array<G>) found = find_infinite([&](std::size_t i) { return xbar.data()[i]; }, shape_of<rank_of<G>>(xbar));
        else found = find_infinite([&](std::size_t) { return xbar; }, extents<0>());
        if (found.empty() || (finite_report && !finite_report->empty())) return;
        auto const text =
            requires_text() + "a finite cotangent, found " + found + ": its value was finite, and what is computed from it has an infinite derivative there";
        if (finite_report) *finite_report = text;
        else std::fputs((text + "\n").c_str(), stderr);
    }

private:
    std::string requires_text() const { return std::string("xgrad[E209]: finite(x, \"") + name + "\") requires "; }
};

}

// x, a number or an array, under guard. Where its value is not finite it throws std::domain_error, which says what was found where, in the forward
// pass. Where the cotangent that comes back is not finite it says so on stderr, or to check_finite. `name` is to live as long as the call.
template <class X>
auto finite(X&& x, char const* name) {
    detail::guard const g{name};
    if constexpr (active<X>) return hook(std::forward<X>(x), g);
    else {
        std::remove_cvref_t<X> y(std::forward<X>(x));
        if constexpr (plain_array<X>) {
            auto const values = xt::eval(y);
            auto at = values.template begin<xt::layout_type::row_major>();
            g.look_at([&](std::size_t i) { return *(at + static_cast<std::ptrdiff_t>(i)); }, detail::shape_of<rank_of<decltype(values)>>(values));
        } else g.look_at([&](std::size_t) { return y; }, extents<0>());
        return y;
    }
}

// value_and_gradient(f, x...) of arguments, a value and a gradient that are all finite; otherwise it throws std::domain_error with one sentence:
// which argument was not finite, or which guard in f found the first value, or the first cotangent, that was not, or which derivative is not.
template <class F, class... X>
auto check_finite(F&& f, X const&... x) {
    auto const check = [](std::string const& what, auto const& t) {
        std::size_t k = 0;
        for_each_number(
            [&](auto const& v) {
                long double const n = static_cast<long double>(std::abs(v));
                if (!std::isfinite(n))
                    throw std::domain_error("xgrad[E209]: check_finite(f, x...) requires " + what + ", found " + (std::isnan(n) ? "nan" : "an infinity") +
                                            " as its number " + std::to_string(k));
                ++k;
            },
            t);
    };
    auto const check_each = [&](char const* what, auto const&... t) {
        std::size_t i = 0;
        (check(std::string(what) + std::to_string(i++), t), ...);
    };
    check_each("finite arguments: argument ", x...);
    std::string report;
    struct listen {
        std::string* before = std::exchange(detail::finite_report, nullptr);
        explicit listen(std::string& r) { detail::finite_report = &r; }
        ~listen() { detail::finite_report = before; }
    };
    auto r = [&] {
        listen const here(report);
        return value_and_gradient(f, x...);
    }();
    if (!report.empty()) throw std::domain_error(report);
    check("a finite value, though all guarded values are: put finite(y, \"y\") on more of them", r.value);
    detail::call_with([&](auto const&... g) { check_each("a finite gradient, though all guarded cotangents are: the gradient of argument ", g...); },
                      r.gradient);
    return r;
}

}
