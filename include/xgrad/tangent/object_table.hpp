// object_table: which objects with several owners an operation has met, and what it made of each.
#pragma once

#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include <xgrad/tangent/parts.hpp>

namespace xgrad::detail {

template <class T>
inline constexpr char identity_of_type = 0;

// A template, as what it holds is made of no cost to those who have no such objects.
template <class Address>
class object_table_of {
public:
    // The entry of an object: empty at first. A struct and its first member have one address, so the type counts.
    template <class P>
    std::pair<std::shared_ptr<void>&, bool> entry(P const* object) {
        auto [at, fresh] = entries_.try_emplace({object, &identity_of_type<P>});
        return {at->second, fresh};
    }

private:
    std::map<std::pair<Address, Address>, std::shared_ptr<void>> entries_;
};
using object_table = object_table_of<void const*>;

// A recursive operation is a function object derived from this; it meets each shared object once.
struct operation {
    object_table* objects = nullptr;
};

template <class P>
inline constexpr bool is_shared_owner = false;

struct is_shared {
    template <class P>
    static constexpr bool of = is_shared_owner<P>;
};

// Whether Question::of holds of P or of a part of it, at any depth.
template <class Question, class P, class... Seen>
consteval bool somewhere_in();

template <class Question, class... Seen, class... P>
consteval bool somewhere_in_parts(type_list<P...>) {
    return (false || ... || somewhere_in<Question, std::remove_cvref_t<P>, Seen...>());
}

template <class Question, class P, class... Seen>
consteval bool somewhere_in() {
    if constexpr (Question::template of<P>)
        return true;
    else if constexpr (has_parts<P> && !one_of<P, Seen...>)
        return somewhere_in_parts<Question, P, Seen...>(typename parts<P>::types{});
    else
        return false;
}

// Whether two parts of a P can be one object.
template <class P>
inline constexpr bool shares_objects = somewhere_in<is_shared, P>();

template <class Op, class... X>
decltype(auto) with_object_table(Op op, X&&... x) {
    std::remove_pointer_t<decltype(op.objects)> table;  // object_table, once Op is known
    op.objects = &table;
    return op(std::forward<X>(x)...);
}

// The door of a recursive operation over values of type P.
template <class P, class Op, class... X>
constexpr decltype(auto) with_object_table(Op op, X&&... x) {
    if constexpr (shares_objects<std::remove_cvref_t<P>>)
        return with_object_table(op, std::forward<X>(x)...);
    else
        return op(std::forward<X>(x)...);
}

}  // namespace xgrad::detail
