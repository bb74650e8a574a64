// Defines operand and active: what a formula asks of everything that can stand in it, and what a user's function can compute with.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/pack.hpp>

namespace xgrad {

class context;

// An operand is what a formula holds of a value. There are
//   slot_ref, stack_slot_ref    a debt to a value in a slot                            operand/slot_ref.hpp
//   input                       an argument of the call                                operand/input.hpp
//   valued_number               a number of a call that never goes backward            operand/valued_number.hpp
//   slot_view                   a strided part of one of those                         operand/slot_view.hpp
//   formula, nested             an expression that moved in, evaluated or not         node/formula.hpp, node/nested.hpp
//   constant_number, constant_array, shape_alone                                      operand/constant.hpp, operand/shape_alone.hpp
//   value_only                  a formula that is read as a constant                   node/value_only.hpp
// and static_constant_array of the room small/. A node of one's own may have operands of one's own.
//
// Each says, by members that it declares:
//   value_type, rank, lifetime  its element type, its dimensions (or dynamic_rank), how its call keeps values: void for a constant
//   is_active                   whether it takes a cotangent
//   is_batch                    whether kernels may read it pack by pack
//   is_checked                  whether it was made of values that are known to belong to the running call
//   is_off_stack                whether its elements lie where no local of the function can
//   owner()                     the call that it belongs to; null for a constant
//   extent()                    its shape; may throw, changes nothing
//   prepare()                   evaluates what is not elementwise in it; afterwards nothing throws but an operation that says so (may_throw)
//   materialise()               evaluates all of it that can lie in memory
//   offer_cotangent(y)          may take the memory of y's cotangent for its own, and says whether it has
//   is_same(b)                  whether an operand of its type is known to be the same value, and to take cotangents in the same place; once both are prepared
// In kernels, once it is prepared, over a space that its shape broadcasts to:
//   ensure_cotangents(space)    zeroes a cotangent that the kernel will add to without covering it; before any operand opens
//   cursor<Step>, open<Step>(plan, reverse)   what reads its elements there, step by step, and takes their cotangents
// Numbers (rank 0) beside that, for formulas of numbers alone, once they are prepared:
//   frame, forward(f)           the value, and what it was made of
//   backward(f, g), add(g)      a contribution to the cotangent, by way of the frame or not; those that are active
// What lies in memory, for rules on whole arrays, once it is materialised:
//   source()                    the elements
//   target(add)                 the place of the cotangent, and whether it is added to; those that are active
//
// Laws, of which test/scope/operand/laws.cpp tests each on all of them: extent and owner change nothing that can be seen; prepare and
// materialise may be called twice; what forward gives twice is the same, and what a cursor reads is what source holds; contributions add up, in
// whatever pieces they come; what is not active takes none; is_same is true of copies at most; one that was moved from throws std::logic_error where it is
// used.
template <class A>
concept operand = requires(A const& a) {
    typename A::value_type;
    typename A::lifetime;
    typename A::frame;
    { A::rank } -> std::convertible_to<int>;
    { A::is_active } -> std::convertible_to<bool>;
    { A::is_batch } -> std::convertible_to<bool>;
    { A::is_checked } -> std::convertible_to<bool>;
    { A::is_off_stack } -> std::convertible_to<bool>;
    { a.owner() } -> std::same_as<context*>;
    { a.extent() } -> std::convertible_to<extents<A::rank>>;
    a.prepare();
    a.materialise();
    a.ensure_cotangents(extents<A::rank>());
    { a.is_same(a) } -> std::same_as<bool>;
};

// What a constant says without being asked: it belongs to no call, has nothing to evaluate, and takes no cotangent. D is the constant.
template <class D>
struct constant_operand {
    using lifetime = void;
    static constexpr bool is_active = false, is_checked = true, is_off_stack = false;
    XGRAD_DETAIL_INLINE context* owner() const noexcept { return nullptr; }
    XGRAD_DETAIL_INLINE void prepare() const noexcept {}
    XGRAD_DETAIL_INLINE void materialise() const noexcept {}
    XGRAD_DETAIL_INLINE bool is_same(D const&) const noexcept { return false; }
    template <class Slot>
    XGRAD_DETAIL_INLINE bool offer_cotangent(Slot const&) const noexcept {
        return false;
    }
    template <int S>
    XGRAD_DETAIL_INLINE void ensure_cotangents(extents<S> const&) const noexcept {}
};

// Something that is differentiated, as a user's function sees it: an argument's handle, a formula, a view of one, a variable. Beside value_type,
// rank, lifetime, owner and extent it says
//   operand() const&            the operand that an expression holds of it by its name
//   operand() &&                that which moves in
//   share()                     evaluates it, and gives the operand by which its slot is read in parts
//   stored_extent()             the same as extent, by a reference that lasts as long as the value
//   deliver(seed, reverse)      numbers: the value, and on the way back their pullback with this seed
//   is_elementwise              whether it is a formula of an elementwise operation
//   is_empty()                  whether it was moved from
template <class T>
concept active = requires { typename std::remove_cvref_t<T>::active_tag; };

}
