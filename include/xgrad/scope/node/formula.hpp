// Defines formula<Op, A...>: an unevaluated expression of active values; named, it is evaluated once into a slot and shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <xgrad/rule/identity.hpp>
#include <xgrad/scope/node/array.hpp>
#include <xgrad/scope/storage/check_finite.hpp>
#include <xgrad/scope/node/reduction.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// What a node keeps in its slot beside its value: N::kept, where its shape is fixed.
struct kept_nothing {};
template <bool Fixed>
struct kept_with {
    template <class N>
    using type = kept_nothing;
};
template <>
struct kept_with<true> {
    template <class N>
    using type = typename N::kept;
};
template <class N>
using kept_with_t = typename kept_with<has_static_shape<N> && !elementwise_node<N>>::template type<N>;

// Evaluates an array into the memory of its slot, and pulls the cotangent that is there.
template <class N, class Slot>
XGRAD_DETAIL_INLINE void evaluate_slot(N const& node, Slot& y) {
    if constexpr (elementwise_node<N> && cheap_static_tree<N>) evaluate_static(node, y.value);
    else if constexpr (elementwise_node<N>) evaluate(node, y.shape, static_cast<memory_t<typename N::value_type>>(y.value));
    else node.evaluate(y);
    if constexpr (checks_finite) check_finite_value<N>([&](std::size_t i) { return typename N::value_type(y.value[i]); }, y.shape);
}
template <class N, class Slot>
XGRAD_DETAIL_INLINE void pull_slot(N const& node, Slot const& y) noexcept {
    if constexpr (checks_finite) check_finite_cotangent<N>([&](std::size_t i) { return typename N::value_type(y.cotangent[i]); }, y.shape);
    using S = slot<typename N::value_type, rank_c<N::rank>>;
    if constexpr (elementwise_node<N> && std::is_base_of_v<S, Slot>) node.offer_cotangent(static_cast<S const&>(y));
    if constexpr (elementwise_node<N> && cheap_static_tree<N>) pull_back_static(node, y.value, y.cotangent);
    else if constexpr (elementwise_node<N>) pull_back(node, y.shape, memory_t<typename N::value_type const>(y.value), memory_t<typename N::value_type const>(y.cotangent));
    else node.pull(y);
}
}

// A formula is *fresh* (it has operands), a *name* (its operands are in a slot of the workspace, which it owns until it leaves),
// an *alias* (a debt to a slot), or *empty* (moved from). Sharing turns fresh into a name, a copy is an alias, a move carries the state.
template <class N>
class counted_storage {
public:
    using T = typename N::value_type;
    using slot_type = slot<T, rank_c<N::rank>>;
    using ref_type = slot_ref<T, shape_or_rank_t<N>, std::conditional_t<N::rank == 0 && !detail::is_explained<N>, counted, typename N::lifetime>>;

    XGRAD_DETAIL_INLINE counted_storage() : word_(empty) {}
    template <class... X>
    XGRAD_DETAIL_INLINE explicit counted_storage(std::in_place_t, X&&... x) : node_(std::forward<X>(x)...) {}
    XGRAD_DETAIL_INLINE counted_storage(counted_storage&& o) noexcept : word_(o.word_) {
        if (word_ == fresh) {
            new (&node_) N(std::move(o.node_));
            o.node_.~N();
        } else if constexpr (fixed) {
            // g++ follows the members of a small one, but not what its state says of them
            for (std::byte& b : reinterpret_cast<std::byte(&)[sizeof(N)]>(node_)) b = std::byte(0);
        }
        o.word_ = empty;
    }
    counted_storage(counted_storage const& o) : word_(0) {
        auto r = o.share();
        word_ = reinterpret_cast<std::uintptr_t>(r.get()) | alias;
        ++r.get()->owed;
    }
    counted_storage& operator=(counted_storage o) noexcept {
        leave();
        new (this) counted_storage(std::move(o));
        return *this;
    }
    XGRAD_DETAIL_INLINE ~counted_storage() { leave(); }

