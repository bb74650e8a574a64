// Defines explain(f, x...): what a function computes and how: its formulas, what is fused in each, the passes and the library calls, forward and backward.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include <xgrad/gradient.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/call/explained.hpp>

namespace xgrad {

// One call of a function and its pullback. Each value is what has a name (or several users): one fused expression of arguments and earlier values.
struct explanation {
    using value = detail::explained_value;
    std::vector<value> values;            // in the order in which they were computed; `result` is the scalar that f gives
    int forward_passes = 0, backward_passes = 0;       // loops over arrays; the result's own pass serves both ways, and counts as forward
    std::size_t forward_calls = 0, backward_calls = 0;  // of BLAS and LAPACK routines
    std::size_t value_bytes = 0;          // of values and cotangents, at most at one time
    std::size_t workspace_bytes = 0;      // that the call took from the system

    // How many values text() and graph() show, the result aside.
    static constexpr std::size_t most_shown = 200;

    // Lines to read.
    std::string text() const {
        std::string t;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i == most_shown && values.size() > most_shown + 1) {
                t += "... and " + std::to_string(values.size() - i - 1) + " more\n";
                i = values.size() - 1;
            }
            auto const& v = values[i];
            t += v.name + " = " + v.formula;
            std::string notes = v.shape;
            auto note = [&](std::string const& n) { notes += (notes.empty() ? "" : "; ") + n; };
            if (auto const w = work(v.forward_passes, v.forward_calls); !w.empty()) note((v.name == "result" ? "forward and backward " : "forward ") + w);
            if (v.in_stretches) note("stretch by stretch");
            if (v.is_array_operation && v.forward_calls.empty()) note("operation on whole arrays");
            if (auto const w = work(v.backward_passes, v.backward_calls); !w.empty()) note("backward " + w);
            t += notes.empty() ? "\n" : "    [" + notes + "]\n";
        }
        return t + "forward: " + summary(forward_passes, forward_calls) + "; backward: " + summary(backward_passes, backward_calls) +
               "; values and cotangents: " + std::to_string(value_bytes) + " bytes; workspace: " + std::to_string(workspace_bytes) + " bytes\n";
    }
    // The same as a graph in the language of Graphviz: dot -Tsvg makes a picture of it.
    std::string graph() const {
        std::string t = "digraph {\n  rankdir=BT;\n  node [shape=box, fontname=\"monospace\"];\n";
        std::vector<std::string> arguments;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i == most_shown) i = values.size() - 1;
            auto const& v = values[i];
            auto const passes = v.forward_passes + v.backward_passes;
            auto const calls = v.forward_calls.size() + v.backward_calls.size();
            t += "  " + quoted(v.name) + " [label=" + quoted(v.name + " = " + v.formula + (v.shape.empty() ? "" : "\n" + v.shape)) +
                 (calls    ? ", style=bold"
                  : passes || v.in_stretches ? ""
                           : ", style=dashed") +
                 "];\n";
            for (auto const& o : v.operands) {
                t += "  " + quoted(o) + " -> " + quoted(v.name) + ";\n";
                bool known = false;
                for (auto const& w : values) known = known || w.name == o;
                for (auto const& a : arguments) known = known || a == o;
                if (!known) arguments.push_back(o);
            }
        }
        for (auto const& a : arguments) t += "  " + quoted(a) + " [shape=ellipse];\n";
        return t + "}\n";
    }

private:
    static std::string counted_as(std::size_t n, std::string const& what) {
        return std::to_string(n) + " " + what + (n == 1 ? "" : what == "pass" ? "es" : "s");
    }
    static std::string summary(int passes, std::size_t calls) {
        return counted_as(static_cast<std::size_t>(passes), "pass") + " and " + counted_as(calls, "library call");
    }
    static std::string work(int passes, std::vector<char const*> const& calls) {
        std::string t = passes ? counted_as(static_cast<std::size_t>(passes), "pass") : "";
        for (auto const* c : calls) t += (t.empty() ? "" : ", ") + std::string(c);
        return t;
    }
    static std::string quoted(std::string const& s) {
        std::string t = "\"";
        for (char c : s) t += c == '\n' ? std::string("\\n") : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        return t + "\"";
    }
};

namespace detail {

// Gives the argument's active values the names by which f would reach them: x.weights, x[0].
template <class H>
void name_argument(explained_record& r, H const& h, std::string const& path) {
    if constexpr (active<H>) {
        if constexpr (requires { h.get(); }) r.name(h.get(), path);
    } else if constexpr (plain_array<H> && requires { h.data(); }) {
        if (h.size() != 0) r.name(h.data(), path);
    } else if constexpr (has_fields<H>) {
        std::size_t i = 0;
        detail::call_with([&](auto const&... field) { (name_argument(r, field, path + "." + std::string(field_names<H>[i++])), ...); }, fields(h));
    } else if constexpr (requires { std::tuple_size<H>::value; }) {
        std::size_t i = 0;
        detail::call_with([&](auto const&... part) { (name_argument(r, part, path + "[" + std::to_string(i++) + "]"), ...); }, h);
    } else if constexpr (!plain_array<H> && requires { h.begin(); h.end(); }) {
        std::size_t i = 0;
        for (auto const& part : h) name_argument(r, part, path + "[" + std::to_string(i++) + "]");
    } else if constexpr (requires { *h; static_cast<bool>(h); }) {
        if (h) name_argument(r, *h, "*" + path);
    }
}

struct record_here {
    explained_record* outer = std::exchange(explaining, nullptr);
    std::vector<char const*>* outer_calls = std::exchange(library_calls, nullptr);
    explicit record_here(explained_record& r) {
        explaining = &r;
        library_calls = &r.calls;
    }
    record_here(record_here const&) = delete;
    ~record_here() {
        explaining = outer;
        library_calls = outer_calls;
    }
};

}

// Calls f and its pullback once, as value_and_gradient does, and says what it did. The arguments are named x0, x1, ... (x where there is one).
// Values in which no argument takes part but by way of objects of type variable are not shown. Throws what f throws.
template <class F, class... X>
explanation explain(F&& f, X const&... x) {
    if constexpr (detail::callable_struct<F, X...>) return explain(detail::body_of<std::remove_cvref_t<F>>{}, f, x...);
    else if constexpr (detail::ruled_function<F, X...>) return explain(detail::by_rule{f}, x...);
    else if constexpr (detail::check_call<detail::gradient_owner::verb, F, identity_lift, X...>()) {
        using value_type = typename detail::call_of<F, X...>::value_type;
        workspace w;
        detail::explained_record record;
        std::tuple<gradient_type_t<std::remove_cvref_t<X>>...> gradient{};
        {
            detail::record_here const here(record);
            bound_call<explained, identity_lift, std::remove_cvref_t<X>...>().run(
                w, x..., &gradient, gradient_memory::own, nullptr, [&](context& c, auto&&... h) {
                    std::size_t i = 0;
                    (detail::name_argument(record, h, sizeof...(X) == 1 ? std::string("x") : detail::numbered("x", i++)), ...);
                    return detail::call_scalar<value_type>(f, c, h...);
                });
        }
        explanation e;
        e.values = std::move(record.values);
        for (auto const& v : e.values) {
            e.forward_passes += v.forward_passes;
            e.backward_passes += v.backward_passes;
            e.forward_calls += v.forward_calls.size();
            e.backward_calls += v.backward_calls.size();
        }
        e.value_bytes = record.most_bytes;
        e.workspace_bytes = w.capacity();
        return e;
    } else return detail::refused_call<explanation>();
}

}
