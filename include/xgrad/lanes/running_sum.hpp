// Defines running_sum: a sum over many items, of numbers or of packs.
#pragma once

#include <cstddef>

#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A sum in two levels, so that its error does not grow with each item.
template <class V>
class running_sum {
public:
    XGRAD_DETAIL_INLINE void add(V const& v) {
        block_ = block_ + v;
        if (++count_ == 256) close();
    }
    V value() const { return V(total_ + block_); }

private:
    V total_ = V(0.0), block_ = V(0.0);
    std::size_t count_ = 0;
    void close() {
        total_ = total_ + block_;
        block_ = V(0);
        count_ = 0;
    }
};

}
XGRAD_DETAIL_QUIET_END