    // The value is in its slot from now on; whoever asks holds a debt to it. Throws what evaluating throws, and then nothing has changed.
    XGRAD_DETAIL_INLINE ref_type share() const {
        materialise();
        return ref_type(slot_at());
    }
    XGRAD_DETAIL_INLINE void materialise() const {
        if (word_ == fresh) {
            if constexpr (fixed) become_name_here();
            else become_name();
        } else if (word_ == empty) detail::moved_from();
    }
    // Gives the name up: the slot settles when the returned debt, and all others, are paid.
    XGRAD_DETAIL_INLINE ref_type detach() {
        ref_type r = share();
        leave();
        word_ = empty;
        return r;
    }
    // For a bigger formula: the operands where they are fresh.
    XGRAD_DETAIL_INLINE N take_node() noexcept {
        N n(std::move(node_));
        node_.~N();
        word_ = empty;
        return n;
    }
    XGRAD_DETAIL_INLINE bool is_fresh() const noexcept { return word_ == fresh; }
    XGRAD_DETAIL_INLINE bool is_empty() const noexcept { return word_ == empty; }
    // Of an operand that nobody else knows: its cotangent comes to lie where that of y does, which is read before, element by element.
    template <class Slot>
    bool alias_cotangent(Slot const& y) const noexcept {
        if constexpr (!std::is_same_v<Slot, slot_type> || scalar) return false;
        else {
            if ((word_ & 3) != name) return false;
            slot_type* s = slot_at();
            if (s->owed != 0 || s->has_cotangent || !detail::covers(y.shape, s->shape)) return false;
            s->cotangent = y.cotangent;
            return true;
        }
    }
    XGRAD_DETAIL_INLINE slot_type* slot_at() const noexcept { return reinterpret_cast<slot_type*>(word_ & ~std::uintptr_t{3}); }
    XGRAD_DETAIL_INLINE N const& node_at() const noexcept { return node_; }
    // Of what is not empty.
    XGRAD_DETAIL_INLINE N const& operands() const noexcept { return word_ == fresh ? node_ : static_cast<room*>(slot_at())->node; }
    XGRAD_DETAIL_INLINE context* owner() const {
        if (word_ == fresh) return node_.owner();
        return word_ == empty ? nullptr : slot_at()->owner;
    }

private:
    static constexpr std::uintptr_t fresh = 0, empty = 1, name = 2, alias = 3;
    static constexpr bool scalar = N::rank == 0, fixed = has_static_shape<N>;
    union {
        mutable N node_;
    };
    mutable std::uintptr_t word_ = fresh;

    // A slot and, behind it, the formula whose value it holds: one piece of memory, reserved before it is needed.
    struct room : slot_type {
        [[no_unique_address]] detail::kept_with_t<N> kept;
        union {
            N node;
        };
        room() {}
        ~room() {}
    };
    // few numbers are nowhere near the end of a cache line
    static constexpr std::size_t unit = [] {
        if constexpr (fixed) return shape_or_rank_t<N>::size * sizeof(T) <= 32 ? 16 : 64;
        else return scalar ? 16 : 64;
    }();
    static constexpr std::size_t room_bytes = scalar ? sizeof(room) : (sizeof(room) + unit - 1) / unit * unit;
    static constexpr std::size_t array_bytes(std::size_t size) noexcept { return (size * sizeof(T) + unit - 1) / unit * unit; }
    XGRAD_DETAIL_INLINE static std::size_t bytes_of(room const& r) noexcept {
        if constexpr (scalar) return room_bytes;
        else if constexpr (fixed) return room_bytes + array_bytes(shape_or_rank_t<N>::size) * 2;
        else return room_bytes + array_bytes(r.size) * (r.cotangent ? 2 : 1);
    }

