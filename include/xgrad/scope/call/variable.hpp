// Defines variable<P>: the one nominal type of an active value of primal type P: result of branches, accumulator, element of containers.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <xgrad/rule/conversion.hpp>
#include <xgrad/rule/identity.hpp>
#include <xgrad/scope/call/variable_element.hpp>
#include <xgrad/scope/call/variable_interface.hpp>
#include <xgrad/scope/node/make_formula.hpp>
#include <xgrad/scope/node/of_rank.hpp>
#include <xgrad/scope/operand/primal.hpp>
#include <xgrad/scope/place/place_interface.hpp>
#include <xgrad/scope/place/place_view.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// Whether A is a debt to a slot in the workspace, as a variable's own is, in whatever mode.
template <class A, class Ref>
inline constexpr bool lies_in_workspace = false;
template <class T, class R, class M, class Q, class N>
inline constexpr bool lies_in_workspace<slot_ref<T, R, M>, slot_ref<T, Q, N>> = R::value == Q::value;

}

// A variable is a debt to a slot in the workspace. Each assignment makes a new value; chains of any length are released without recursion.
// Elements of an array that are assigned to one by one are debts of their own, until the array is asked for as a whole, or a part of it.
template <class P>
class variable : public detail::variable_interface_t<P> {
    using interface = detail::variable_interface_t<P>;

public:
    using active_tag = void;
    using value_type = typename detail::variable_shape<P>::element;
    using R = typename detail::variable_shape<P>::rank;
    using shape_type = typename detail::variable_shape<P>::shape_type;
    using lifetime = counted;
    static constexpr int rank = R::value;
    static constexpr bool is_elementwise = false;
    using ref_type = slot_ref<value_type, R, counted>;
    // To a formula the shape is known where the type says it: then the slot always has it, and lies in row-major order.
    using operand_type = slot_ref<value_type, shape_type, counted>;

    variable()
        requires(rank == 0)
        : variable(value_type(0)) {}
    // No array yet: to be assigned to. A copy of it is none yet, either.
    variable()
        requires(rank != 0)
    {}
    variable(variable const& o) : interface(o), ref_(rank != 0 && o.is_empty() ? ref_type() : o.debt()) {}
    variable(variable&& o) noexcept : interface(std::move(o)), ref_(std::move(o.ref_)) {}
    template <class E>
        requires(active<E> && !std::same_as<std::remove_cvref_t<E>, variable>)
    XGRAD_DETAIL_INLINE variable(E&& e) : ref_(first(take(std::forward<E>(e)))) {}
    // The value of a slot.
    explicit variable(ref_type debt) noexcept
        requires(!has_static_shape<detail::variable_shape<P>>)
        : ref_(std::move(debt)) {}
    // A constant array that is in the workspace already.
    template <int D, class Store>
    explicit variable(constant_array<value_type, D, Store> a) : ref_(first(fitted(in_own_slot(std::move(a))))) {}
    // A plain number or array: a constant.
    template <class E>
        requires(plain_operand<E> || std::same_as<std::remove_cvref_t<E>, P>)
    variable(E&& e) : ref_(first(constant(std::forward<E>(e)))) {}

    variable& operator=(variable const& o) { return *this = variable(o); }
    variable& operator=(variable&& o) noexcept {
        if constexpr (rank == 0) ref_ = std::move(o.ref_);
        else if (this != &o) this->become(o);
        return *this;
    }
    // A number of a call that never goes backward takes the place of the one before it, where nobody else has that.
    template <std::same_as<valued_number<value_type>> E>
        requires(rank == 0)
    XGRAD_DETAIL_INLINE variable& operator=(E const& e) {
        if (auto* const s = ref_.get(); s && s->is_value && s->owed == 1) [[likely]] s->value = e.forward();
        else *this = variable(e);
        return *this;
    }
    template <class E>
    XGRAD_DETAIL_INLINE variable& operator+=(E&& e) {
        if constexpr (detail::takes_element_of<value_type, E>()) become_number(*this + std::forward<E>(e));
        return *this;
    }
    template <class E>
    XGRAD_DETAIL_INLINE variable& operator-=(E&& e) {
        if constexpr (detail::takes_element_of<value_type, E>()) become_number(*this - std::forward<E>(e));
        return *this;
    }
    template <class E>
    XGRAD_DETAIL_INLINE variable& operator*=(E&& e) {
        if constexpr (detail::takes_element_of<value_type, E>()) become_number(*this * std::forward<E>(e));
        return *this;
    }
    template <class E>
    XGRAD_DETAIL_INLINE variable& operator/=(E&& e) {
        if constexpr (detail::takes_element_of<value_type, E>()) become_number(*this / std::forward<E>(e));
        return *this;
    }
    variable& operator++() { return *this += value_type(1); }
    variable& operator--() { return *this -= value_type(1); }
    variable operator++(int) { return std::exchange(*this, variable(*this + value_type(1))); }
    variable operator--(int) { return std::exchange(*this, variable(*this - value_type(1))); }

