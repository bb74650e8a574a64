// Defines place_view<S, R, D>: a view of an array variable, which reads as any view does, and is assigned to; and element_of_place, an element of one.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <xgrad/scope/node/element_access.hpp>
#include <xgrad/scope/operand/slot_view.hpp>
#include <xgrad/scope/place/interval.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void other_size() {
    throw std::logic_error("xgrad[E230]: view(u, ...) = e requires a u of as many elements as when the view was made, but it was assigned another array: make "
                           "the view once more");
}
}

// V reads an element of a view, as it was when the view was made; assigned to is that of the variable D, as long as this has no name.
template <class V, class D>
class element_of_place : public V {
public:
    element_of_place(V e, D* array, std::size_t size) : V(std::move(e)), array_(array), size_(size) {}
    element_of_place(element_of_place const&) = default;
    element_of_place(element_of_place&&) = default;
    void operator=(element_of_place const& e) && { place() = static_cast<V const&>(e); }
    template <class E>
    void operator=(E&& e) && { place() = std::forward<E>(e); }
    template <class E>
    void operator+=(E&& e) && { place() += std::forward<E>(e); }
    template <class E>
    void operator-=(E&& e) && { place() -= std::forward<E>(e); }
    template <class E>
    void operator*=(E&& e) && { place() *= std::forward<E>(e); }
    template <class E>
    void operator/=(E&& e) && { place() /= std::forward<E>(e); }

private:
    D* array_;
    std::size_t size_;
    auto& place() {
        if (array_->size() != size_) detail::other_size();
        return array_->element_at(static_cast<std::size_t>(this->offset()));
    }
};

// D is the variable. The view reads the value that the variable had when the view was made, also after the variable has gone; an assignment to the view gives
// the variable a new value, and the view with it.
template <class S, class R, class D>
class place_view : public slot_view<S, R> {
    using view_type = slot_view<S, R>;

public:
    place_view(view_type v, D& array) : view_type(std::move(v)), array_(std::addressof(array)), size_(array.size()), before_(array.read()) { note(); }
    place_view(place_view const& o) : view_type(o), array_(o.array_), size_(o.size_), before_(o.before_) { is_read(); o.is_read(); }
    place_view(place_view&&) = default;
    view_type operand() const& { return is_read(); }
    view_type operand() && { return is_read(); }
    view_type share() const { return is_read(); }

    place_view& operator=(place_view const& e) && { return write<false>(static_cast<view_type const&>(e)); }
    template <class E>
        requires(!std::same_as<std::remove_cvref_t<E>, place_view>)
    place_view& operator=(E&& e) && { return write<false>(std::forward<E>(e)); }
    template <class E>
    place_view& operator+=(E&& e) && { return write<true>(std::forward<E>(e)); }
    template <class E>
    place_view& operator-=(E&& e) && {
        if constexpr (active<E>) return write<true>(-std::forward<E>(e));
        else return write<false>(now() - std::forward<E>(e));
    }
    template <class E>
    place_view& operator*=(E&& e) && { return write<false>(now() * std::forward<E>(e)); }
    template <class E>
    place_view& operator/=(E&& e) && { return write<false>(now() / std::forward<E>(e)); }
    // All of it; c is a number.
    template <class C>
    void fill(C&& c) && { write<false>(std::forward<C>(c)); }
    // Of one that has a name somebody may have read elements, and still look at them.
    place_view& operator=(place_view const& e) & { return named() = e; }
    template <class E>
        requires(!std::same_as<std::remove_cvref_t<E>, place_view>)
    place_view& operator=(E&& e) & { return named() = std::forward<E>(e); }
    template <class E>
    place_view& operator+=(E&& e) & { return named() += std::forward<E>(e); }
    template <class E>
    place_view& operator-=(E&& e) & { return named() -= std::forward<E>(e); }
    template <class E>
    place_view& operator*=(E&& e) & { return named() *= std::forward<E>(e); }
    template <class E>
    place_view& operator/=(E&& e) & { return named() /= std::forward<E>(e); }
    template <class C>
    void fill(C&& c) & { named().fill(std::forward<C>(c)); }