    void become_name() const { become_name_here(); }
    XGRAD_DETAIL_INLINE void become_name_here() const {
        node_.prepare();
        context* c = node_.owner();
        if (!c) c = &plain_context();
        check_thread(*c);
        room* r;
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::begin();
        if constexpr (scalar) {
            T const v = node_.value();
            if constexpr (checks_finite) detail::check_finite_value<N>([&](std::size_t) { return v; }, extents<0>());
            r = new (c->memory.take(room_bytes)) room;
            r->value = v;
        } else r = evaluated_room(*c);
        r->owner = c;
        r->settle = &settle;
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::evaluated(node_, *r, bytes_of(*r));
        ++c->live;
        if (c->keeps != context::keeping::nothing) [[unlikely]] c->keep(r);
        // by way of a local, which compilers know apart from both
        N n(std::move(node_));
        node_.~N();
        new (&r->node) N(std::move(n));
        word_ = reinterpret_cast<std::uintptr_t>(static_cast<slot_type*>(r)) | name;
    }
    XGRAD_DETAIL_INLINE room* evaluated_room(context& c) const {
        auto const shape = node_.extent();
        std::size_t const size = element_count(shape);
        bool const reverse = fixed || c.reverse || c.plain;
        std::size_t const bytes = room_bytes + array_bytes(size) * (reverse ? 2 : 1);
        auto* p = static_cast<std::byte*>(__builtin_assume_aligned(c.memory.take(bytes), 16));
        room* r = new (p) room;
        r->shape = shape;
        r->stride = row_major_strides(shape);
        r->size = size;
        r->value = detail::memory_in<T>(p + room_bytes, size);
        r->cotangent = reverse ? detail::memory_in<T>(p + room_bytes + array_bytes(size), size) : memory_t<T>(nullptr);
        if constexpr (!std::is_trivially_default_constructible_v<T> && !number_dual<T>) {
            std::uninitialized_default_construct_n(r->value, size);
            if (reverse) std::uninitialized_default_construct_n(r->cotangent, size);
        }
        try {
            detail::evaluate_slot(node_, *r);
        } catch (...) {
            c.memory.give(r, bytes);
            throw;
        }
        return r;
    }
    static void settle(slot_base* s) noexcept { settle_here(s); }
    static XGRAD_DETAIL_INLINE void settle_here(slot_base* s) noexcept {
        auto* r = static_cast<room*>(s);
        context* c = r->owner;
        if (c->keeps != context::keeping::nothing) [[unlikely]] {
            if (c->keeps == context::keeping::backward) {
                if (r->has_cotangent) pull(r);
                r->has_cotangent = false;
                if constexpr (scalar) r->cotangent = T(0);
            }
            if (!c->ends(r)) return;
        } else if (r->has_cotangent && c->reverse) pull(r);
        r->node.~N();
        std::size_t const bytes = bytes_of(*r);
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::settled(*r, bytes);
        --c->live;
        c->memory.give(r, bytes);
    }
    static XGRAD_DETAIL_INLINE void pull(room* r) noexcept {
        if constexpr (checks_finite && scalar) detail::check_finite_cotangent<N>([&](std::size_t) { return r->cotangent; }, extents<0>());
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::begin();
        if constexpr (scalar) r->node.pull(r->cotangent, r->value);
        else detail::pull_slot(r->node, *r);
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::pulled(*r);
    }
    XGRAD_DETAIL_INLINE void leave() noexcept {
        if (word_ == fresh) node_.~N();
        else if (word_ != empty) {
            slot_type* s = slot_at();
            if ((word_ & 3) == name) {
                if (s->owed != 0) s->released = true;
                else if constexpr (fixed) settle_here(s);
                // by the address that naming it has left: of a temporary, which only moves, no kernels of its own are compiled
                else if constexpr (!scalar || !elementwise_node<N>) s->settle(s);
                else settle(s);
            } else if (--s->owed == 0 && s->released) s->owner->ready(s);
        }
    }
};

// The same for scalars and small arrays of a scoped function: the slot is inside the formula, on the stack. A move of a name that is owed
// something leaves the slot where it is and makes an alias.
template <class N>
class stack_storage {
public:
    using T = typename N::value_type;
    using M = typename N::lifetime;
    using slot_type = stack_slot<T, M, shape_or_rank_t<N>>;
    using ref_type = stack_slot_ref<T, shape_or_rank_t<N>, M>;

    XGRAD_DETAIL_INLINE stack_storage() : state_(empty) {}
    template <class... X>
    XGRAD_DETAIL_INLINE explicit stack_storage(std::in_place_t, X&&... x) : node_(std::forward<X>(x)...), state_(fresh) {}
    XGRAD_DETAIL_INLINE stack_storage(stack_storage&& o) noexcept : state_(o.state_) {
        if (state_ == empty) return;
        if (state_ == alias) new (&alias_) ref_type(o.alias_);
        else if (o.is_movable()) {
            new (&node_) N(std::move(o.node_));
            if (state_ != fresh) slot_ = o.slot_;
        } else {
            new (&alias_) ref_type(&o.slot_);
            state_ = alias;
            return;
        }
        o.give_up();
        o.state_ = empty;
    }
    XGRAD_DETAIL_INLINE stack_storage(stack_storage const& o) : alias_(o.share()), state_(alias) {}
    stack_storage& operator=(stack_storage o) noexcept {
        if (o.state_ == alias && o.alias_.get() == &slot_) return *this;
        this->~stack_storage();
        new (this) stack_storage(std::move(o));
        return *this;
    }
    XGRAD_DETAIL_INLINE ~stack_storage() {
        if (state_ == held || state_ == name) {
            if constexpr (std::is_same_v<M, scoped>)
                if (slot_.owed != 0) broken_promise();
            if (slot_.has_cotangent) {
                if constexpr (checks_finite && scalar) detail::check_finite_cotangent<N>([&](std::size_t) { return slot_.cotangent; }, extents<0>());
                if constexpr (scalar) node_.pull(slot_.cotangent, slot_.value);
                else detail::pull_slot(node_, slot_);
            }
        }
        give_up();
    }

