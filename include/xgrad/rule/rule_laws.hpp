// Defines check_rule_laws(f, options, report): what must hold between a function, its differences, and its derivatives by each mode.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include <xgrad/rule/rule_comparison.hpp>

namespace xgrad::detail {

class rule_laws : rule_comparison {
public:
    using rule_comparison::rule_comparison;

    void check() {
        for (auto const& note : f.notes) r.note(note);
        for (auto const& wrong : f.wrong_types) r.add({"types", "", wrong});
        bool usable = false;
        attempt("value", [&] { usable = check_value(); });
        if (!usable) return;
        attempt("repetition", [&] { check_repetition(); });
        if (options.one_by_one >= f.x.size()) attempt("value", [&] { check_one_by_one(); });
        for (std::size_t k = 0; k < options.directions; ++k) check_along(random_direction(), random_numbers(base.y.size()));
        if (f.has_reverse && f.holds) attempt("accumulation", [&] { check_accumulation(); });
        if (f.has_second) attempt("second order", [&] { check_second(random_direction(), random_numbers(base.y.size())); });
        if (options.allocations) attempt("allocations", [&] {
            if (std::size_t const n = f.allocations(options.allocations)) wrong("allocations", "", "a second call allocates " + std::to_string(n) + " times");
        });
    }

private:
    bool check_value() {
        auto const held = f.value(f.x);
        changes = !held.after.empty() && !same_bits(held.after, f.x);
        base = held;
        numbers const all = outputs(base);
        bool finite = true;
        for (std::size_t j = 0; j < all.size(); ++j)
            if (!std::isfinite(all[j])) {
                wrong("value", y_name(j), "is " + number_text(all[j]) + ": nothing more can be checked here");
                finite = false;
            }
        if (f.has_plain) agree("value", "the plain call's, by the rule,", base.y, f.plain(f.x), [&](std::size_t j) { return y_name(j); });
        return finite;
    }

    // The same call again at once, and once more with another one between.
    void check_repetition() {
        numbers const v = random_direction(), ybar = random_numbers(base.y.size());
        numbers other = f.x;
        for (std::size_t i = 0; i < other.size(); ++i) other[i] += 1e-3 * v[i];
        auto const repeat = [&](std::string const& what, auto const& call) {
            numbers const first = call(f.x);
            numbers again = call(f.x);
            if (same_bits(first, again)) {
                static_cast<void>(call(other));
                again = call(f.x);
            }
            report_difference(what, first, again);
        };
        repeat("the values", [&](numbers const& at) { return outputs(f.value(at)); });
        if (f.has_forward)
            repeat("the tangents", [&](numbers const& at) {
                auto p = f.forward(at, v);
                p.y.insert(p.y.end(), p.ydot.begin(), p.ydot.end());
                return p.y;
            });
        if (!f.has_reverse) return;
        repeat("the cotangents", [&](numbers const& at) {
            auto p = f.reverse(at, ybar, nullptr);
            p.value.y.insert(p.value.y.end(), p.xbar.begin(), p.xbar.end());
            return p.value.y;
        });
        auto const back = f.reverse(f.x, ybar, nullptr);
        if (!back.again.empty()) report_difference("the cotangents by one pullback", back.xbar, back.again);
        r.begin("restoring");
        if (!back.not_restored.empty()) wrong("restoring", back.not_restored, "is not as it was before the call");
        // what the rule leaves behind before its pullback: what the function does not change, bit for bit
        if (!agree("restoring", "what the rule leaves there", back.value.after, base.after, [&](std::size_t i) { return name_of(x_names, i); }) ||
            base.after.size() != f.x.size())
            return;
        for (std::size_t i = 0; i < f.x.size(); ++i)
            if (base.after[i] == f.x[i] && back.value.after[i] != f.x[i])
                wrong("restoring", name_of(x_names, i), "is changed by the rule, but not by the function");
    }
    void report_difference(std::string const& what, numbers const& first, numbers const& again) {
        if (same_bits(first, again)) return;
        std::size_t const n = std::min(first.size(), again.size());
        std::size_t i = 0;
        while (i < n && std::memcmp(&first[i], &again[i], sizeof(double)) == 0) ++i;
        wrong("repetition", "",
              what + " of the same call differ from one time to the next" +
                  (i < n ? ": " + number_text(first[i], 17) + " and then " + number_text(again[i], 17) : ""));
    }