    // An element of a view without a name may be assigned to: view(u, 1)(2) = e. These are more special than what they stand beside.
    using view_type::operator(), view_type::at;
    template <std::integral First, std::integral... I>
        requires(R::value != 0)
    auto operator()(First first, I... i) && { return element_of_array(static_cast<view_type&&>(*this)(first, i...)); }
    template <std::integral First, std::integral... I>
        requires(R::value != 0)
    auto at(First first, I... i) && { return element_of_array(static_cast<view_type&&>(*this).at(first, i...)); }
    template <std::integral I>
        requires(R::value == 1 || R::value == dynamic_rank)
    auto operator[](I i) && { return element_of_array(static_cast<view_type&&>(*this)[i]); }
    template <class J>
        requires requires(view_type const& v, J const& j) { v[j]; }
    auto operator[](J const& j) const& { return static_cast<view_type const&>(*this)[j]; }
    template <std::integral I>
        requires(R::value != 0)
    auto operator[](std::initializer_list<I> j) const& { return static_cast<view_type const&>(*this)[j]; }

    // A part of it is a part of the variable.
    D& array() const noexcept { return *array_; }

private:
    D* array_;
    std::size_t size_;
    mutable typename D::readers before_;  // those that were there when this one came, as long as nobody reads it

    place_view&& named() noexcept {
        is_read();
        return static_cast<place_view&&>(*this);
    }
    view_type const& is_read() const noexcept {
        before_.count = D::readers::unknown;
        return *this;
    }
    template <class V>
    auto element_of_array(V&& e) { return element_of_place<std::remove_cvref_t<V>, D>(std::forward<V>(e), array_, size_); }
    void note() const noexcept { array_->note_read(detail::places_of(this->offset(), this->extent(), this->steps())); }
    // What the view sees in the variable's newest value.
    view_type now() {
        require_size();
        return {array_->in_rows(), this->offset(), this->extent(), this->steps()};
    }
    template <bool Adds, class E>
    place_view& write(E&& e) {
        require_size();
        if constexpr (R::value == 0) {
            array_->forget_read(before_);
            auto& a = array_->element_at(static_cast<std::size_t>(this->offset()));
            if constexpr (Adds) a += std::forward<E>(e);
            else a = std::forward<E>(e);
        } else {
            auto const& newest = array_->in_rows();
            array_->forget_read(before_);
            array_->template write_region<Adds>(this->offset(), this->extent(), this->steps(), newest.get() == this->viewed().get(), std::forward<E>(e));
        }
        this->look_at(array_->in_rows());
        before_ = array_->read();
        note();
        return *this;
    }
    void require_size() const {
        if (array_->size() != size_) detail::other_size();
    }
};

namespace detail {
template <class E>
inline constexpr bool is_place_view = false;
template <class S, class R, class D>
inline constexpr bool is_place_view<place_view<S, R, D>> = true;
// Some elements of an array variable, which may be assigned to.
template <class E>
inline constexpr bool is_place = is_place_view<E>;

// An array variable that may change.
template <class E>
concept changing_array = std::is_lvalue_reference_v<E> && !std::is_const_v<std::remove_reference_t<E>> && requires(E e) { e.in_rows(); };

// What a part of e is taken from: a variable that may change lies in row-major order.
template <class E>
auto part_source_of_place(E&& e) {
    if constexpr (changing_array<E>) return std::remove_cvref_t<decltype(e.in_rows())>(e.in_rows());
    else return part_source(std::forward<E>(e));
}
// A part p of e: a place where e is a variable that may change, or a part of one.
template <class E, class S, class R>
auto as_part_of(E&& e, slot_view<S, R> p) {
    using U = std::remove_cvref_t<E>;
    if constexpr (is_place_view<U>) return place_view<S, R, std::remove_reference_t<decltype(e.array())>>(std::move(p), e.array());
    else if constexpr (changing_array<E>) return place_view<S, R, U>(std::move(p), e);
    else return p;
}
}

}
XGRAD_DETAIL_QUIET_END
