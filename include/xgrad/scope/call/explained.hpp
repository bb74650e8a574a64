// Defines hooks_of_explained: what a call in mode `explained` is told while it runs, and the record that it keeps: each value as a formula, with
// the passes over memory and the library calls that it took.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <xgrad/rule/library_calls.hpp>
#include <xgrad/scope/node/formula.hpp>
#include <xgrad/tangent/type_name.hpp>

namespace xgrad::detail {

struct explained_value {
    std::string name, formula, shape;
    std::vector<std::string> operands;  // names of arguments and of earlier values, each once
    std::size_t bytes = 0;              // of the value and its cotangent
    bool in_stretches = false;          // it has no arrays: it is computed where it is used, stretch by stretch
    bool is_array_operation = false;    // nothing is fused into it, but what it may compute in its place
    int forward_passes = 0, backward_passes = 0;
    std::vector<char const*> forward_calls, backward_calls;
};

struct explained_record {
    std::vector<explained_value> values;
    std::vector<char const*> calls;
    int passes = 0;
    std::size_t bytes = 0, most_bytes = 0;

    void name(void const* slot, std::string text) { names_.emplace_back(slot, std::move(text)); }
    // The newest that has this place.
    std::string name_of(void const* slot, char const* otherwise = "variable") const {
        for (std::size_t i = names_.size(); i-- > 0;)
            if (names_[i].first == slot) return names_[i].second;
        return otherwise;
    }
    explained_value* find(std::string const& name) {
        for (std::size_t i = values.size(); i-- > 0;)
            if (values[i].name == name) return &values[i];
        return nullptr;
    }
    void forget(void const* slot) {
        for (std::size_t i = names_.size(); i-- > 0;)
            if (names_[i].first == slot) {
                names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(i));
                return;
            }
    }
    // What is done from here on belongs to one value, until it is taken.
    void begin() {
        passes_before_ = passes;
        calls_before_ = calls.size();
    }
    void take(int& taken_passes, std::vector<char const*>& taken_calls) const {
        taken_passes += passes - passes_before_;
        taken_calls.insert(taken_calls.end(), calls.begin() + static_cast<std::ptrdiff_t>(calls_before_), calls.end());
    }

private:
    std::vector<std::pair<void const*, std::string>> names_;
    int passes_before_ = 0;
    std::size_t calls_before_ = 0;
};

// That of the call that this thread explains.
inline constinit thread_local explained_record* explaining = nullptr;

// An expression as text, and how tightly its outermost operator binds: 1 for + and -, 2 for * and /, 3 for a sign, 4 for anything else.
struct expression_text {
    std::string text;
    int binds = 4;
};

template <class Op>
struct name_of_operation {
    static std::string get() {
        if constexpr (requires { Op::name; }) return Op::name;
        else return std::string(unqualified<named<Op>>) + "()";
    }
};
// along some axes, or along the lines of an array
template <template <class, class> class Along, class Op, int R>
struct name_of_operation<Along<Op, rank_c<R>>> : name_of_operation<Op> {};

// The name of an operation is an example of its use, "a * b" or "log(x)": the operands take the places of the letters.
inline expression_text apply_name(std::string const& name, std::vector<expression_text> const& operands, std::string const& more) {
    expression_text r;
    if (std::size_t const open = name.find('('); open != std::string::npos) {
        r.text = name.substr(0, open + 1);
        for (std::size_t i = 0; i < operands.size(); ++i) r.text += (i ? ", " : "") + operands[i].text;
        r.text += more + ")";
        return r;
    }
    auto const has = [&](char const* symbol) { return name.find(symbol) != std::string::npos; };
    auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    r.binds = has(" + ") || has(" - ") ? 1 : has(" * ") || has(" / ") ? 2 : 3;
    std::size_t k = 0;
    for (std::size_t i = 0; i < name.size();) {
        if (!is_letter(name[i]) || k == operands.size()) {
            r.text += name[i++];
            continue;
        }
        auto const& o = operands[k];
        bool const tight = o.binds > r.binds || (o.binds == r.binds && k == 0 && r.binds != 3);
        r.text += tight ? o.text : "(" + o.text + ")";
        while (i < name.size() && is_letter(name[i])) ++i;
        ++k;
    }
    return r;
}

// Writes a node as text, in terms of what lies in slots, and finds their names.
class write_formula {
public:
    explicit write_formula(explained_record const& r) : record_(r) {}
    std::vector<std::string> operands;

    template <class Op, class... A>
    expression_text operator()(node<Op, A...> const& n) {
        std::vector<expression_text> texts;
        auto const add = [&](auto const&... a) { (texts.push_back(operand(a)), ...); };
        if constexpr (requires { n.each(add); }) n.each(add);
        else add(n.x);
        std::string axes;
        if constexpr (requires { n.op.axes; n.op.keep_dims; })
            for (int d = 0; d < 32; ++d)
                if (n.op.axes >> d & 1u) axes += (axes.empty() ? ", {" : ", ") + std::to_string(d);
        return apply_name(name_of_operation<Op>::get(), texts, axes.empty() ? axes : axes + "}");
    }
    expression_text named(void const* slot) {
        std::string const name = record_.name_of(slot);
        for (auto const& o : operands)
            if (o == name) return {name};
        operands.push_back(name);
        return {name};
    }

private:
    explained_record const& record_;