    XGRAD_DETAIL_INLINE ref_type share() const {
        if (state_ == alias) return alias_;
        materialise();
        state_ = name;
        return ref_type(&slot_);
    }
    XGRAD_DETAIL_INLINE void materialise() const {
        if (state_ == fresh) {
            node_.prepare();
            if constexpr (scalar) {
                slot_.open(node_.value());
                if constexpr (checks_finite) detail::check_finite_value<N>([&](std::size_t) { return slot_.value; }, extents<0>());
            } else {
                slot_.open(node_.owner());
                detail::evaluate_slot(node_, slot_);
            }
            state_ = held;
        } else if (state_ == empty) detail::moved_from();
    }
    // For a bigger formula: the operands of a fresh one.
    XGRAD_DETAIL_INLINE N take_node() noexcept {
        N n(std::move(node_));
        node_.~N();
        state_ = empty;
        return n;
    }
    XGRAD_DETAIL_INLINE bool is_fresh() const noexcept { return state_ == fresh; }
    XGRAD_DETAIL_INLINE bool is_empty() const noexcept { return state_ == empty; }
    XGRAD_DETAIL_INLINE slot_type* slot_at() const noexcept { return state_ == alias ? alias_.get() : &slot_; }
    XGRAD_DETAIL_INLINE N const& node_at() const noexcept { return node_; }
    XGRAD_DETAIL_INLINE context* owner() const {
        if constexpr (std::is_same_v<M, unchecked>) return running_call;
        else if (state_ == fresh) return node_.owner();
        else return state_ == empty ? nullptr : slot_at()->owner;
    }

private:
    static constexpr bool scalar = N::rank == 0;
    struct slot_and_kept : slot_type {
        detail::kept_with_t<N> kept;
    };
    // without an empty member: where members overlap, g++ takes all the numbers for what may be addresses
    using array_slot = std::conditional_t<std::is_empty_v<detail::kept_with_t<N>>, slot_type, slot_and_kept>;
    enum state : unsigned char { fresh, held, name, alias, empty };  // held: evaluated, and nobody has a debt
    union {
        mutable N node_;
        ref_type alias_;
    };
    mutable std::conditional_t<scalar, slot_type, array_slot> slot_;
    mutable state state_;

    XGRAD_DETAIL_INLINE bool is_movable() const noexcept {
        if constexpr (std::is_same_v<M, scoped>) return state_ != name || slot_.owed == 0;
        else return state_ != name;
    }
    XGRAD_DETAIL_INLINE void give_up() noexcept {
        if (state_ == alias) alias_.~ref_type();
        else if (state_ != empty) node_.~N();
    }
};

// Scalars of a scoped function whose operands are scalars too. The value is there from the beginning, so there are no states: a copy
// or a moved-to formula has the same operands and the same value, and pulls what comes to itself; contributions are linear.
template <class N>
class eager_storage {
public:
    using T = typename N::value_type;
    using M = typename N::lifetime;
    using slot_type = stack_slot<T, M>;
    using ref_type = stack_slot_ref<T, rank_c<0>, M>;

    template <class... X>
    XGRAD_DETAIL_INLINE explicit eager_storage(std::in_place_t, X&&... x) : node_(std::forward<X>(x)...) {
        slot_.open(node_.value_now());
        if constexpr (checks_finite) detail::check_finite_value<N>([&](std::size_t) { return slot_.value; }, extents<0>());
    }
    XGRAD_DETAIL_INLINE eager_storage(eager_storage const& o) noexcept : node_(o.node_) { slot_.open(o.slot_.value); }
    XGRAD_DETAIL_INLINE eager_storage& operator=(eager_storage const& o) noexcept {
        this->~eager_storage();
        return *new (this) eager_storage(o);
    }
    XGRAD_DETAIL_INLINE ~eager_storage() {
        if constexpr (std::is_same_v<M, scoped>)
            if (slot_.owed != 0) broken_promise();
        if constexpr (checks_finite)
            if (slot_.has_cotangent) detail::check_finite_cotangent<N>([&](std::size_t) { return slot_.cotangent; }, extents<0>());
        if (slot_.has_cotangent) node_.pull_now(slot_.cotangent, slot_.value);
    }
    XGRAD_DETAIL_INLINE static void* operator new(std::size_t, void* p) noexcept { return p; }

