// Defines in, slot_view and array_interface: the active values that a user's function sees, and what can be asked of them.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include <xgrad/scope/node/formula.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
template <class>
inline constexpr bool never = false;

template <class P>
inline constexpr bool is_plain_container = false;
template <class C, xt::layout_type L, class S, class G>
inline constexpr bool is_plain_container<xt::xarray_container<C, L, S, G>> = true;
template <class C, std::size_t N, xt::layout_type L, class G>
inline constexpr bool is_plain_container<xt::xtensor_container<C, N, L, G>> = true;
template <class T, class S, xt::layout_type L, bool Sharable, class G>
inline constexpr bool is_plain_container<xt::xfixed_container<T, S, L, Sharable, G>> = true;

template <class... I>
extents<dynamic_rank, std::ptrdiff_t> indices(I... i) { return {{static_cast<std::ptrdiff_t>(i)...}, sizeof...(I)}; }
template <int R>
bool is_inside(extents<R> const& s, extents<dynamic_rank, std::ptrdiff_t> const& at) {
    bool fits = s.rank() == at.rank();
    for (int d = 0; fits && d < at.rank(); ++d) fits = at[d] >= 0 && static_cast<std::size_t>(at[d]) < s[d];
    return fits;
}
}

template <class S, class R>
class slot_view;

// Where argument-dependent lookup finds functions of active values whose names mean something else in xgrad: real and imag.
namespace spelling {
template <class D>
struct names {};
}

// What can be asked of an active value: its shape, its elements. D is the active type, T its element type, R its rank.
template <class D, class T, int R>
class array_interface : spelling::names<D> {
public:
    // The extents; as in xtensor a reference that lives as long as the value (a formula is evaluated for it).
    auto const& shape() const {
        auto const& s = stored_extents();
        if constexpr (R == dynamic_rank) return s;
        else return s.n;
    }
    std::size_t shape(std::size_t d) const {
        auto const s = self().extent();
        if (d >= s.size()) throw std::out_of_range("xgrad: shape(" + std::to_string(d) + ") requires an axis of an array of shape " + to_string(s));
        return s[static_cast<int>(d)];
    }
    std::size_t dimension() const { return static_cast<std::size_t>(self().extent().rank()); }
    std::size_t size() const { return element_count(self().extent()); }

    // One element, active; the scalar itself where there are no dimensions.
    template <std::integral... I>
    auto operator()(I... i) const& { return element_of<false>(self(), i...); }
    template <std::integral... I>
    auto operator()(I... i) && { return element_of<false>(static_cast<D&&>(*this), i...); }
    template <std::integral I>
    auto operator[](I i) const&
        requires(R == 1 || R == dynamic_rank)
    {
        return element_of<false>(self(), i);
    }
    template <std::integral I>
    auto operator[](I i) &&
        requires(R == 1 || R == dynamic_rank)
    {
        return element_of<false>(static_cast<D&&>(*this), i);
    }
    template <std::integral... I>
    auto at(I... i) const& { return element_of<false>(self(), i...); }
    template <std::integral... I>
    auto at(I... i) && { return element_of<false>(static_cast<D&&>(*this), i...); }
    // The same of the array repeated without end in all directions: -1 is the last index.
    template <std::integral... I>
    auto periodic(I... i) const& { return element_of<true>(self(), i...); }
    template <std::integral... I>
    auto periodic(I... i) && { return element_of<true>(static_cast<D&&>(*this), i...); }
    template <std::integral... I>
    bool in_bounds(I... i) const { return detail::is_inside(self().extent(), detail::indices(i...)); }

