// Defines formula<Op, A...>: an unevaluated expression of active values; named, it is evaluated once into a slot and shared.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/identity.hpp>
#include <xgrad/scope/kernel/tree_or_leaf.hpp>
#include <xgrad/scope/node/array.hpp>
#include <xgrad/scope/node/elementwise.hpp>
#include <xgrad/scope/node/reduction.hpp>
#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/node/nested.hpp>
#include <xgrad/scope/storage/storage_for.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class Op, class... A>
class formula;
namespace detail {
template <class E>
inline constexpr bool is_formula = false;
template <class Op, class... A>
inline constexpr bool is_formula<formula<Op, A...>> = true;
}

// Those of small arrays are not among them: their kernels are of one piece.
template <class Op, class... A>
    requires(formula<Op, A...>::rank != 0 && formula<Op, A...>::is_elementwise && !has_static_shape<formula<Op, A...>>)
inline constexpr bool is_array_tree<formula<Op, A...>> = true;
template <class Op, class... A>
    requires is_array_tree<formula<Op, A...>>
struct subtrees<formula<Op, A...>> : subtrees<node<Op, A...>> {
    template <class F>
    XGRAD_DETAIL_INLINE static void from_last(formula<Op, A...> const& a, F& f) {
        if (auto const* const n = a.opened_node()) subtrees<node<Op, A...>>::from_last(*n, f);
    }
};

template <class Op, class... A>
inline constexpr bool tree_throws<nested<node<Op, A...>>> = tree_throws<formula<Op, A...>>;
template <class N>
inline constexpr int long_operations<nested<N>> = long_operations<N>;
template <class N>
inline constexpr bool takes_one_pass<nested<N>> = N::splits;
template <class Op, class... A>
inline constexpr bool tree_throws<formula<Op, A...>> = checks_finite || operation_throws<Op> || (tree_throws<A> || ...);
template <class Op, class... A>
inline constexpr int long_operations<formula<Op, A...>> = long_operations<node<Op, A...>>;
template <class Op, class... A>
inline constexpr bool takes_one_pass<formula<Op, A...>> = node<Op, A...>::takes_one_pass;

namespace detail {
template <class Slot, class T, class R>
struct leaf_on_slot : leaf_t<leaf_on_slot<Slot, T, R>, T, R> {
    Slot* s;
    XGRAD_DETAIL_INLINE auto* get() const noexcept { return s; }
};

// How a formula becomes part of a kernel: a number is evaluated before it, once; a fresh elementwise one is part of the tree, and so is a cheap name whose
// operands are in the workspace, which are computed again; another name, and what is not elementwise, is a leaf.
enum class taken_as { number, tree, tree_or_leaf, leaf };
template <taken_as How>
struct cursor_by;
template <>
struct cursor_by<taken_as::number> {
    template <class F, class N, class Leaf, class Step>
    using type = scalar_cursor<typename N::value_type, Step, F>;
};
template <>
struct cursor_by<taken_as::tree> {
    template <class F, class N, class Leaf, class Step>
    using type = typename N::template cursor<Step>;
};
template <>
struct cursor_by<taken_as::leaf> {
    template <class F, class N, class Leaf, class Step>
    using type = typename Leaf::template cursor<Step>;
};
template <>
struct cursor_by<taken_as::tree_or_leaf> {
    template <class F, class N, class Leaf, class Step>
    using type = detail::tree_or_leaf<typename N::template cursor<Step>, typename Leaf::template cursor<Step>>;
};
}

template <class Op, class... A>
class formula : public storage_for<node<Op, A...>>, public array_interface<formula<Op, A...>, typename node<Op, A...>::value_type, node<Op, A...>::rank> {
public:
    using active_tag = void;
    using node_type = node<Op, A...>;
    using storage = storage_for<node_type>;
    using value_type = typename node_type::value_type;
    using lifetime = typename node_type::lifetime;
    static constexpr int rank = node_type::rank;
    using shape_type = shape_or_rank_t<node_type>;
    static constexpr bool is_active = true, is_batch = node_type::is_batch, is_checked = false, is_off_stack = false,
                          is_elementwise = elementwise_node<node_type>;
    // Numbers in the workspace are asked to which call they belong when their value is found, once for a whole tree of them.
    static constexpr bool is_checked_late = rank == 0 && is_elementwise && storage::keeps_operands;

