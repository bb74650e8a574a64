// Defines explain_call: what explain(f, x...) says of a call that is one value to it: of a parallel verb, or of an exchange of ranks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <xgrad/loops/result.hpp>
#include <xgrad/scope/call/explained.hpp>

namespace xgrad::detail {

inline std::string counted_as(std::size_t n, char const* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

// The slots are those of the result; their values and cotangents take so many bytes.
template <class Slots>
[[gnu::cold, gnu::noinline]] void explain_call(std::string_view call, std::string what, std::size_t bytes, Slots const& slots) {
    auto& r = *explaining;
    explained_value v;
    v.name += 'v';
    v.name += std::to_string(r.values.size() + 1);
    v.formula = std::string(call);
    v.shape = std::move(what);
    v.bytes = bytes;
    r.values.push_back(v);
    r.bytes += bytes;
    if (r.bytes > r.most_bytes) r.most_bytes = r.bytes;
    name_slots(slots, [&](void const* slot) { r.name(slot, v.name); });
}
// What is to be said more on the way back.
template <class Slots>
[[gnu::cold, gnu::noinline]] void explain_more(std::string const& what, Slots const& slots) {
    explained_value* v = nullptr;
    name_slots(slots, [&](void const* slot) { v = explaining->find(explaining->name_of(slot)); });
    if (v) v->shape += what;
}

}