    XGRAD_DETAIL_INLINE ref_type share() const { return ref_type(&slot_); }
    XGRAD_DETAIL_INLINE void materialise() const {}
    XGRAD_DETAIL_INLINE bool is_fresh() const noexcept { return false; }
    XGRAD_DETAIL_INLINE bool is_empty() const noexcept { return false; }
    XGRAD_DETAIL_INLINE slot_type* slot_at() const noexcept { return &slot_; }
    XGRAD_DETAIL_INLINE N const& node_at() const noexcept { return node_; }
    XGRAD_DETAIL_INLINE N const& take_node() const noexcept { return node_; }
    XGRAD_DETAIL_INLINE context* owner() const {
        if constexpr (std::is_same_v<M, unchecked>) return running_call;
        else return slot_.owner;
    }

private:
    N node_;
    mutable slot_type slot_;
};

template <class N>
inline constexpr bool is_eager_node = false;
template <elementwise_node N>
inline constexpr bool is_eager_node<N> = N::is_eager;

// Whether a value is on the stack of its function: of a scoped function numbers, and small arrays.
template <class N>
inline constexpr bool lies_on_stack = [] {
    if constexpr (!is_stacked<typename N::lifetime>) return false;
    else if constexpr (has_static_shape<N>) return N::shape_type::size <= detail::most_unrolled;
    else return N::rank == 0;
}();

template <class N>
using storage_for = std::conditional_t<is_eager_node<N>, eager_storage<N>, std::conditional_t<lies_on_stack<N>, stack_storage<N>, counted_storage<N>>>;

template <class Op>
inline constexpr bool operation_throws = requires { requires Op::may_throw; };

template <class Op, class... A>
class formula;
template <class Op, class... A>
inline constexpr bool detail::is_cheap<formula<Op, A...>> = detail::is_cheap<node<Op, A...>>;
template <class Op, class... A>
inline constexpr bool tree_throws<formula<Op, A...>> = checks_finite || operation_throws<Op> || (tree_throws<A> || ...);
template <class Op, class... A>
inline constexpr int long_operations<formula<Op, A...>> = long_operations<node<Op, A...>>;
template <class Op, class... A>
inline constexpr bool takes_one_pass<formula<Op, A...>> = [] {
    using N = node<Op, A...>;
    if constexpr (N::rank != 0) return false;
    else if constexpr (requires { typename N::reduces; }) return true;
    else if constexpr (elementwise_node<N>) return N::splits;
    else return false;
}();

// A scalar formula inside a bigger one: its operands, or a debt where a name was moved in. It needs no slot of its own.
template <class N>
class part {
public:
    using value_type = typename N::value_type;
    using lifetime = typename N::lifetime;
    using ref_type = typename storage_for<N>::ref_type;
    static constexpr int rank = 0;
    static constexpr bool is_active = true, is_batch = N::is_batch;
    using frame = typename N::frame;

    template <class F>
    XGRAD_DETAIL_INLINE explicit part(std::in_place_t, F&& f) : is_name_(!f.is_fresh()) {
        if (is_name_) [[unlikely]] new (&name_) ref_type(debt_of(f));
        else new (&node_) N(f.take_node());
    }
    XGRAD_DETAIL_INLINE part(part&& o) noexcept : is_name_(o.is_name_) {
        if (is_name_) [[unlikely]] new (&name_) ref_type(static_cast<ref_type&&>(o.name_));
        else new (&node_) N(static_cast<N&&>(o.node_));
    }
    XGRAD_DETAIL_INLINE part& operator=(part&&) = delete;
    XGRAD_DETAIL_INLINE ~part() {
        if (is_name_) [[unlikely]] name_.~ref_type();
        else node_.~N();
    }