    // The indices of the element at this offset.
    template <class Slot>
    static std::string place(Slot const& slot, std::ptrdiff_t offset) {
        std::string t;
        for (int d = 0; d < slot.shape.rank(); ++d) {
            std::ptrdiff_t const step = slot.stride[d], i = step > 0 ? offset / step : 0;
            offset -= i * step;
            t += (d ? ", " : "(") + std::to_string(i);
        }
        return t + (t.empty() ? "()" : ")");
    }

    template <class A>
    expression_text operand(A const& a) {
        if constexpr (requires { { a.v } -> std::convertible_to<double>; }) {
            char text[32];
            std::snprintf(text, sizeof text, "%.6g", static_cast<double>(a.v));
            return {text, text[0] == '-' ? 3 : 4};
        } else if constexpr (requires { a.inner(); }) return a.inner() ? operand(*a.inner()) : expression_text{"constant"};
        else if constexpr (!A::is_active) {
            // one that constant(x) promises lies where it was; others are copies
            if constexpr (requires { address_of(a.source().data); }) return {record_.name_of(address_of(a.source().data), "constant")};
            else return {"constant"};
        }
        else if constexpr (requires { a.viewed(); }) return {named(a.viewed().get()).text + (A::rank == 0 ? place(*a.viewed().get(), a.offset()) : " in part")};
        else if constexpr (requires { a.slot_at(); }) return a.is_fresh() ? (*this)(a.node_at()) : named(a.slot_at());
        else if constexpr (requires { a.node_at(); }) return (*this)(a.node_at());
        else return named(a.get());
    }
};

template <class N>
struct hooks_of_explained {
    static void pass() noexcept {
        if (explaining) ++explaining->passes;
    }
    static void begin() {
        if (explaining) explaining->begin();
    }
    template <class Slot>
    static void evaluated(N const& n, Slot const& slot, std::size_t bytes) {
        if (!explaining) return;
        auto& r = *explaining;
        explained_value& v = add(n, numbered("v", r.values.size() + 1));
        if constexpr (requires { slot.shape; }) v.shape = to_string(slot.shape);
        if constexpr (requires { slot.deferred; }) v.in_stretches = slot.deferred;
        v.bytes = bytes;
        v.is_array_operation = requires { typename N::rule; N::has_scratch; };
        r.take(v.forward_passes, v.forward_calls);
        r.name(&slot, v.name);
        r.bytes += bytes;
        if (r.bytes > r.most_bytes) r.most_bytes = r.bytes;
    }
    // One that was deferred: `bytes` are those of its arrays.
    template <class Slot>
    static void evaluated_whole(Slot const& slot, std::size_t bytes) {
        if (!explaining) return;
        auto& r = *explaining;
        if (auto* v = r.find(r.name_of(&slot))) {
            v->bytes += bytes;
            v->in_stretches = false;
            r.take(v->forward_passes, v->forward_calls);
        }
        r.begin();  // for whoever asked for it
        r.bytes += bytes;
        if (r.bytes > r.most_bytes) r.most_bytes = r.bytes;
    }
    template <class Slot>
    static void pulled(Slot const& slot) {
        if (!explaining) return;
        if (auto* v = explaining->find(explaining->name_of(&slot))) explaining->take(v->backward_passes, v->backward_calls);
    }
    template <class Slot>
    static void settled(Slot const& slot, std::size_t bytes) {
        if (!explaining) return;
        explaining->bytes -= bytes;
        explaining->forget(&slot);
    }
    // A result is pulled as it is computed, and needs no slot; what has one is delivered as it is.
    static void begin_result(N const& n) {
        if (!explaining) return;
        add(n, "result");
        explaining->begin();
    }
    static void begin_result(void const* slot) {
        if (!explaining) return;
        write_formula write(*explaining);
        explained_value v;
        v.name = "result";
        v.formula = write.named(slot).text;
        v.operands = std::move(write.operands);
        explaining->values.push_back(std::move(v));
        explaining->begin();
    }
    static void end_result() {
        if (!explaining) return;
        auto* v = explaining->find("result");
        explaining->take(v->forward_passes, v->forward_calls);
    }

private:
    static explained_value& add(N const& n, std::string name) {
        auto& r = *explaining;
        write_formula write(r);
        explained_value v;
        v.formula = write(n).text;
        v.name = std::move(name);
        v.operands = std::move(write.operands);
        r.values.push_back(std::move(v));
        return r.values.back();
    }
};

}  // namespace xgrad::detail