    // All elements, each active, in the order in which xtensor goes through arrays: row by row, unless L says otherwise.
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto begin() const { return iterator_at<L>(false); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto end() const { return iterator_at<L>(true); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto cbegin() const { return iterator_at<L>(false); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
        requires(R != 0)
    auto cend() const { return iterator_at<L>(true); }
    // The first and the last of them, and the i-th in memory: of a column-major array column by column, of a part with gaps row by row. What is computed
    // lies row by row, also where xtensor would read its own expression of column-major arrays column by column.
    auto front() const&
        requires(R != 0)
    {
        return nth<false>(self(), 0);
    }
    auto front() &&
        requires(R != 0)
    {
        return nth<false>(static_cast<D&&>(*this), 0);
    }
    auto back() const&
        requires(R != 0)
    {
        return nth<false>(self(), size() - 1);
    }
    auto back() &&
        requires(R != 0)
    {
        return nth<false>(static_cast<D&&>(*this), size() - 1);
    }
    auto flat(std::size_t i) const&
        requires(R != 0)
    {
        return nth<true>(self(), i);
    }
    auto flat(std::size_t i) &&
        requires(R != 0)
    {
        return nth<true>(static_cast<D&&>(*this), i);
    }

    // An active value does not turn into a plain one: its derivative would be lost without a word.
    template <class P>
        requires(detail::plain_scalar<P>)
    operator P() const {
        static_assert(detail::never<P>, "xgrad[E020]: a plain number requires a plain value, but this one is active: write auto or xgrad::variable to keep its derivative, xgrad::primal(x) to drop it");
        return P{};
    }
    template <class P>
        requires(detail::is_plain_container<P>)
    operator P() const {
        static_assert(detail::never<P>, "xgrad[E021]: a plain array requires plain values, but these are active: write auto or xgrad::variable to keep the derivative, xgrad::primal(x) to drop it");
        return P{};
    }

private:
    D const& self() const noexcept { return static_cast<D const&>(*this); }
    extents<R> const& stored_extents() const {
        if constexpr (R == 0) {
            static constexpr extents<0> none{};
            return none;
        } else if constexpr (requires { self().materialise(); }) {
            self().materialise();
            return self().slot_at()->shape;
        } else if constexpr (requires { self().get(); }) return self().get()->shape;
        else return self().kept_extents();
    }
    template <bool Periodic, class E, class... I>
    static auto element_of(E&& e, I... i);
    template <xt::layout_type L>
    auto iterator_at(bool end) const;
    template <bool InMemory, class E>
    static auto nth(E&& e, std::size_t i);
};

// An argument of the call, or a part of one: its slot outlives everything, so a scalar counts nothing. Nor does an array of fixed shape in a function with a
// declared result: only to what is counted can something be assigned.
template <class T, class R, class M>
class input : public detail::leaf_t<input<T, R, M>, T, R>, public array_interface<input<T, R, M>, T, R::value> {
    static constexpr bool is_bound = is_stacked<M> && requires { R::shape; };
    static constexpr bool is_counted = R::value != 0 && !is_bound;

public:
    using active_tag = void;
    using lifetime = M;
    static constexpr bool is_off_stack = true;  // its elements are not on the stack
    using slot_type = std::conditional_t<is_bound, bound_slot<T, R>, slot<T, rank_c<R::value>>>;
    static constexpr int rank = R::value;
    using value_type = T;

    XGRAD_DETAIL_INLINE input() {}
    XGRAD_DETAIL_INLINE explicit input(slot_type* s) noexcept : slot_(s) {}
    XGRAD_DETAIL_INLINE context* owner() const noexcept { return slot_->owner; }
    // Of an array that is counted: the newest version, which may be a value of the call.
    XGRAD_DETAIL_INLINE slot_type* get() const noexcept {
        if constexpr (is_counted) return slot_->version ? slot_->version : slot_;
        else return slot_;
    }
    slot_type* argument() const noexcept { return slot_; }
    XGRAD_DETAIL_INLINE slot_ref<T, R, M> share() const
        requires is_counted
    {
        return slot_ref<T, R, M>(get());
    }
    XGRAD_DETAIL_INLINE slot_ref<T, R, M> operand() const
        requires is_counted
    {
        return share();
    }

private:
    slot_type* slot_ = nullptr;
};

// A strided part of a slot: a view, a transpose, an element (rank 0). It has no value and no pullback of its own.
template <class S, class R>
class slot_view : public array_interface<slot_view<S, R>, typename S::value_type, R::value> {
public:
    using active_tag = void;
    using lifetime = typename S::lifetime;
    using value_type = typename S::value_type;
    using T = value_type;
    static constexpr int rank = R::value;
    static constexpr bool is_active = true, is_batch = lanes<T> != 1;
    using frame = T;

    slot_view() = default;
    slot_view(S source, std::ptrdiff_t offset, extents<rank> shape, strides<rank> stride)
        : source_(std::move(source)), offset_(offset), shape_(shape), stride_(stride), contiguous_(is_contiguous(shape, stride)) {}

    // A named element may become another, as a number may. Anything else would be an assignment to the array behind it.
    slot_view(slot_view const&) = default;
    slot_view(slot_view&&) = default;
    slot_view& operator=(slot_view const&) &
        requires(rank == 0)
    = default;
    slot_view& operator=(slot_view&&) &
        requires(rank == 0)
    = default;
    template <class E>
        requires(rank != 0 || !std::is_same_v<std::remove_cvref_t<E>, slot_view>)
    slot_view& operator=(E&&) & { return refuse_assignment<E>(); }
    template <class E>
    slot_view& operator=(E&&) && { return refuse_assignment<E>(); }

    context* owner() const noexcept { return source_.owner(); }
    S const& viewed() const noexcept { return source_; }
    std::ptrdiff_t offset() const noexcept { return offset_; }
    strides<rank> const& steps() const noexcept { return stride_; }
    void prepare() const {}
    extents<rank> extent() const { return shape_; }
    extents<rank> const& kept_extents() const noexcept { return shape_; }

    void forward(T& f) const
        requires(rank == 0)
    {
        f = forward();
    }
    T forward() const
        requires(rank == 0)
    {
        return T(source_.get()->value[offset_]);
    }
    void backward(T const&, T const& g) const noexcept
        requires(rank == 0)
    {
        add(g);
    }
    // A one-hot contribution: it touches one element and builds nothing.
    void add(T const& g) const noexcept
        requires(rank == 0)
    {
        auto* s = source_.get();
        s->ensure_cotangent();
        auto const a = s->cotangent + offset_;
        *a = T(*a) + g;
    }

    template <int Q>
    void ensure_cotangents(extents<Q> const&) const noexcept {
        if constexpr (rank != 0) source_.get()->ensure_cotangent();
    }
    template <class Step>
    using cursor = std::conditional_t<rank == 0, scalar_cursor<T, Step, slot_view>, array_cursor<T, rank, Step>>;
    template <class Step>
    cursor<Step> open([[maybe_unused]] typename Step::plan_type& p, [[maybe_unused]] bool reverse) const noexcept {
        auto* s = source_.get();
        if constexpr (rank == 0) return {T(s->value[offset_]), this};
        else return {p, s->value + offset_, reverse ? s->cotangent + offset_ : memory_t<T>(nullptr), false, shape_, stride_, contiguous_};
    }
    array_ref<T const, rank> source() const noexcept { return {source_.get()->value + offset_, shape_, stride_}; }
    array_ref<T, rank> target(bool& add) const noexcept {
        auto* s = source_.get();
        s->ensure_cotangent();
        add = true;
        return {s->cotangent + offset_, shape_, stride_};
    }

private:
    template <class E>
    slot_view& refuse_assignment() {
        static_assert(detail::never<E>, "xgrad[E107]: x(i) = e and view(x, ...) = e require a plain array x, but this one is active, and its elements are not assigned one by one: make the array by where, concatenate or scatter_add, or assign(x, y) all of it");
        return *this;
    }

    S source_;
    std::ptrdiff_t offset_ = 0;
    extents<rank> shape_;
    strides<rank> stride_;
    bool contiguous_ = true;
};

namespace detail {

// A temporary, whose slot goes with it.
template <class E>
inline constexpr bool is_stacked_array = false;
template <class Op, class... A>
    requires(node<Op, A...>::rank != 0)
inline constexpr bool is_stacked_array<formula<Op, A...>> = lies_on_stack<node<Op, A...>>;

// An argument that is in its place for the whole call, and counts nothing.
template <class E>
inline constexpr bool is_stacked_argument = false;
template <class T, std::size_t... N, class M>
    requires is_stacked<M>
inline constexpr bool is_stacked_argument<input<T, static_extents<N...>, M>> = true;

// What an expression holds of an active array that it only reads in parts: a handle, or a debt.
template <class E>
auto part_source(E&& e) {
    if constexpr (is_stacked_array<E>) {
        if (e.is_empty()) moved_from();
        return in_workspace(std::move(e));
    } else if constexpr (requires { e.share(); }) return e.share();
    else return std::remove_cvref_t<E>(std::forward<E>(e));
}

// A slot_view of a slot_view is a slot_view of what is behind it.
template <class E, int R>
auto make_slot_view(E const& e, std::ptrdiff_t offset, extents<R> const& shape, strides<R> const& stride) {
    if constexpr (requires { e.viewed(); }) return slot_view<std::remove_cvref_t<decltype(e.viewed())>, rank_c<R>>(e.viewed(), e.offset() + offset, shape, stride);
    else return slot_view<E, rank_c<R>>(e, offset, shape, stride);
}
template <class E>
auto const& steps_of(E const& e) {
    if constexpr (requires { e.steps(); }) return e.steps();
    else return e.get()->stride;
}

}

// Goes through the elements of an array that S holds, in row-major or column-major order. What it gives is an active value of its own,
// so to algorithms older than ranges it is an input iterator.
template <class S, bool Columns>
class element_iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::random_access_iterator_tag;
    using value_type = decltype(detail::make_slot_view(std::declval<S const&>(), 0, extents<0>{}, strides<0>{}));
    using difference_type = std::ptrdiff_t;
    using reference = value_type;
    using pointer = void;

    element_iterator() = default;
    element_iterator(S s, std::ptrdiff_t i) : source_(std::move(s)), i_(i) {}

    value_type operator*() const { return (*this)[0]; }
    value_type operator[](std::ptrdiff_t n) const {
        auto const& shape = source_.extent();
        auto const& step = detail::steps_of(source_);
        auto i = static_cast<std::size_t>(i_ + n);
        std::ptrdiff_t offset = 0;
        for (int k = 1, r = shape.rank(); k <= r; ++k) {
            int const d = Columns ? k - 1 : r - k;
            offset += static_cast<std::ptrdiff_t>(k == r ? i : i % shape[d]) * step[d];
            if (k != r) i /= shape[d];
        }
        return detail::make_slot_view(source_, offset, extents<0>{}, strides<0>{});
    }
    element_iterator& operator+=(std::ptrdiff_t n) {
        i_ += n;
        return *this;
    }
    element_iterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
    element_iterator& operator++() { return *this += 1; }
    element_iterator& operator--() { return *this -= 1; }
    element_iterator operator++(int) { return element_iterator(source_, i_++); }
    element_iterator operator--(int) { return element_iterator(source_, i_--); }
    friend element_iterator operator+(element_iterator const& a, std::ptrdiff_t n) { return element_iterator(a.source_, a.i_ + n); }
    friend element_iterator operator+(std::ptrdiff_t n, element_iterator const& a) { return a + n; }
    friend element_iterator operator-(element_iterator const& a, std::ptrdiff_t n) { return a + -n; }
    friend std::ptrdiff_t operator-(element_iterator const& a, element_iterator const& b) { return a.i_ - b.i_; }
    friend bool operator==(element_iterator const& a, element_iterator const& b) { return a.i_ == b.i_; }
    friend auto operator<=>(element_iterator const& a, element_iterator const& b) { return a.i_ <=> b.i_; }

private:
    S source_;
    std::ptrdiff_t i_ = 0;
};

template <class D, class T, int R>
template <bool Periodic, class E, class... I>
auto array_interface<D, T, R>::element_of(E&& e, I... i) {
    if constexpr (sizeof...(I) == 0 && R == 0) return std::remove_cvref_t<E>(std::forward<E>(e));
    else {
        static_assert(R == dynamic_rank || sizeof...(I) == R, "xgrad[E023]: x(i...) requires one index for each dimension of x: give as many indices as x.dimension()");
        auto const p = detail::part_source(std::forward<E>(e));
        auto const s = p.extent();
        auto at = detail::indices(i...);
        if constexpr (Periodic)
            for (int d = 0; d < at.rank() && d < s.rank(); ++d)
                if (auto const n = static_cast<std::ptrdiff_t>(s[d])) at[d] = (at[d] % n + n) % n;
        if (!detail::is_inside(s, at)) throw std::out_of_range("xgrad: x(i...) requires indices inside the shape of x, found " + to_string(at) + " and " + to_string(s) + ": count from 0");
        std::ptrdiff_t offset = 0;
        for (int d = 0; d < at.rank(); ++d) offset += at[d] * detail::steps_of(p)[d];
        return detail::make_slot_view(p, offset, extents<0>{}, strides<0>{});
    }
}
template <class D, class T, int R>
template <xt::layout_type L>
auto array_interface<D, T, R>::iterator_at(bool end) const {
    auto p = detail::part_source(self());
    auto const n = end ? static_cast<std::ptrdiff_t>(element_count(p.extent())) : 0;
    return element_iterator<decltype(p), L == xt::layout_type::column_major>(std::move(p), n);
}
template <class D, class T, int R>
template <bool InMemory, class E>
auto array_interface<D, T, R>::nth(E&& e, std::size_t i) {
    auto const p = detail::part_source(std::forward<E>(e));
    auto const s = p.extent();
    if (i >= element_count(s)) throw std::out_of_range("xgrad: x.flat(i), x.front() and x.back() require an element that is there, found none in an array of shape " + to_string(s) + ": i is from 0 to x.size() - 1");
    if constexpr (InMemory) {
        std::ptrdiff_t next = 1;
        bool columns = true;
        for (int d = 0; d < s.rank(); ++d) {
            columns = columns && (s[d] == 1 || detail::steps_of(p)[d] == next);
            next *= static_cast<std::ptrdiff_t>(s[d]);
        }
        if (columns) return detail::make_slot_view(p, static_cast<std::ptrdiff_t>(i), extents<0>{}, strides<0>{});
    }
    return element_iterator<std::remove_const_t<decltype(p)>, false>(p, static_cast<std::ptrdiff_t>(i))[0];
}

}
XGRAD_DETAIL_QUIET_END
