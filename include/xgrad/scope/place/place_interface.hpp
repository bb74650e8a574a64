// Defines place_interface: what an array variable has beside what an active array has: elements, iterators and regions that are assigned to.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include <xgrad/scope/node/element_access.hpp>
#include <xgrad/scope/node/make_formula.hpp>
#include <xgrad/scope/place/element_pages.hpp>
#include <xgrad/scope/place/filled.hpp>
#include <xgrad/scope/place/place_iterator.hpp>
#include <xgrad/scope/place/place_version.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// A plain array as one of duals T, beside which constants are plain.
template <class T, class E>
auto as_duals(E&& e) {
    return std::forward<E>(e) - variable<T>(T(0));
}
}

// D is the variable. It says base(), its debt to the slot of its value but for the elements that were assigned to since; local_base(), a debt that this thread
// may count; set_base(debt); and copied(debt), one to a copy in row-major order.
template <class D, class T, int R>
class place_interface : public array_interface<D, T, R> {
    using plain_interface = array_interface<D, T, R>;

public:
    using element_type = element<T, rank_c<R>>;
    using ref_type = slot_ref<T, rank_c<R>, counted>;

    // An element as a place: assigned to, swapped, referred to, for as long as the variable has as many elements. Of a variable that is const its value.
    // Throws std::out_of_range for an index outside. What is written here hides what is written there with the same constraints, and no other.
    using plain_interface::operator(), plain_interface::operator[], plain_interface::at, plain_interface::periodic, plain_interface::flat;
    using plain_interface::back, plain_interface::begin, plain_interface::end, plain_interface::front, plain_interface::rbegin, plain_interface::rend;
    template <std::integral... I>
    XGRAD_DETAIL_INLINE element_type& operator()(I... i) & { return element_at(index_of<false>(i...)); }
    template <std::integral... I>
        requires(R != 0 || sizeof...(I) == 0)
    XGRAD_DETAIL_INLINE element_type operator()(I... i) const& { return value_at<false>(i...); }
    template <std::integral... I>
        requires(R != 0 || sizeof...(I) == 0)
    XGRAD_DETAIL_INLINE element_type operator()(I... i) && { return value_at<false>(i...); }
    template <std::integral I>
    XGRAD_DETAIL_INLINE element_type& operator[](I i) &
        requires(R == 1 || R == dynamic_rank)
    {
        return element_at(index_of<false>(i));
    }
    template <std::integral I>
    XGRAD_DETAIL_INLINE element_type operator[](I i) const&
        requires(R == 1 || R == dynamic_rank)
    {
        return value_at<false>(i);
    }
    template <std::integral I>
    XGRAD_DETAIL_INLINE element_type operator[](I i) &&
        requires(R == 1 || R == dynamic_rank)
    {
        return value_at<false>(i);
    }
    template <std::integral I>
    element_type& operator[](std::initializer_list<I> index) & { return element_at(place_by(index)); }
    template <detail::index_list J>
    element_type& operator[](J const& index) & { return element_at(place_by(index)); }
    template <std::integral... I>
    XGRAD_DETAIL_INLINE element_type& at(I... i) & { return element_at(index_of<false>(i...)); }
    template <std::integral... I>
    XGRAD_DETAIL_INLINE element_type at(I... i) const& { return value_at<false>(i...); }
    template <std::integral... I>
    XGRAD_DETAIL_INLINE element_type at(I... i) && { return value_at<false>(i...); }
    template <std::integral... I>
    element_type& periodic(I... i) & { return element_at(index_of<true>(i...)); }
    template <std::integral... I>
    element_type periodic(I... i) const& { return value_at<true>(i...); }
    template <std::integral... I>
    element_type periodic(I... i) && { return value_at<true>(i...); }
    // They count as the variable began: by columns where it was made of a value that lies so and its type does not say rows, whatever is written since.
    element_type& flat(std::size_t i) & { return element_at(place_of_flat(i)); }
    element_type flat(std::size_t i) const&
        requires(R != 0)
    {
        return value_in_rows(place_of_flat(i));
    }
    element_type flat(std::size_t i) &&
        requires(R != 0)
    {
        return value_in_rows(place_of_flat(i));
    }
    element_type& front() & {
        detail::require_element(self().extent(), 0);
        return element_at(0);
    }
    element_type& back() & {
        auto const last = this->size() - 1;
        detail::require_element(self().extent(), last);
        return element_at(last);
    }

    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
    auto begin() { return place_iterator<D, L == xt::layout_type::column_major>(self(), 0); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
    auto end() { return place_iterator<D, L == xt::layout_type::column_major>(self(), static_cast<std::ptrdiff_t>(this->size())); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
    auto rbegin() { return std::make_reverse_iterator(end<L>()); }
    template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL>
    auto rend() { return std::make_reverse_iterator(begin<L>()); }

    // The i-th element in row-major order, which is there.
    XGRAD_DETAIL_INLINE element_type& element_at(std::size_t i) {
        auto* s = self().base().get();
        if (s->owner->plain && s->owner != &plain_context()) [[unlikely]] {
            become(self().local_base());
            s = self().base().get();
        }
        return pages_.at(*s, i);
    }

    // The value, its elements in row-major order one after the other, as views that are assigned to need it. Who keeps a debt to it says what it reads.
    ref_type const& in_rows() {
        write_elements();
        if (!self().base().get()->contiguous) become(D::copied(self().local_base()));
        return self().base();
    }
    // What was read of the value since it is there, by those that may still be there; and as it was before so many of them came.
    struct readers {
        static constexpr std::uint64_t unknown = std::uint64_t{1} << 63;
        detail::interval places;
        std::uint64_t count = 0;
    };
    readers const& read() const noexcept { return read_; }
    void note_read(detail::interval const& places) const noexcept {
        read_.places.add(places);
        ++read_.count;
    }
    void forget_read(readers const& before) const noexcept {
        if (read_.count == before.count + 1) read_ = before;
    }
    // The elements at these places become e, broadcast to this shape, or have it added to them. Throws std::invalid_argument where it does not broadcast; then
    // nothing has changed. A debt of the writer's own is not one of a reader.
    template <bool Adds, int Q, class E>
    void write_region(std::ptrdiff_t offset, extents<Q> const& shape, strides<Q> const& stride, std::uint32_t debts_of_writer, E&& e) {
        with_operand(std::forward<E>(e), [&]<class A>(A a) {
            using W = detail::written_region<Adds, T, rank_c<R>, A, rank_c<Q>>;
            W w(std::move(a), offset, shape, stride);
            if (!w.is_empty()) write(std::move(w), debts_of_writer);
        });
    }
    // All elements become c, a number.
    template <class C>
    void fill(C&& c) {
        auto const shape = self().extent();
        become(with_operand(std::forward<C>(c), [&]<class A>(A a) {
            using N = node<detail::filled, detail::as_counted<A>, rank_c<R>>;
            return counted_storage<N>(std::in_place, detail::as_counted<A>(std::move(a)), shape).detach();
        }));
    }

protected:
    place_interface() = default;
    place_interface(place_interface&&) = default;
    // Of a variable with the same value, none of whose elements was taken.
    place_interface(place_interface const& o) noexcept : plain_interface(), counts_columns_(o.counts_columns_) {}

    // Of the first value of a variable.
    XGRAD_DETAIL_INLINE void note_order(slot<T, rank_c<R>> const& s) noexcept {
        if constexpr (R != 1) counts_columns_ = !s.contiguous && detail::lies_in_columns(s.shape, s.stride);
    }
    // Another value, or all of another variable. References to elements stay where there are as many.
    template <class Debt>
    void become(Debt const& debt) const noexcept {
        self().set_base(ref_type(debt.get()));
        pages_.rebase(*debt.get());
        read_ = {};
        read_before_ = ever_read_ = {};
        pages_.forget_read();
        owns_memory_ = false;
    }
    void become(D& o) noexcept {
        auto* const s = o.base_or_none();
        self().set_base(s ? ref_type(s) : ref_type());
        o.set_base(ref_type());
        if (o.pages_.exist()) pages_ = std::move(o.pages_);
        else if (s) pages_.rebase(*s);
        o.pages_.release();
        read_ = o.read_;
        read_before_ = o.read_before_;
        ever_read_ = o.ever_read_;
        owns_memory_ = o.owns_memory_;
    }
    // The elements that were assigned to become part of the whole.
    void write_elements() const {
        if (!pages_.exist()) return;
        std::size_t const n = pages_.changed();
        if (n == 0) return;
        auto const& s = *self().base().get();
        detail::written_elements<T, rank_c<R>> w(*s.owner, n);
        pages_.each_changed([&](std::size_t i, auto const& e) { w.push(static_cast<std::ptrdiff_t>(i), e); });
        write(std::move(w), 0);
    }
    void release_elements() const noexcept { pages_.release(); }

private:
    mutable detail::element_pages<T, rank_c<R>> pages_;
    // of earlier values that lie in the same memory, by those that may still be there; and by anybody
    mutable detail::interval read_before_, ever_read_;
    mutable readers read_;
    // whether the memory of the value was made by a write, and nobody knows it but by debts to its versions
    mutable bool owns_memory_ = false;
    bool counts_columns_ = false;

    // The next version. It lies where this one does, unless somebody still reads there what is overwritten.
    template <class W>
    void write(W w, std::uint32_t debts_of_writer) const {
        auto& s = *self().base().get();
        context* const c = detail::joint_owner(s.owner, w.operand_owner());
        std::uint32_t const own_debts = 1 + debts_of_writer + w.debts(&s);
        // constants that nobody else knows may be overwritten, too
        bool const is_own = c == s.owner ? owns_memory_ : c->reverse && s.owner == &plain_context() && s.released && s.owed == own_debts;
        bool const in_place = is_own && s.contiguous && c->keeps == context::keeping::nothing;
        detail::interval of_readers = read_before_;
        if (in_place && s.owed > own_debts) {
            of_readers.add(read_.places);
            of_readers.add(pages_.read());
        }
        if (!in_place || of_readers.meets(w.places())) {
            using N = node<detail::write_op<W>, ref_type>;
            become(counted_storage<N>(std::in_place, self().local_base(), std::move(w)).detach());
            owns_memory_ = true;
            return;
        }
        detail::interval ever_read = ever_read_;
        ever_read.add(read_.places);
        ever_read.add(pages_.read());
        bool const straight = w.goes_straight() && w.debts(&s) == 0 && !ever_read.meets(w.places());
        if (c->reverse) self().set_base(detail::place_version<T, rank_c<R>, W>::make(*c, s, std::move(w), straight));
        else if (straight) w.write(s.value);
        else {
            w.evaluate(*c);
            w.exchange(s.value);
        }
        pages_.rebase(*self().base().get());
        owns_memory_ = true;
        read_before_ = of_readers;
        ever_read_ = ever_read;
        read_ = {};
        pages_.forget_read();
    }
    // f(operand) of what is assigned.
    template <class E, class F>
    static auto with_operand(E&& e, F const& f) {
        if constexpr (active<E>) return f(D::with_own_elements(std::forward<E>(e)));
        else if constexpr (std::is_convertible_v<E, T>) return f(constant_number<T>{static_cast<T>(e)});
        else if constexpr (number_dual<T>) return f(as_operand(detail::as_duals<T>(std::forward<E>(e))));
        else return f(as_constant<T>(std::forward<E>(e), &plain_context()));
    }
    D& self() noexcept { return static_cast<D&>(*this); }
    D const& self() const noexcept { return static_cast<D const&>(*this); }
    template <bool Periodic, class... I>
    XGRAD_DETAIL_INLINE std::size_t index_of(I... i) const {
        static_assert(R == dynamic_rank || sizeof...(I) == R,
                      "xgrad[E023]: x(i...) requires one index for each dimension of x: give as many indices as x.dimension()");
        auto const& s = self().base().get()->shape;
        std::size_t row = 0;
        detail::for_indices<Periodic>(s, [&](int d, std::ptrdiff_t at) XGRAD_DETAIL_LAMBDA { row = row * s[d] + static_cast<std::size_t>(at); }, i...);
        return row;
    }
    template <class J>
    std::size_t place_by(J const& index) const {
        auto const& s = self().base().get()->shape;
        return static_cast<std::size_t>(detail::offset_by(s, row_major_strides(s), index));
    }
    std::size_t place_of_flat(std::size_t i) const {
        auto const& s = self().base().get()->shape;
        detail::require_element(s, i);
        return counts_columns_ ? detail::place_in_rows(s, i) : i;
    }
    template <bool Periodic, class... I>
    XGRAD_DETAIL_INLINE element_type value_at(I... i) const {
        return value_in_rows(index_of<Periodic>(i...));
    }
    // The value of element_at(k).
    XGRAD_DETAIL_INLINE element_type value_in_rows(std::size_t k) const {
        if (element_type const* e = pages_.find(k)) return e->operand();
        auto const s = self().local_base();
        std::ptrdiff_t const at = detail::place_of_element(*s.get(), k);
        note_read({at, at + 1});
        return {s.get(), at};
    }
};

}
XGRAD_DETAIL_QUIET_END