    // Column by column of the Jacobian: names the entry that is wrong.
    void check_one_by_one() {
        if (f.has_forward) r.begin("jvp");
        numbers const ybar = random_numbers(base.y.size());
        numbers xbar;
        if (f.has_reverse) attempt("gradient", [&] { xbar = f.reverse(f.x, ybar, nullptr).xbar; });
        for (std::size_t i = 0; i < f.x.size(); ++i) {
            numbers v(f.x.size());
            v[i] = f.magnitude[i];
            auto const q = differences_of_value(v);
            if (f.has_forward) attempt("jvp", [&] { check_tangents(f.forward(f.x, v), q, v, "along " + name_of(x_names, i), v[i]); });
            if (xbar.size() == f.x.size())
                attempt("gradient", [&] { gradient_agrees("gradient", name_of(x_names, i), xbar, q.weighted(ybar), v, ybar, nullptr, v[i]); });
        }
    }
    bool gradient_agrees(char const* check, std::string const& entry, numbers const& xbar, difference_quotients const& q, numbers const& v, numbers const& ybar,
                         numbers const* held, double unit = 1) {
        return derivative_agrees(
            check, entry, dot_product(xbar, v), q, 0, [&](numbers const& at) { return numbers{dot_product(f.reverse(at, ybar, held).xbar, v)}; }, v, unit);
    }
    bool check_tangents(flat_function::pushed const& p, difference_quotients const& q, numbers const& v, std::string const& along, double unit) {
        bool good = agree("value", "by the forward mode", p.y, base.y, [&](std::size_t j) { return y_name(j); });
        if (p.ydot.size() != base.y.size()) {
            wrong("jvp", "", "the tangent has " + std::to_string(p.ydot.size()) + " numbers, the value " + std::to_string(base.y.size()));
            return false;
        }
        for (std::size_t j = 0; j < p.ydot.size(); ++j)
            good =
                derivative_agrees("jvp", y_name(j) + " " + along, p.ydot[j], q, j, [&](numbers const& at) { return f.forward(at, v).ydot; }, v, unit) && good;
        return good;
    }

    void check_along(numbers const& v, numbers const& ybar) {
        difference_quotients q;
        attempt("value", [&] { q = differences_of_value(v); });
        if (q.step.empty()) return;
        numbers ydot, xbar;
        if (f.has_forward) attempt("jvp", [&] {
            auto const p = f.forward(f.x, v);
            bool const found_before = r.broken("jvp");
            if (!found_before || p.ydot.size() != base.y.size()) check_tangents(p, q, v, "along a random tangent", 1);
            if (p.ydot.size() == base.y.size()) ydot = p.ydot;
        });
        auto const along = q.weighted(ybar);
        if (f.has_reverse) attempt("gradient", [&] {
            auto const back = f.reverse(f.x, ybar, nullptr);
            agree("value", "by the reverse mode", back.value.y, base.y, [&](std::size_t j) { return y_name(j); });
            if (back.xbar.size() != f.x.size())
                return wrong("gradient", "", "has " + std::to_string(back.xbar.size()) + " numbers, the arguments " + std::to_string(f.x.size()));
            xbar = back.xbar;
            if (!r.broken("gradient") && !gradient_agrees("gradient", "along a random tangent", xbar, along, v, ybar, nullptr)) find_wrong_entries(xbar, ybar);
        });
        if (!ydot.empty()) attempt("convergence", [&] { check_convergence("jvp", dot_product(ybar, ydot), along); });
        if (!xbar.empty()) attempt("convergence", [&] { check_convergence("gradient", dot_product(xbar, v), along); });
        if (!ydot.empty() && !xbar.empty()) attempt("dot product", [&] { check_dot_product(v, ybar, ydot, xbar); });
    }
    // In arguments of many numbers, once it is known that there is one.
    void find_wrong_entries(numbers const& xbar, numbers const& ybar) {
        std::size_t found = 0;
        for (std::size_t i = 0; i < f.x.size() && i < 2000 && found < 4; ++i) {
            numbers v(f.x.size());
            v[i] = f.magnitude[i];
            found += !gradient_agrees("gradient", name_of(x_names, i), xbar, differences_of_value(v).weighted(ybar), v, ybar, nullptr, v[i]);
        }
    }

    // ⟨ybar, J xdot⟩ = ⟨Jᵀ ybar, xdot⟩ to rounding errors.
    void check_dot_product(numbers const& v, numbers const& ybar, numbers const& ydot, numbers const& xbar) {
        double const left = dot_product(ybar, ydot), right = dot_product(xbar, v);
        double scale = 0;
        for (std::size_t j = 0; j < ydot.size(); ++j) scale += std::abs(ybar[j] * ydot[j]);
        for (std::size_t i = 0; i < v.size(); ++i) scale += std::abs(xbar[i] * v[i]);
        if (!(std::abs(left - right) <= roundoff * scale))
            wrong("dot product", "",
                  "<ybar, J xdot> is " + number_text(left, 17) + " by the forward mode, <ybar J, xdot> " + number_text(right, 17) + " by the reverse mode");
    }

