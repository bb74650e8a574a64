// Defines rule_comparison: a function, its differences and the report on it, and how two numbers are compared that should be the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <xgrad/rule/difference_quotients.hpp>
#include <xgrad/rule/flat_function.hpp>
#include <xgrad/rule/rule_report.hpp>
#include <xgrad/tangent/randn_tangent.hpp>

namespace xgrad::detail {

inline std::string number_text(double v, int digits = 12) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, v);
    return text;
}
inline bool same_bits(numbers const& a, numbers const& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}
inline double dot_product(numbers const& a, numbers const& b) {
    double s = 0;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        if (a[i] != 0 && b[i] != 0) s += a[i] * b[i];
    return s;
}
inline double largest(numbers const& a) {
    double m = 0;
    for (double v : a) m = std::abs(v) > m ? std::abs(v) : m;
    return m;
}

class rule_comparison {
public:
    rule_comparison(flat_function& function, rule_options const& o, rule_report& report)
        : f(function), options(o), r(report), rng(o.seed), tolerance(o.tolerance > 0 ? o.tolerance : 10 * std::pow(f.epsilon, 2.0 / 3)),
          roundoff(o.roundoff > 0 ? o.roundoff : 2000 * f.epsilon),
          steps(o.steps ? o.steps : 3 + static_cast<std::size_t>(std::max(2.0, std::log2(o.first_step / std::cbrt(f.epsilon))))) {}

protected:
    flat_function& f;
    rule_options const& options;
    rule_report& r;
    std::mt19937_64 rng;
    double tolerance, roundoff;
    std::size_t steps;
    flat_function::result base{};
    bool changes = false;  // the function changes its arguments
    std::vector<std::string> x_names{}, y_names{};

    void wrong(char const* check, std::string const& entry, std::string const& text, std::string table = {}) {
        r.add({check, entry.empty() || f.name.empty() ? entry + f.name : entry + " (" + f.name + ")", text, std::move(table)});
    }
    template <class Check>
    void attempt(char const* check, Check const& one) {
        r.begin(check);
        try {
            one();
        } catch (std::exception const& e) {
            wrong(check, "", std::string("threw: ") + e.what());
        }
    }
    std::string name_of(std::vector<std::string>& names, std::size_t i) {
        if (&names == &y_names && names.empty()) names = f.names_of_value();
        if (&names == &x_names && names.empty()) names = f.names_of_arguments();
        return i < names.size() ? names[i] : std::string("#") + std::to_string(i);  // not the literal: tangent/type_name.hpp says why
    }
    std::string y_name(std::size_t j) { return j < base.y.size() ? name_of(y_names, j) : name_of(x_names, j - base.y.size()) + " afterwards"; }

    numbers random_numbers(std::size_t n) {
        numbers v(n);
        for (double& d : v) d = standard_normal(rng);
        return v;
    }
    numbers random_direction() {
        numbers v = random_numbers(f.x.size());
        for (std::size_t i = 0; i < v.size(); ++i) v[i] *= f.magnitude[i];
        return v;
    }
    // The value, and what the arguments are afterwards where the function changes them.
    numbers outputs(flat_function::result const& v) const {
        numbers all = v.y;
        if (changes) all.insert(all.end(), v.after.begin(), v.after.end());
        return all;
    }
    template <class Map>
    difference_quotients differences(Map const& map, numbers const& v) const {
        return {map, f.x, v, options.first_step, steps, f.epsilon};
    }
    difference_quotients differences_of_value(numbers const& v) const {
        return differences([this](numbers const& at) { return outputs(f.value(at)); }, v);
    }

    // Two ways to compute the same numbers.
    template <class Name>
    bool agree(char const* check, std::string const& ways, numbers const& found, numbers const& expected, Name const& name) {
        if (found.size() != expected.size()) {
            wrong(check, "", ways + " gives " + std::to_string(found.size()) + " numbers, not " + std::to_string(expected.size()));
            return false;
        }
        double const scale = largest(expected);
        bool good = true;
        for (std::size_t i = 0; i < found.size(); ++i)
            if (!(std::abs(found[i] - expected[i]) <= roundoff * (std::abs(expected[i]) + scale)) && found[i] != expected[i]) {
                wrong(check, name(i), ways + " is " + number_text(found[i], 17) + ", not " + number_text(expected[i], 17));
                good = false;
            }
        return good;
    }
    // A derivative along v against its differences; what is reported is divided by `unit`. Where they differ `again`, the same as a function of x, is asked
    // how large its own rounding errors are: 1 - tanh² has next to no digits where tanh is nearly 1.
    bool derivative_agrees(char const* check, std::string const& entry, double found, difference_quotients const& q, std::size_t j, flat_map const& again,
                           numbers const& v, double unit = 1) {
        estimate const e = q.of(j);
        double const scale = std::abs(e.value) + std::abs(found);
        if (!std::isfinite(e.error)) {
            if (std::isfinite(found) && found == 0) return true;
            wrong(check, entry, "is " + number_text(found / unit) + ", but there are no finite differences here: check it inside the domain");
            return false;
        }
        auto const noise = [&] {
            auto const moved = [&](double t) {
                numbers at = f.x;
                for (std::size_t i = 0; i < at.size(); ++i) at[i] += t * v[i];
                return again(at);
            };
            numbers const y = rounding_errors(moved, f.epsilon);
            return j < y.size() ? y[j] : 0.0;
        };
        double const most = 8 * e.error + tolerance * scale, off = std::abs(found - e.value);
        if (!std::isfinite(found) || (!(off <= most) && !(off <= most + 8 * noise()))) {
            wrong(check, entry, "is " + number_text(found / unit) + ", not " + number_text(e.value / unit));
            return false;
        }
        if (8 * e.error > 0.05 * (scale + q.size[j])) {
            wrong(check, entry, "cannot be told: the differences do not settle, " + number_text(e.value / unit, 3) + " by " + number_text(e.error / unit, 3));
            return false;
        }
        return true;
    }
};

}  // namespace xgrad::detail