    XGRAD_DETAIL_INLINE context* owner() const { return is_name_ ? name_.owner() : node_.owner(); }
    bool is_fresh() const noexcept { return !is_name_; }
    N const& node_at() const noexcept { return node_; }
    auto* slot_at() const noexcept { return name_.get(); }
    XGRAD_DETAIL_INLINE void prepare() const {
        if (!is_name_) [[likely]] node_.prepare();
    }
    extents<0> extent() const { return {}; }
    XGRAD_DETAIL_INLINE void forward(frame& f) const {
        if (!is_name_) [[likely]] node_.forward(f);
        else {
            f = frame{};
            f.y = name_.get()->value;
        }
    }
    XGRAD_DETAIL_INLINE void backward(frame const& f, value_type const& g) const noexcept {
        if (!is_name_) [[likely]] node_.backward(f, g);
        else name_.get()->add(g);
    }
    void prepare_root() const {
        if (is_name_) [[unlikely]] return;
        if constexpr (N::splits) node_.prepare_split();
        else node_.prepare();
    }
    value_type deliver_root(value_type const& seed) const noexcept {
        if (is_name_) [[unlikely]] {
            name_.get()->add(seed);
            return name_.get()->value;
        }
        if constexpr (N::splits) return node_.deliver_split(seed);
        else return node_.value_and_pull(seed);
    }

private:
    union {
        N node_;
        ref_type name_;
    };
    bool is_name_;

    // The name gives itself up, where its slot can stay without it.
    template <class F>
    static XGRAD_DETAIL_INLINE ref_type debt_of(F& f) {
        if constexpr (requires { f.detach(); }) return f.detach();
        else return f.share();
    }
};

// The same where it has its value.
template <class N>
    requires is_eager_node<N>
class part<N> {
public:
    using value_type = typename N::value_type;
    using lifetime = typename N::lifetime;
    static constexpr int rank = 0;
    static constexpr bool is_active = true, is_batch = N::is_batch;
    using frame = value_type;

    template <class F>
    XGRAD_DETAIL_INLINE explicit part(std::in_place_t, F const& f) : y_(f.slot_at()->value), node_(f.node_at()) {}
    XGRAD_DETAIL_INLINE part(part const& o) noexcept : y_(o.y_), node_(o.node_) {}
    static constexpr bool is_checked = true;
    XGRAD_DETAIL_INLINE ~part() {}

    XGRAD_DETAIL_INLINE context* owner() const { return node_.owner(); }
    XGRAD_DETAIL_INLINE void prepare() const {}
    extents<0> extent() const { return {}; }
    XGRAD_DETAIL_INLINE value_type forward() const { return y_; }
    XGRAD_DETAIL_INLINE void forward(frame& f) const { f = y_; }
    XGRAD_DETAIL_INLINE void backward(frame const&, value_type const& g) const noexcept { add(g); }
    XGRAD_DETAIL_INLINE void add(value_type const& g) const noexcept { node_.pull_now(g, y_); }

private:
    value_type y_;
    N node_;
};

template <class Op, class... A>
inline constexpr bool tree_throws<part<node<Op, A...>>> = tree_throws<formula<Op, A...>>;
template <class N>
inline constexpr int long_operations<part<N>> = long_operations<N>;
template <class N>
inline constexpr bool takes_one_pass<part<N>> = N::splits;

namespace detail {
// A nested formula that is fresh (a tree) or a name (a leaf), known when the kernel opens.
template <class Tree, class Own>
class tree_or_leaf {
public:
    using step_type = typename Tree::step_type;
    using packs = typename Tree::packs;
    using frame = typename Tree::frame;
    static constexpr std::size_t arrays = Tree::arrays < Own::arrays ? Own::arrays : Tree::arrays, room = Tree::room < Own::room ? Own::room : Tree::room;

    template <class A, class B, class Plan>
    XGRAD_DETAIL_INLINE tree_or_leaf(A const* node, B const& leaf, Plan& p, bool reverse) : fresh_(node) {
        if (node) new (&tree_) Tree(node->template open<step_type>(p, reverse));
        else new (&own_) Own(leaf.template open<step_type>(p, reverse));
    }
    XGRAD_DETAIL_INLINE ~tree_or_leaf() {}
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment m, Plan& p) { fresh_ ? tree_.meet(m, p) : own_.meet(m, p); }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f) const {
        if (fresh_) tree_.forward(i, f);
        else {
            typename Own::frame own;
            own_.forward(i, own);
            f.y = own.y;
        }
    }
    template <class M>
    XGRAD_DETAIL_INLINE void backward(M const& none, std::size_t i, frame const& f, packs const& g) {
        if (fresh_) tree_.backward(none, i, f, g);
        else own_.backward(none, i, typename Own::frame(), g);
    }

