// Defines explain_loop: what explain(f, x...) says of a loop: its steps, its policy, the states that it stores, and the steps that run once more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <xgrad/loops/result.hpp>
#include <xgrad/scope/call/explained.hpp>

namespace xgrad::detail {

// The steps that run forward where n steps are reversed, from where begin(cursor) says.
template <class S, class Begin>
std::size_t count_forward(S const& schedule, std::size_t n, Begin begin) {
    std::vector<std::size_t> position(std::max(n, schedule.places(n)) + 1);
    auto rest = schedule.begin(n, position.data());
    begin(rest);
    std::size_t all = 0;
    for (auto a = rest.next(); a.what != decltype(a.what)::end; a = rest.next())
        if (a.what == decltype(a.what)::forward) all += a.number;
    return all;
}

// A loop is one value; gives its name. `kept`: what its policy stores; `again`: the steps that run forward in the reverse pass.
inline std::string explain_steps(std::string_view call, std::size_t steps, std::string const& kept, std::size_t again, std::string const& more,
                                 std::size_t bytes) {
    auto& r = *explaining;
    explained_value v;
    v.name += 'v';  // g++ warns of what "v" + text does
    v.name += std::to_string(r.values.size() + 1);
    v.formula = std::string(call);
    v.shape = std::to_string(steps) + " steps; " + kept + " bytes; in the reverse pass " + std::to_string(again) + " steps forward and " +
              std::to_string(steps) + " back" + more;
    v.bytes = bytes;
    r.values.push_back(v);
    r.bytes += bytes;
    if (r.bytes > r.most_bytes) r.most_bytes = r.bytes;
    return v.name;
}

// Of a loop whose steps have kept so many bytes.
inline void explain_kept_loop(std::string_view call, std::size_t steps, std::size_t bytes) {
    explain_steps(call, steps, "keep_all: " + std::to_string(bytes), 0, {}, bytes);
}

// The slots are those of the result.
template <class Policy, class Slots>
void explain_loop(std::string_view call, std::size_t steps, std::size_t states, std::size_t bytes, std::size_t received, std::size_t again,
                  Slots const& slots) {
    std::string const kept = std::string(unqualified<named<Policy>>) + ": " + std::to_string(states) + " states of " + std::to_string(bytes);
    std::string const more = received != 0 ? "; " + std::to_string(received) + " bytes that the steps have received" : std::string();
    std::string const name = explain_steps(call, steps, kept, again, more, states * bytes + received);
    name_slots(slots, [&](void const* slot) { explaining->name(slot, name); });
}

}