    context* owner() const noexcept { return is_empty() ? nullptr : ref_.owner(); }
    extents<rank> extent() const {
        if constexpr (rank == 0) return {};
        else return check().get()->shape;
    }
    auto const& stored_extent() const { return check().get()->shape; }
    // As an operand: the debt alone.
    operand_type operand() const& {
        if constexpr (is_fixed) return operand_type(debt().get());
        else return debt();
    }
    operand_type operand() && {
        check();
        if constexpr (rank != 0) {
            this->write_elements();
            this->release_elements();
        }
        if constexpr (is_fixed) return operand_type(std::exchange(ref_, ref_type()).get());
        else return std::move(ref_);
    }
    ref_type debt() const {
        if constexpr (rank != 0) {
            this->write_elements();
            this->note_read({0, static_cast<std::ptrdiff_t>(check().get()->size)});
        }
        return local_base();
    }
    operand_type share() const { return operand(); }
    XGRAD_DETAIL_INLINE auto const& slot_of_number() const { return *check().get(); }
    bool is_empty() const noexcept { return ref_.get() == nullptr; }
    value_type deliver(value_type const& seed, bool reverse)
        requires(rank == 0)
    {
        if (reverse) check().add(seed);
        return check().get()->value;
    }

private:
    friend interface;
    static constexpr bool is_fixed = has_static_shape<detail::variable_shape<P>>;
    mutable ref_type ref_;

    // What place_interface asks: the slot of the whole, but for the elements that have changed since.
    ref_type const& base() const { return check(); }
    ref_type local_base() const {
        ref_type const& debt = check();
        if (debt.owner()->plain) [[unlikely]] return on_this_thread(debt);
        return debt;
    }
    auto* base_or_none() const noexcept { return ref_.get(); }
    void set_base(ref_type value) const noexcept { ref_ = std::move(value); }
    // Of a whole, all of its elements in row-major order one after the other.
    static ref_type copied(ref_type whole) { return in_own_slot(std::move(whole)); }
    template <bool Agrees>
    static constexpr void require_rank() {
        static_assert(Agrees, "xgrad[E024]: variable<P> requires an expression of P's number of dimensions: write variable(expr), and it finds P, or u.fill(n) "
                              "for one number n everywhere");
    }
    // The operand of what is assigned to elements.
    template <class E>
    static auto with_own_elements(E&& e) {
        using S = typename std::remove_cvref_t<E>::value_type;
        if constexpr (!detail::takes_element<value_type, S>()) return constant_number<value_type>{value_type(0)};
        else if constexpr (detail::converts_to<S, value_type>) return as_operand(make_formula<detail::conversion_t<S, value_type>>(std::forward<E>(e)));
        else return as_operand(std::forward<E>(e));
    }