private:
    bool fresh_;
    // not in one union: g++ takes the numbers in it for what may be addresses
    union {
        Tree tree_;
    };
    union {
        Own own_;
    };
};

template <class Slot, class T, class R>
struct leaf_on_slot : leaf_t<leaf_on_slot<Slot, T, R>, T, R> {
    Slot* s;
    XGRAD_DETAIL_INLINE auto* get() const noexcept { return s; }
};

// How a formula becomes part of a kernel: a number is evaluated before it, once; a fresh elementwise one is part of the tree, and so is a name whose operands
// are in the workspace, which are computed again; another name, and what is not elementwise, is a leaf.
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

// What active arrays and scalars offer their users; defined in interface.hpp.
template <class D, class T, int R>
class array_interface;

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
    static constexpr bool is_active = true, is_batch = node_type::is_batch, is_elementwise = elementwise_node<node_type>;

    // written out, as are all special members on this path: an inherited or implicit one is a call, and a call keeps states in memory
    XGRAD_DETAIL_INLINE formula() {}
    template <class... X>
    XGRAD_DETAIL_INLINE explicit formula(std::in_place_t t, X&&... x) : storage(t, static_cast<X&&>(x)...) {}
    XGRAD_DETAIL_INLINE formula(formula&& o) noexcept : storage(static_cast<storage&&>(o)) {}
    XGRAD_DETAIL_INLINE formula(formula const& o) : storage(static_cast<storage const&>(o)) {}
    XGRAD_DETAIL_INLINE formula& operator=(formula o) noexcept {
        storage::operator=(static_cast<storage&&>(o));
        return *this;
    }
    XGRAD_DETAIL_INLINE ~formula() {}

    // ---- as an operand: a fresh elementwise formula is part of the bigger tree, anything else is a leaf on its slot

    XGRAD_DETAIL_INLINE void prepare() const {
        if (!this->is_fresh()) return;
        if constexpr (is_elementwise) this->node_at().prepare();
        else this->materialise();
    }
    template <class Slot>
    bool offer_cotangent(Slot const& y) const noexcept {
        if constexpr (is_elementwise)
            return this->is_fresh() && this->node_at().offer_cotangent(y);
        else if constexpr (requires { this->alias_cotangent(y); }) return this->alias_cotangent(y);
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
    XGRAD_DETAIL_INLINE value_type deliver(value_type const& seed, bool reverse)
        requires(rank == 0)
    {
        if constexpr (is_eager_node<node_type>) {
            this->slot_at()->add(seed);
            return this->slot_at()->value;
        }
        if (this->is_empty()) detail::moved_from();
        prepare_root();
        if constexpr (detail::is_explained<formula>) {
            using hooks = detail::hooks_of_explained<node_type>;
            if (this->is_fresh()) hooks::begin_result(this->node_at());
            else hooks::begin_result(this->slot_at());
            value_type const y = deliver_root(seed);
            hooks::end_result();
            return y;
        }
        if (reverse) return deliver_root(seed);
        if (!this->is_fresh()) return this->slot_at()->value;
        // without a pullback to share the pass with, operands are evaluated as they are anywhere else
        this->node_at().prepare();
        return this->node_at().value();
    }
    XGRAD_DETAIL_INLINE void prepare_root() const
        requires(rank == 0)
    {
        if (!this->is_fresh()) return;
        if constexpr (splits()) this->node_at().prepare_split();
        else if constexpr (!checks_finite && requires { requires node_type::is_found_by_prepare; }) this->node_at().prepare();
        else if constexpr (tree_throws<formula>) this->materialise();
        else this->node_at().prepare();
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
                                              : requires(storage const& s) { s.operands(); } ? detail::taken_as::tree
                                                                                             : detail::taken_as::tree_or_leaf;
    template <int S>
    XGRAD_DETAIL_INLINE void ensure_cotangents([[maybe_unused]] extents<S> const& space) const noexcept {
        if constexpr (taken == detail::taken_as::tree) this->operands().ensure_cotangents(space);
        else if constexpr (taken == detail::taken_as::tree_or_leaf) {
            if (this->is_fresh()) this->node_at().ensure_cotangents(space);
            else leaf().ensure_cotangents(space);
        }
        else if constexpr (taken == detail::taken_as::leaf) leaf().ensure_cotangents(space);
    }
    template <class Step>
    using cursor = typename detail::cursor_by<taken>::template type<formula, node_type, leaf_type, Step>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open([[maybe_unused]] typename Step::plan_type& p, [[maybe_unused]] bool reverse) const noexcept {
        if constexpr (taken == detail::taken_as::number) return {scalar_value(), this};
        else if constexpr (taken == detail::taken_as::tree) return this->operands().template open<Step>(p, reverse);
        else if constexpr (taken == detail::taken_as::tree_or_leaf) return {this->is_fresh() ? &this->node_at() : nullptr, leaf(), p, reverse};
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

// A small array of a scoped function inside a bigger formula: its operands, or a name that was moved in, which is set aside in the workspace. So no numbers lie
// in the bigger formula: g++ would take them for what may be addresses, as all that is in one union.
template <class Op, class... A>
    requires(node<Op, A...>::rank != 0)
class part<node<Op, A...>> {
    using N = node<Op, A...>;
    using whole = formula<Op, A...>;

public:
    using value_type = typename N::value_type;
    using lifetime = typename N::lifetime;
    using shape_type = typename N::shape_type;
    using frame = typename N::frame;
    static constexpr int rank = N::rank;
    static constexpr bool is_active = true, is_batch = N::is_batch;

    XGRAD_DETAIL_INLINE explicit part(std::in_place_t, whole&& f) : is_name_(!f.is_fresh()) {
        if (is_name_) [[unlikely]] name_ = set_aside(std::move(f));
        else new (&node_) N(f.take_node());
    }
    XGRAD_DETAIL_INLINE part(part&& o) noexcept : is_name_(o.is_name_) {
        if (is_name_) [[unlikely]] name_ = std::exchange(o.name_, nullptr);
        else new (&node_) N(static_cast<N&&>(o.node_));
    }
    XGRAD_DETAIL_INLINE part& operator=(part&&) = delete;
    XGRAD_DETAIL_INLINE ~part() {
        if (!is_name_) [[likely]] node_.~N();
        else if (name_) settle(name_);
    }

    XGRAD_DETAIL_INLINE context* owner() const { return is_name_ ? name_->owner() : node_.owner(); }
    XGRAD_DETAIL_INLINE void prepare() const {
        if (!is_name_) [[likely]] node_.prepare();
    }
    XGRAD_DETAIL_INLINE static constexpr extents<rank> extent() { return shape_type::shape; }
    template <int S>
    XGRAD_DETAIL_INLINE void ensure_cotangents(extents<S> const& space) const noexcept {
        if (!is_name_) [[likely]] node_.ensure_cotangents(space);
        else leaf().ensure_cotangents(space);
    }
    using leaf_type = detail::leaf_on_slot<typename storage_for<N>::slot_type, value_type, shape_type>;
    template <class Step>
    using cursor = detail::tree_or_leaf<typename N::template cursor<Step>, typename leaf_type::template cursor<Step>>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type& p, bool reverse) const noexcept {
        if (!is_name_) [[likely]] return {&node_, leaf_type(), p, reverse};
        return {static_cast<N const*>(nullptr), leaf(), p, reverse};
    }

private:
    union {
        N node_;
        whole* name_;
    };
    bool is_name_;

    XGRAD_DETAIL_INLINE leaf_type leaf() const noexcept { return {{}, name_->slot_at()}; }

    static context& context_of(whole const& f) {
        context* c = f.owner();
        return c ? *c : plain_context();
    }
    [[gnu::cold, gnu::noinline]] static whole* set_aside(whole&& f) {
        context& c = context_of(f);
        auto* p = new (c.memory.take(sizeof(whole))) whole(std::move(f));
        ++c.live;
        return p;
    }
    [[gnu::cold, gnu::noinline]] static void settle(whole* p) noexcept {
        context& c = context_of(*p);
        p->~whole();
        --c.live;
        c.memory.give(p, sizeof(whole));
    }
};
template <class Op, class... A>
inline constexpr bool detail::is_cheap<part<node<Op, A...>>> = detail::is_cheap<node<Op, A...>>;
// A debt to a copy of an array in the workspace, for what outlives the array's own formula.
template <class A>
auto in_workspace(A a) {
    counted_storage<node<identity_op, A>> s(std::in_place, std::move(a));
    return s.detach();
}

}
XGRAD_DETAIL_QUIET_END
