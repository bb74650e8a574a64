// Defines place_iterator: goes through the elements of an array variable, each of which may be assigned to.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>

#include <xgrad/scope/node/element_access.hpp>
#include <xgrad/scope/place/element.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// In row-major or column-major order.
template <class D, bool Columns>
class place_iterator : public detail::index_iterator<place_iterator<D, Columns>> {
public:
    using value_type = element<typename D::value_type, rank_c<D::rank>>;
    using reference = value_type&;
    using pointer = value_type*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;

    place_iterator() = default;
    place_iterator(D& array, std::ptrdiff_t i) : detail::index_iterator<place_iterator>(i), array_(std::addressof(array)) {}

    reference operator*() const { return (*this)[0]; }
    pointer operator->() const { return &(*this)[0]; }
    reference operator[](std::ptrdiff_t n) const {
        auto i = static_cast<std::size_t>(this->index() + n);
        if constexpr (Columns) i = detail::place_in_rows(array_->extent(), i);
        return array_->element_at(i);
    }

private:
    D* array_ = nullptr;
};

}
XGRAD_DETAIL_QUIET_END