    template <class E>
    XGRAD_DETAIL_INLINE void become_number(E&& e) {
        if constexpr (std::is_same_v<E, valued_number<value_type>>) *this = e;
        else *this = variable(std::forward<E>(e));
    }
    XGRAD_DETAIL_INLINE ref_type first(ref_type value) noexcept {
        if constexpr (rank != 0) this->note_order(*value.get());
        return value;
    }
    ref_type const& check() const {
        if (is_empty()) [[unlikely]] {
            if constexpr (rank == 0) detail::moved_from();
            else detail::no_value();
        }
        return ref_;
    }
    // A value that belongs to no call, and to another thread, is read but not counted there: a copy of it is.
    [[gnu::noinline]] static ref_type on_this_thread(ref_type const& debt) {
        if (debt.owner() == &plain_context()) return debt;
        if constexpr (rank == 0) return constant(value_type(debt.get()->value));
        else {
            auto const& s = *debt.get();
            return in_own_slot(constant_array<value_type, rank, block>(block(), s.value, s.shape, s.stride));
        }
    }
    // Of the shape that the type says, in row-major order.
    static ref_type fitted(ref_type debt) {
        if constexpr (!is_fixed) return debt;
        else {
            detail::require_shape<shape_type>(debt.get()->shape);
            return debt.get()->contiguous ? std::move(debt) : in_own_slot(std::move(debt));
        }
    }
    template <class E>
    XGRAD_DETAIL_INLINE static ref_type take(E&& e) {
        if constexpr (is_fixed && !std::is_same_v<shape_or_rank_t<std::remove_cvref_t<E>>, shape_type>) {
            constexpr bool may_fit = !has_static_shape<std::remove_cvref_t<E>>;
            static_assert(may_fit, "xgrad[E024]: variable<P> requires an expression of P's shape, but this one has another fixed shape: write variable(expr), "
                                   "and it finds P");
            if constexpr (!may_fit) return ref_type();
            else return fitted(take_debt(std::forward<E>(e)));
        } else return take_debt(std::forward<E>(e));
    }
    template <class E>
    XGRAD_DETAIL_INLINE static ref_type take_debt(E&& e) {
        using U = std::remove_cvref_t<E>;
        constexpr bool finds_rank = (U::rank == dynamic_rank && rank >= 0) || (U::rank > 0 && rank == dynamic_rank);
        constexpr bool agrees = U::rank == rank || finds_rank;
        require_rank<agrees>();
        using S = typename U::value_type;
        if constexpr (!agrees || !detail::takes_element<value_type, S>()) return ref_type();
        // float v = e, where e is a double
        else if constexpr (detail::converts_to<S, value_type>) return take(make_formula<detail::conversion_t<S, value_type>>(std::forward<E>(e)));
        else if constexpr (finds_rank) return in_own_slot(detail::of_rank<rank>(as_operand(std::forward<E>(e))));
        // a temporary formula gives up its slot, or its operands, from where it is
        else if constexpr (detail::is_formula<U> && !std::is_reference_v<E> && !std::is_const_v<E>) return take_from(e);
        else {
            auto a = as_operand(std::forward<E>(e));
            using A = decltype(a);
            if constexpr (detail::lies_in_workspace<A, ref_type>) return as_own_debt(std::move(a));
            else if constexpr (detail::is_element_ref<A>) return a.own_slot() ? ref_type(a.own_slot()) : in_own_slot(std::move(a));
            else if constexpr (detail::is_formula<A>) return take_from(a);
            else return in_own_slot(std::move(a));
        }
    }
    template <class F>
    XGRAD_DETAIL_INLINE static ref_type take_from(F& f) {
        if constexpr (detail::lies_in_workspace<decltype(f.detach()), ref_type>) return as_own_debt(f.detach());
        else {
            if (f.is_empty()) detail::moved_from();
            using N = typename F::node_type;
            if constexpr (F::rank == 0 && F::is_elementwise) {
                if constexpr (is_eager_node<N>) return evaluated<detail::as_counted<N>>(N(f.take_node()));
                else if (f.is_fresh()) return evaluated<detail::as_counted<N>>(f.take_node());
                else return in_own_slot(f.detach());
            } else {
                if constexpr (has_static_shape<F> && !is_eager_node<N>)
                    if (f.is_fresh()) return evaluated<detail::as_counted<N>>(f.take_node());
                return in_own_slot(std::move(f));
            }
        }
    }
    template <class A>
    XGRAD_DETAIL_INLINE static ref_type as_own_debt(A&& a) {
        if constexpr (std::is_same_v<A, ref_type>) return std::move(a);
        else return ref_type(a.get());
    }
    template <class N, class X>
    XGRAD_DETAIL_INLINE static ref_type evaluated(X&& x) {
        counted_storage<N> s(std::in_place, static_cast<X&&>(x));
        return as_own_debt(s.detach());
    }
    template <class A>
    static ref_type in_own_slot(A a) { return evaluated<node<identity_op, detail::as_counted<A>>>(detail::as_counted<A>(std::move(a))); }
    template <class E>
    static ref_type constant(E&& e) {
        if constexpr (std::is_convertible_v<E, value_type>) {
            require_rank<rank == 0>();
            if constexpr (rank != 0) return ref_type();
            else return in_own_slot(constant_number<value_type>{static_cast<value_type>(e)});
        } else if constexpr (number_dual<value_type> && rank_of<std::remove_cvref_t<E>> == rank) return take(detail::as_duals<value_type>(std::forward<E>(e)));
        else if constexpr (rank_of<std::remove_cvref_t<E>> != rank) {
            require_rank<rank == dynamic_rank || rank_of<std::remove_cvref_t<E>> == dynamic_rank>();
            detail::require_dimensions<rank>(detail::shape_of<dynamic_rank>(e));
            if constexpr (rank == 0) return constant(static_cast<value_type>(e()));
            else return constant(typename detail::primal_of<value_type, rank>::type(std::forward<E>(e)));
        } else return fitted(in_own_slot(as_constant<value_type>(std::forward<E>(e), &plain_context())));
    }
};

template <active E>
    requires(!detail::is_variable<E>)
variable(E const&) -> variable<typename detail::primal_of_variable<E>::type>;
template <class P>
variable(variable<P>) -> variable<P>;
template <class T>
    requires detail::plain_scalar<T>
variable(T) -> variable<typename decltype(detail::number_of_variable<T>())::type>;
template <plain_array E>
variable(E const&) -> variable<typename detail::primal_of_plain<E>::type>;

}
XGRAD_DETAIL_QUIET_END