    // written out, as are all special members on this path: an inherited or implicit one is a call, and a call keeps states in memory
    XGRAD_DETAIL_INLINE formula() {}
    template <class... X>
    XGRAD_DETAIL_INLINE explicit formula(std::in_place_t t, X&&... x) : storage(t, static_cast<X&&>(x)...) {}
    XGRAD_DETAIL_INLINE formula(formula&& o) noexcept : storage(static_cast<storage&&>(o)) {}
    XGRAD_DETAIL_INLINE formula(formula const& o) : storage(static_cast<storage const&>(o)) {}
    XGRAD_DETAIL_INLINE formula(detail::as_alias a, formula const& o) noexcept : storage(a, static_cast<storage const&>(o)) {}
    XGRAD_DETAIL_INLINE formula& operator=(formula o) & noexcept {
        storage::operator=(static_cast<storage&&>(o));
        return *this;
    }
    template <class E>
        requires(!std::is_same_v<std::remove_cvref_t<E>, formula>)
    formula& operator=(E&&) & { return this->template refuse_assignment_of_another<E>(*this); }
    // What has no name is nobody's: an assignment to it would be lost.
    template <class E>
    formula& operator=(E&&) && { return this->template refuse_assignment_of_another<E>(*this); }
    XGRAD_DETAIL_INLINE ~formula() {}

    // ---- what an expression holds of it

    XGRAD_DETAIL_INLINE auto operand() const& { return this->share(); }
    XGRAD_DETAIL_INLINE formula operand() && {
        if constexpr (rank != 0 || !std::is_same_v<lifetime, unchecked>)
            if (this->is_empty()) detail::moved_from();
        return formula(static_cast<formula&&>(*this));
    }
    // Evaluates it.
    auto const& stored_extent() const {
        this->materialise();
        return this->slot_at()->shape;
    }

    // ---- as an operand: a fresh elementwise formula is part of the bigger tree, anything else is a leaf on its slot

    XGRAD_DETAIL_INLINE void prepare() const {
        if (!this->is_fresh()) return this->prepare_name();
        if constexpr (is_elementwise) this->node_at().prepare();
        else this->materialise();
    }
    template <class Slot>
    bool offer_cotangent(Slot const& y) const noexcept {
        if constexpr (is_elementwise) return this->is_fresh() && this->node_at().offer_cotangent(y);
        else return this->alias_cotangent(y);
    }
    XGRAD_DETAIL_INLINE bool is_same(formula const& o) const noexcept {
        if (this->is_fresh() != o.is_fresh()) return false;
        if (!this->is_fresh()) return this->slot_at() == o.slot_at();
        if constexpr (is_elementwise) return this->node_at().is_same(o.node_at());
        else return false;
    }
    XGRAD_DETAIL_INLINE extents<rank> extent() const {
        if constexpr (rank == 0) return {};
        else if constexpr (has_static_shape<formula>) return shape_type::shape;
        else if (this->is_fresh()) return this->node_at().extent();
        else return this->slot_at()->shape;
    }

    static constexpr auto frame_type() {
        if constexpr (is_elementwise && !is_eager_node<node_type>) return std::type_identity<typename node_type::frame>{};
        else return std::type_identity<value_type>{};
    }
    using frame = typename decltype(frame_type())::type;

    XGRAD_DETAIL_INLINE void forward(frame& f) const
        requires(rank == 0)
    {
        if constexpr (is_elementwise && !is_eager_node<node_type>) {
            if (this->is_fresh()) this->node_at().forward(f);
            else {
                f = frame{};
                f.y = this->slot_at()->value;
            }
        } else f = this->slot_at()->value;
    }
    XGRAD_DETAIL_INLINE void backward(frame const& f, value_type const& g) const noexcept
        requires(rank == 0)
    {
        if constexpr (is_elementwise && !is_eager_node<node_type>) {
            if (this->is_fresh()) return this->node_at().backward(f, g);
        }
        this->slot_at()->add(g);
    }
    XGRAD_DETAIL_INLINE void add(value_type const& g) const noexcept
        requires(rank == 0)
    {
        this->slot_at()->add(g);
    }

