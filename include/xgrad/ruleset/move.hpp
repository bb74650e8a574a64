// Defines block_move: the elements of one array assigned or added to those of another of the same shape, by lines as long as the strides allow.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class T>
void give(memory_t<T> p, T const& v, bool add) {
    if (add) *p = T(T(*p) + v);
    else *p = v;
}

// y[k q] = x[k p], or has it added, for k < n. The two share no memory.
template <class T, class U>
void move_line(memory_t<T> y, std::ptrdiff_t q, memory_t<U const> x, std::ptrdiff_t p, std::size_t n, bool add) {
    if constexpr (number_dual<T> && std::is_same_v<T, U>) {
        using P = typename T::primal_type;
        move_line<P, P>(y.primal(), q, x.primal(), p, n, add);
        for (std::size_t k = 0; k < T::count; ++k) move_line<P, P>(y.direction(k), q, x.direction(k), p, n, add);
    } else if constexpr (number_dual<T> || number_dual<U>) {
        for (std::size_t k = 0; k < n; ++k, y += q, x += p) give<T>(y, T(U(*x)), add);
    } else if (p == 1 && q == 1) {
        T* __restrict const to = y;
        U const* __restrict const from = x;
        if (add)
            for (std::size_t k = 0; k < n; ++k) to[k] = T(to[k] + T(from[k]));
        else
            for (std::size_t k = 0; k < n; ++k) to[k] = T(from[k]);
    } else if (p == 0 && q == 1 && !add) {
        T const v = T(*x);
        for (std::size_t k = 0; k < n; ++k) y[k] = v;
    } else {
        for (std::size_t k = 0; k < n; ++k, y += q, x += p) give<T>(y, T(*x), add);
    }
}

// The axes from `first` on of two arrays of one shape, those joined that make one line.
template <int R>
class block_move {
public:
    block_move(int first, extents<R> const& shape, strides<R> const& y, strides<R> const& x) {
        y_.set_rank(shape.rank());
        x_.set_rank(shape.rank());
        n_.set_rank(shape.rank());
        for (int d = first; d < shape.rank(); ++d) {
            if (shape[d] == 1) continue;
            auto const n = static_cast<std::ptrdiff_t>(shape[d]);
            bool const joins = rank_ > 0 && y_[rank_ - 1] == n * y[d] && x_[rank_ - 1] == n * x[d];
            if (!joins) n_[rank_++] = 1;
            n_[rank_ - 1] *= shape[d];
            y_[rank_ - 1] = y[d];
            x_[rank_ - 1] = x[d];
        }
        if (rank_ == 0) short_line_ = 1;
        else if (rank_ == 1 && y_[0] == 1 && x_[0] == 1 && n_[0] <= longest_short_line) short_line_ = n_[0];
    }
    template <class T, class U>
    XGRAD_DETAIL_INLINE void move(memory_t<T> y, memory_t<U const> x, bool add) const {
        if constexpr (!number_dual<T> && !number_dual<U>)
            if (short_line_ != 0) {
                T* const to = y;
                U const* const from = x;
                for (std::size_t k = 0; k < short_line_; ++k) to[k] = add ? T(to[k] + T(from[k])) : T(from[k]);
                return;
            }
        lines<T, U>(y, x, add);
    }
    // Several such blocks one behind the other, q apart in y and p in x.
    template <class T, class U>
    void move_several(std::size_t count, memory_t<T> y, std::ptrdiff_t q, memory_t<U const> x, std::ptrdiff_t p, bool add) const {
        if (rank_ == 0) return move_line<T, U>(y, q, x, p, count, add);
        auto const n = static_cast<std::ptrdiff_t>(n_[0]);
        if (rank_ == 1 && q == n * y_[0] && p == n * x_[0]) return move_line<T, U>(y, y_[0], x, x_[0], count * n_[0], add);
        for (std::size_t k = 0; k < count; ++k, y += q, x += p) lines<T, U>(y, x, add);
    }

private:
    // The lines of one block, the last axis fastest.
    template <class T, class U>
    void lines(memory_t<T> y, memory_t<U const> x, bool add) const {
        if (rank_ == 0) return give<T>(y, T(U(*x)), add);
        extents<R> i{};
        i.set_rank(n_.rank());
        for (;;) {
            move_line<T, U>(y, y_[rank_ - 1], x, x_[rank_ - 1], n_[rank_ - 1], add);
            int d = rank_ - 2;
            for (; d >= 0; --d) {
                y += y_[d];
                x += x_[d];
                if (++i[d] < n_[d]) break;
                i[d] = 0;
                y += -y_[d] * static_cast<std::ptrdiff_t>(n_[d]);
                x += -x_[d] * static_cast<std::ptrdiff_t>(n_[d]);
            }
            if (d < 0) return;
        }
    }

    static constexpr std::size_t longest_short_line = 8;
    extents<R> n_{};
    strides<R> y_{}, x_{};
    int rank_ = 0;
    std::size_t short_line_ = 0;  // as many neighbours in both as make all of the block, which go one by one; 0 where it is something else
};

// All elements of this shape.
template <class T, class U, int R>
void move_elements(extents<R> const& shape, memory_t<T> y, strides<R> const& y_stride, memory_t<U const> x, strides<R> const& x_stride, bool add) {
    if (element_count(shape) != 0) block_move<R>(0, shape, y_stride, x_stride).template move<T, U>(y, x, add);
}
// The axes from `first` on of this shape are v.
template <class T, int R>
void fill_block(int first, extents<R> const& shape, memory_t<T> y, strides<R> const& y_stride, T v) {
    strides<R> none{};
    none.set_rank(shape.rank());
    block_move<R>(first, shape, y_stride, none).template move<T, T>(y, memory_of(v), false);
}
template <class T, int R>
void clear(array_ref<T, R> const& x) {
    if (element_count(x.shape) != 0) fill_block<T>(0, x.shape, x.data, x.stride, T(0));
}

}
XGRAD_DETAIL_QUIET_END
