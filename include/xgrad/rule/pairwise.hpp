// Defines pairwise<T, Combine>: numbers combined as a tree, so that the error of a sum grows with the depth of that, not with their count.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/inline.hpp>
#include <xgrad/tangent/number_dual.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class T, class Combine>
class pairwise {
public:
    explicit pairwise(Combine combine = {}) : combine_(combine) {}
    [[gnu::noinline]] void add(T x) {
        for (std::size_t k = count_++; (k & 1) != 0; k >>= 1) x = combine_(level_[--depth_], x);
        level_[depth_++] = x;
    }
    // `none` where nothing was added.
    [[gnu::noinline]] T value(T const& none) const {
        if (depth_ == 0) return none;
        T y = level_[depth_ - 1];
        for (int d = depth_ - 2; d >= 0; --d) y = combine_(level_[d], y);
        return y;
    }

private:
    [[no_unique_address]] Combine combine_;
    std::size_t count_ = 0;
    int depth_ = 0;
    T level_[8 * sizeof(std::size_t)];  // more than there are
};

// How many numbers (or packs of them) a sum of T takes one after the other.
template <class T>
inline constexpr std::size_t longest_sum = std::is_same_v<scalar_of_t<T>, float> ? 128 : 1024;

}
XGRAD_DETAIL_QUIET_END
