// Defines compare_later: a truth_array that holds what it compares (lazy_truth, scope/node/make_formula.hpp), and is filled where it is looked at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <xgrad/host.hpp>
#include <xgrad/ruleset/scalar/comparison.hpp>
#include <xgrad/scope/node/make_formula.hpp>
#include <xgrad/truth_array.hpp>

namespace xgrad::detail {

// The elements of what the formula F compares, 1 or 0: found by the first who looks at one, as a whole. A choice takes the formula, and looks at none, unless
// somebody may have written to them.
template <class F, class Held = xt::uvector<bool>>
class lazy_bools {
public:
    using formula_type = F;
    using value_type = bool;
    using allocator_type = typename Held::allocator_type;
    using size_type = typename Held::size_type;
    using difference_type = typename Held::difference_type;
    using reference = typename Held::reference;
    using const_reference = typename Held::const_reference;
    using pointer = typename Held::pointer;
    using const_pointer = typename Held::const_pointer;
    using iterator = typename Held::iterator;
    using const_iterator = typename Held::const_iterator;
    using reverse_iterator = typename Held::reverse_iterator;
    using const_reverse_iterator = typename Held::const_reverse_iterator;

    explicit lazy_bools(size_type n = 0) : size_(n), bools_(n), is_filled_(true), is_changed_(true) {}
    lazy_bools(size_type n, bool v) : size_(n), bools_(n, v), is_filled_(true), is_changed_(true) {}
    lazy_bools(F&& f, size_type n) : formula_(std::move(f)), size_(n) {}
    lazy_bools(lazy_bools&& o) noexcept
        : formula_(std::move(o.formula_)), size_(o.size_), bools_(std::move(o.bools_)), is_filled_(o.is_filled_), is_changed_(o.is_changed_) {}
    lazy_bools(lazy_bools const& o) : size_(o.size_) {
        o.fill();
        formula_ = o.formula_;
        bools_ = o.bools_;
        is_filled_ = true;
        is_changed_ = o.is_changed_;
    }
    lazy_bools& operator=(lazy_bools o) noexcept {
        formula_ = std::move(o.formula_);
        bools_ = std::move(o.bools_);
        size_ = o.size_;
        is_filled_ = o.is_filled_;
        is_changed_ = o.is_changed_;
        return *this;
    }

    size_type size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    void resize(size_type n) {
        all().resize(n);
        size_ = n;
    }
    reference operator[](size_type i) { return all()[i]; }
    const_reference operator[](size_type i) const { return all()[i]; }
    pointer data() { return all().data(); }
    const_pointer data() const { return all().data(); }
    iterator begin() { return all().begin(); }
    iterator end() { return all().end(); }
    const_iterator begin() const { return all().cbegin(); }
    const_iterator end() const { return all().cend(); }
    const_iterator cbegin() const { return all().cbegin(); }
    const_iterator cend() const { return all().cend(); }
    reverse_iterator rbegin() { return all().rbegin(); }
    reverse_iterator rend() { return all().rend(); }
    const_reverse_iterator rbegin() const { return all().crbegin(); }
    const_reverse_iterator rend() const { return all().crend(); }
    const_reverse_iterator crbegin() const { return all().crbegin(); }
    const_reverse_iterator crend() const { return all().crend(); }

    // Whether an array of this shape is what was compared: nobody can have changed an element, or its shape.
    template <int R>
    bool is_as_compared(extents<R> const& shape) const {
        if (is_changed_) return false;
        if (formula().is_empty()) moved_from();
        return formula().extent() == shape;
    }
    // What was compared: by its name, or to move on.
    F const& formula() const& {
        if (!formula_) moved_from();
        return *formula_;
    }
    F&& formula() && {
        if (!formula_) moved_from();
        return std::move(*formula_);
    }

private:
    std::optional<F> formula_;
    size_type size_;
    mutable Held bools_;
    mutable bool is_filled_ = false, is_being_filled_ = false;
    bool is_changed_ = false;

    struct turn {
        bool& taken;
        explicit turn(bool& t) : taken(t) {
            while (__atomic_exchange_n(&taken, true, __ATOMIC_ACQUIRE)) {}
        }
        ~turn() { __atomic_store_n(&taken, false, __ATOMIC_RELEASE); }
    };
    Held& all() {
        fill();
        is_changed_ = true;
        return bools_;
    }
    Held const& all() const {
        fill();
        return bools_;
    }
    void fill() const {
        // Who reads may be several threads, and one of them does it; <atomic> would cost every program.
        if (__atomic_load_n(&is_filled_, __ATOMIC_ACQUIRE)) return;
        turn const mine(is_being_filled_);
        if (is_filled_) return;
        formula_->materialise();
        auto const y = formula_->source();
        bools_.resize(size_);
        for (std::size_t i = 0; i < size_; ++i) bools_[i] = y.data[i] != 0;
        __atomic_store_n(&is_filled_, true, __ATOMIC_RELEASE);
    }
};

// Whether what F compares may be looked at later, or not at all.
template <class F>
inline constexpr bool compares_later = F::rank != 0 && !has_static_shape<F> && !number_dual<typename F::value_type> && !is_stacked<typename F::lifetime> &&
                                       std::is_copy_constructible_v<F>;

// Throws std::invalid_argument where the operands do not broadcast.
template <class F>
auto compare_later(F&& f) {
    auto const space = f.extent();
    std::size_t const n = element_count(space);
    using T = lazy_bools<std::remove_cvref_t<F>>;
    if constexpr (std::remove_cvref_t<F>::rank == dynamic_rank) {
        using P = xt::xarray_container<T, xt::layout_type::row_major, xt::svector<std::size_t>>;
        typename P::inner_shape_type shape(space.begin(), space.end());
        typename P::inner_strides_type strides(shape.size());
        xt::compute_strides(shape, xt::layout_type::row_major, strides);
        return truth_array<P>(P(T(std::move(f), n), std::move(shape), std::move(strides)));
    } else {
        using P = xt::xtensor_container<T, static_cast<std::size_t>(std::remove_cvref_t<F>::rank)>;
        typename P::inner_shape_type shape = space.n;
        typename P::inner_strides_type strides{};
        xt::compute_strides(shape, xt::layout_type::row_major, strides);
        return truth_array<P>(P(T(std::move(f), n), std::move(shape), std::move(strides)));
    }
}

}