    // The error of the differences falls like h² until rounding errors are all there is: it does not where the derivative is only near, or where the
    // function is not smooth.
    void check_convergence(char const* mode, double found, difference_quotients const& q) {
        std::string table = "\n      step        difference             error      order";
        numbers orders;
        double last_error = 0;
        bool last_counts = false;
        for (std::size_t k = 0; k < q.step.size(); ++k) {
            double const d = q.quotient[k][0], error = std::abs(d - found);
            double const floor = 8 * q.noise[0] / q.step[k] + 64 * f.epsilon * (std::abs(found) + std::abs(d));
            bool const counts = std::isfinite(error) && error > 4 * floor;
            std::string order;
            if (last_counts && std::isfinite(error)) {
                orders.push_back(std::log2(last_error / std::max(error, 1e-3 * floor)));
                order = number_text(orders.back(), 2);
            }
            char line[100];
            std::snprintf(line, sizeof line, "\n      %-11.3g %-22.15g %-10.2e %s", q.step[k], d, error, order.c_str());
            table += line;
            last_error = error;
            last_counts = counts;
        }
        if (orders.size() < 2) return;
        std::size_t const n = std::min<std::size_t>(3, orders.size());
        double mean = 0;
        for (std::size_t k = orders.size() - n; k < orders.size(); ++k) mean += orders[k] / static_cast<double>(n);
        if (mean < 1.5 && orders.back() < 1.5)
            wrong("convergence", std::string("of the differences to the ") + mode,
                  "has order " + number_text(mean, 2) + ", not 2, along a random tangent; it is " + number_text(found), table);
    }

    // What stands in the cotangents before is added to; where the function changes its arguments, it is theirs of afterwards.
    void check_accumulation() {
        numbers const ybar = random_numbers(base.y.size());
        numbers const before = random_numbers(changes ? base.after.size() : f.x.size());
        auto const back = f.reverse(f.x, ybar, &before);
        if (back.xbar.size() != f.x.size())
            return wrong("accumulation", "", "the gradient has " + std::to_string(back.xbar.size()) + " numbers, the arguments " + std::to_string(f.x.size()));
        if (!changes) {
            numbers expected = f.reverse(f.x, ybar, nullptr).xbar;
            for (std::size_t i = 0; i < expected.size() && i < back.held.size(); ++i) expected[i] += back.held[i];
            agree("accumulation", "where there is something already, the gradient", back.xbar, expected, [&](std::size_t i) { return name_of(x_names, i); });
        } else {
            numbers w = ybar;
            w.insert(w.end(), back.held.begin(), back.held.end());
            if (f.x.size() <= options.one_by_one)
                for (std::size_t i = 0; i < f.x.size(); ++i) {
                    numbers v(f.x.size());
                    v[i] = f.magnitude[i];
                    gradient_agrees("accumulation", name_of(x_names, i), back.xbar, differences_of_value(v).weighted(w), v, ybar, &before, v[i]);
                }
            else {
                auto const v = random_direction();
                gradient_agrees("accumulation", "along a random tangent", back.xbar, differences_of_value(v).weighted(w), v, ybar, &before);
            }
        }
    }

    // The Hessian of ⟨ybar, f⟩ times v against differences of its gradient, and its symmetry.
    void check_second(numbers const& v, numbers const& ybar) {
        auto const gradient = [&](numbers const& at) { return f.reverse(at, ybar, nullptr).xbar; };
        auto const h = f.second(f.x, ybar, v);
        auto const name = [&](std::size_t i) { return name_of(x_names, i); };
        agree("second order", "the gradient by forward over reverse mode", h.gradient, gradient(f.x), name);
        if (!h.ydot.empty())
            agree("second order", "<ybar, ydot> by duals", {dot_product(ybar, h.ydot)}, {dot_product(h.gradient, v)},
                  [](std::size_t) { return std::string(); });
        auto const q = differences(gradient, v);
        if (h.product.size() != f.x.size())
            return wrong("second order", "", "the product has " + std::to_string(h.product.size()) + " numbers, the arguments " + std::to_string(f.x.size()));
        for (std::size_t i = 0; i < h.product.size(); ++i)
            derivative_agrees("second order", name(i), h.product[i], q, i, [&](numbers const& at) { return f.second(at, ybar, v).product; }, v);
        auto const u = random_direction(), other = f.second(f.x, ybar, u).product;
        double const left = dot_product(u, h.product), right = dot_product(v, other);
        double scale = 0;
        for (std::size_t i = 0; i < u.size() && i < other.size(); ++i) scale += std::abs(u[i] * h.product[i]) + std::abs(v[i] * other[i]);
        if (!(std::abs(left - right) <= tolerance * scale))
            wrong("second order", "",
                  "the Hessian H is not symmetric: <u, H v> is " + number_text(left, 17) + ", <v, H u> " + number_text(right, 17) + " for random u and v");
    }
};

inline void check_rule_laws(flat_function& f, rule_options const& o, rule_report& r) { rule_laws(f, o, r).check(); }

}  // namespace xgrad::detail
