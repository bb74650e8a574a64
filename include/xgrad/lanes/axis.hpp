// Defines axis_of, what a tabulation holds of an axis of its shape: the index of each item.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/lanes/lane_index.hpp>
#include <xgrad/lanes/ports.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The index along axis d of item i of an array of this shape.
template <int D, int Axis>
struct axis_of : constant_operand<axis_of<D, Axis>> {
    using value_type = void;
    static constexpr bool has_items = true;
    extents<D> shape;
    explicit axis_of(extents<D> const& s) : shape(s) {}
    std::size_t items() const { return element_count(shape); }
    void check() const {}

    template <class T, std::size_t W, class M>
    class port : public port_of_constants {
        // All items of a pack are in one row of the last axis.
        static constexpr bool counts = Axis == D - 1;

    public:
        // Items of a run have one index, or are the row that the last axis counts.
        class run {
        public:
            XGRAD_DETAIL_INLINE run(port const& p, std::size_t i) noexcept : first_(counts ? i / p.block_ * p.block_ : i / p.block_ % p.length_) {}
            XGRAD_DETAIL_INLINE bool load([[maybe_unused]] std::size_t i) noexcept {
                if constexpr (!counts) index_ = first_;
                else if constexpr (W == 1) index_ = i - first_;
                else index_ = lane_index<W>(static_cast<std::ptrdiff_t>(i - first_), 1);
                return true;
            }
            XGRAD_DETAIL_INLINE auto const& handle() const noexcept { return index_; }
            template <class V>
            XGRAD_DETAIL_INLINE void give(std::size_t, V const&) const noexcept {}

        private:
            std::size_t first_;
            std::conditional_t<W == 1 || !counts, std::size_t, lane_index<W>> index_{};
        };

        port(axis_of const& a, context&) : length_(a.shape[Axis]), block_(counts ? length_ : 1) {
            for (int d = Axis + 1; d < D; ++d) block_ *= a.shape[d];
        }
        std::size_t end_of_run(std::size_t i) const noexcept { return (i / block_ + 1) * block_; }
        template <class Place>
        XGRAD_DETAIL_INLINE run in_run(std::size_t i, Place const&) const noexcept {
            return run(*this, i);
        }

    private:
        std::size_t length_, block_;
    };
};

}
XGRAD_DETAIL_QUIET_END
