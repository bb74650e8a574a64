// Defines argument<P> of arrays of numbers: one slot for the whole array, in its own memory, whatever its layout.
#pragma once

#include <algorithm>
#include <new>

#include <xgrad/scope/binding.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Whether two arrays of one shape have their elements in the same places.
template <int R>
bool same_steps(extents<R> const& shape, strides<R> const& a, strides<R> const& b) noexcept {
    if (element_count(shape) == 0) return true;
    for (int d = 0; d < shape.rank(); ++d)
        if (shape[d] > 1 && a[d] != b[d]) return false;
    return true;
}

template <class E>
auto* first_element(E& e) noexcept {
    if constexpr (requires { e.data_offset(); }) return e.data() + e.data_offset();
    else return e.data();
}

}

template <detail::number_array P, class M>
    requires detail::is_rank_zero<P>
struct argument<P, M> : argument<detail::element_t<P>, M> {
    using base = argument<detail::element_t<P>, M>;
    template <class D>
    void bind(P const& x, D*, binding const& b) { base::bind(x(), nullptr, b); }
    template <class D>
    void finish(D* dx, gradient_memory m) const noexcept { base::finish(&(*dx)(), m); }
};

template <detail::number_array P, class M>
    requires(!detail::is_rank_zero<P>)
struct argument<P, M> {
    using T = detail::element_t<P>;
    static constexpr int R = rank_of<P>;
    // in the call's workspace: what is kept outside the function by mistake is given up together with it
    slot<T, rank_c<R>>* s_ = nullptr;

    [[noreturn, gnu::cold, gnu::noinline]] static void wrong_shape(extents<R> const& expected, extents<R> const& found) {
        detail::wrong_form("shapes", to_string(found), "an argument of shape " + to_string(expected));
    }
    [[noreturn, gnu::cold, gnu::noinline]] static void wrong_layout(extents<R> const& expected) {
        detail::wrong_form("layouts", "another", "an argument of shape " + to_string(expected));
    }
    template <class D>
    void bind(P const& x, D* dx, binding const& b) {
        slot<T, rank_c<R>>& s = *(s_ = new (b.call.memory.take(sizeof(slot<T, rank_c<R>>))) slot<T, rank_c<R>>);
        s.owner = &b.call;
        s.value = const_cast<T*>(detail::first_element(x));
        s.shape = detail::shape_of<R>(x);
        s.stride = detail::strides_of<R>(x);
        s.size = x.size();
        s.contiguous = is_contiguous(s.shape, s.stride);
        s.version = nullptr;
        enter(b.call);
        s.cotangent = nullptr;
        s.has = b.memory == gradient_memory::add;  // memory that others may share is only added to
        if (!dx) return;
        if (!std::ranges::equal(x.shape(), dx->shape())) {
            if (b.memory == gradient_memory::add) wrong_shape(s.shape, detail::shape_of<R>(*dx));
            if constexpr (detail::array_argument<P>) dx->resize(x.shape());
        }
        if (!detail::same_steps(s.shape, detail::strides_of<R>(*dx), s.stride)) {
            if (b.memory == gradient_memory::add) wrong_layout(s.shape);
            if constexpr (detail::array_argument<P> && P::static_layout == xt::layout_type::dynamic) *dx = P(x.shape(), x.strides());
        }
        s.cotangent = detail::first_element(*dx);
    }
    template <class D>
    void finish(D* dx, gradient_memory m) noexcept {
        if constexpr (requires { dx->storage(); })
            if (dx && m == gradient_memory::own && !s_->has) std::fill_n(dx->data(), dx->storage().size(), T(0));
    }
    in<T, rank_c<R>, M> handle() { return in<T, rank_c<R>, M>(s_); }

private:
    // Says whose elements these are. A view is never known to be alone with its own, so nothing may be assigned to it.
    void enter(context& c) const {
        if (s_->size == 0) return;
        T const *first = s_->value, *last = first;
        for (int d = 0; d < s_->shape.rank(); ++d) {
            std::ptrdiff_t const reach = s_->stride[d] * static_cast<std::ptrdiff_t>(s_->shape[d] - 1);
            (reach < 0 ? first : last) += reach;
        }
        for (int i = 0; i < (parts<P>::identity == identified::by_handle ? 2 : 1); ++i) c.enter_array(first, last + 1);
    }
};

}
XGRAD_DETAIL_QUIET_END