    // The result of a call: its value, and its pullback with this seed. What throws does so before anything is pulled.
    // Way: bool, or the type of the answer where it is known. ends: the function around it has returned, and nobody goes on with another result.
    template <class Way>
    XGRAD_DETAIL_INLINE value_type deliver(value_type const& seed, [[maybe_unused]] Way reverse, [[maybe_unused]] bool ends = false)
        requires(rank == 0)
    {
        if (this->is_empty()) detail::moved_from();
        if constexpr (is_eager_node<node_type>) {
            // its destructor pulls whatever came, a zero too: where nothing is due, arguments may have no memory for cotangents; those of a pack do
            if (is_pack<value_type> || reverse) this->slot_at()->add(seed);
            return this->slot_at()->value;
        }
        prepare_root(reverse && ends ? &seed : nullptr);
        if constexpr (detail::is_explained<formula>) {
            using hooks = detail::hooks_of_explained<node_type>;
            if (this->is_fresh()) hooks::begin_result(this->node_at());
            else hooks::begin_result(this->slot_at());
            value_type const y = deliver_root(seed);
            hooks::end_result();
            return y;
        }
        if constexpr (std::is_same_v<Way, std::true_type>) return deliver_root(seed);
        else {
            if constexpr (!std::is_same_v<Way, std::false_type>)
                if (reverse) return deliver_root(seed);
            if (!this->is_fresh()) return this->slot_at()->value;
            // without a pullback to share the pass with, operands are evaluated as they are anywhere else
            detail::prepare_delivery(this->node_at(), static_cast<value_type const*>(nullptr));
            return this->node_at().value();
        }
    }
    XGRAD_DETAIL_INLINE void prepare_root([[maybe_unused]] value_type const* seed) const
        requires(rank == 0)
    {
        if (!this->is_fresh()) return;
        if constexpr (is_checked_late) static_cast<void>(this->node_at().checked_owner());
        if constexpr (splits()) this->node_at().prepare_split(seed);
        else if constexpr (!checks_finite && node_type::is_found_by_prepare) detail::prepare_delivery(this->node_at(), seed);
        else if constexpr (tree_throws<formula>) this->materialise();
        else detail::prepare_delivery(this->node_at(), seed);
    }
    XGRAD_DETAIL_INLINE value_type deliver_root(value_type const& seed) const noexcept
        requires(rank == 0)
    {
        if (!this->is_fresh()) {
            this->slot_at()->add(seed);
            return this->slot_at()->value;
        }
        if constexpr (splits()) return this->node_at().deliver_split(seed);
        else return this->node_at().value_and_pull(seed);
    }
    static constexpr bool splits() {
        if constexpr (checks_finite) return false;
        else if constexpr (is_elementwise) return node_type::splits;
        else return false;
    }

    using leaf_type = detail::leaf_on_slot<typename storage::slot_type, value_type, shape_type>;  // its slot as an operand
    static constexpr detail::taken_as taken = rank == 0         ? detail::taken_as::number
                                              : !is_elementwise ? detail::taken_as::leaf
                                              : storage::keeps_operands && !detail::may_be_broadcast<formula> ? detail::taken_as::tree
                                                                        : detail::taken_as::tree_or_leaf;
    template <int S>
    XGRAD_DETAIL_INLINE void ensure_cotangents([[maybe_unused]] extents<S> const& space) const noexcept {
        if constexpr (taken == detail::taken_as::tree) this->operands().ensure_cotangents(space);
        else if constexpr (taken == detail::taken_as::tree_or_leaf) {
            if (this->is_fresh()) this->node_at().ensure_cotangents(space);
            else leaf().ensure_cotangents(space);
        } else if constexpr (taken == detail::taken_as::leaf) leaf().ensure_cotangents(space);
    }
    template <class Step>
    using cursor = typename detail::cursor_by<taken>::template type<formula, node_type, leaf_type, Step>;
    // Of an elementwise one: the node that it opens as; null where it opens as a leaf.
    XGRAD_DETAIL_INLINE node_type const* opened_node() const noexcept {
        if constexpr (taken == detail::taken_as::tree) return &this->operands();
        else return this->is_fresh() ? &this->node_at() : nullptr;
    }
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open([[maybe_unused]] typename Step::plan_type& p, [[maybe_unused]] bool reverse) const noexcept {
        if constexpr (taken == detail::taken_as::number) return {scalar_value(), this};
        else if constexpr (taken == detail::taken_as::tree) return this->operands().template open<Step>(p, reverse);
        else if constexpr (taken == detail::taken_as::tree_or_leaf) return {opened_node(), leaf(), p, reverse};
        else return leaf().template open<Step>(p, reverse);
    }
    // Where the evaluated value lies.
    array_ref<value_type const, rank> source() const noexcept {
        if constexpr (rank == 0) return {detail::memory_of(std::as_const(this->slot_at()->value)), {}, {}};
        else return leaf().source();
    }
    array_ref<value_type, rank> target(bool& add) const noexcept {
        if constexpr (rank == 0) return detail::scalar_target(*this->slot_at(), add);
        else return leaf().target(add);
    }

private:
    XGRAD_DETAIL_INLINE leaf_type leaf() const noexcept { return {{}, this->slot_at()}; }
    value_type scalar_value() const noexcept { return this->slot_at()->value; }
};

// A debt to a copy of an array in the workspace, for what outlives the array's own formula.
template <class A>
auto in_workspace(A a) {
    counted_storage<node<identity_op, A>> s(std::in_place, std::move(a));
    return s.detach();
}

}
XGRAD_DETAIL_QUIET_END
