// Defines argument<P> of arrays of numbers: one slot for the whole array, in its own memory, whatever its layout.
#pragma once

#include <algorithm>
#include <new>

#include <xgrad/scope/arguments/bind_context.hpp>

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

// An array of the shape of x in the place of another. Not by resize, which gives it the shape before there is memory, and then may throw.
template <class D, class P>
void renew(D& dx, P const& x) {
    if constexpr (D::static_layout == xt::layout_type::dynamic && requires { D(x.shape(), x.strides()); }) dx = D(x.shape(), x.strides());
    else dx = D::from_shape(x.shape());
}

template <class E>
auto* first_element(E& e) noexcept {
    if constexpr (requires { e.data_offset(); }) return e.data() + e.data_offset();
    else return e.data();
}

}

template <detail::number_array P, class M, class L>
    requires detail::is_rank_zero<P>
struct argument<P, M, L> : argument<detail::array_element_t<P>, M, L> {
    using base = argument<detail::array_element_t<P>, M, L>;
    template <class D>
    void bind(P const& x, D*, bind_context const& b) { base::bind(x(), nullptr, b); }
    template <class D>
    void finish(D* dx, gradient_memory m) const noexcept { base::finish(&(*dx)(), m); }
};

template <detail::number_array P, class M, class L>
    requires(!detail::is_rank_zero<P> && !has_static_shape<detail::known_shape<P, M, L>>)
struct argument<P, M, L> {
    using S = detail::array_element_t<P>;
    using T = typename L::template type<S>;
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
    void bind(P const& x, D* dx, bind_context const& b) {
        slot<T, rank_c<R>>& s = *(s_ = new (b.call.memory.take(sizeof(slot<T, rank_c<R>>))) slot<T, rank_c<R>>);
        s.owner = &b.call;
        S* const first = const_cast<S*>(detail::first_element(x));
        s.shape = detail::shape_of<R>(x);
        s.stride = detail::strides_of<R>(x);
        s.size = x.size();
        s.contiguous = is_contiguous(s.shape, s.stride);
        s.version = nullptr;
        enter(b.call, first);
        if constexpr (L::are_dual) s.value = with_tangents(first, tangents(b));
        else s.value = first;
        s.cotangent = nullptr;
        s.has_cotangent = b.memory == gradient_memory::add;  // memory that others may share is only added to
        if (!dx) return;
        if (!std::ranges::equal(x.shape(), dx->shape())) {
            if (b.memory == gradient_memory::add) wrong_shape(s.shape, detail::shape_of<R>(*dx));
            if constexpr (detail::array_argument<P>) detail::renew(*dx, x);
        }
        if (!detail::same_steps(s.shape, detail::strides_of<R>(*dx), s.stride)) {
            if (b.memory == gradient_memory::add) wrong_layout(s.shape);
            if constexpr (detail::array_argument<P> && P::static_layout == xt::layout_type::dynamic) detail::renew(*dx, x);
        }
        if constexpr (L::are_dual) s.cotangent = with_tangents(detail::first_element(*dx), gradient_tangents<D>(b));
        else if constexpr (detail::is_complex_number<S>) {
            // what was there before is no cotangent as the call keeps them
            if (b.memory == gradient_memory::add) s.cotangent = detail::tangent_block<S>(b.call, 1, s.shape, s.stride).at(0);
            else s.cotangent = detail::first_element(*dx);
        } else s.cotangent = detail::first_element(*dx);
    }
    template <class D>
    void finish(D* dx, gradient_memory m) noexcept {
        // what is still owed to it is kept outside the function
        if (s_->owed != 0 && s_->owner->keeps == context::keeping::nothing) [[unlikely]] ++s_->owner->live;
        if constexpr (L::are_dual)
            if (dx) finish_tangents<D>();
        if constexpr (detail::is_complex_number<S> && L::are_dual)
            if (dx && s_->has_cotangent) conjugate(detail::first_element(*dx), s_->stride);
        if constexpr (detail::is_complex_number<S> && !L::are_dual)
            if (dx && s_->has_cotangent) {
                S* const g = detail::first_element(*dx);
                detail::for_each_offset(s_->shape, s_->stride, [&](std::size_t, std::ptrdiff_t at) {
                    S const own = detail::conjugate(s_->cotangent[at]);
                    g[at] = m == gradient_memory::add ? g[at] + own : own;
                });
            }
        if constexpr (requires { dx->storage(); })
            if (dx && m == gradient_memory::own && !s_->has_cotangent) std::fill_n(dx->data(), dx->storage().size(), S(0));
    }
    void rearm() noexcept { s_->has_cotangent = false; }
    input<T, rank_c<R>, M> handle() { return input<T, rank_c<R>, M>(s_); }

private:
    [[no_unique_address]] std::conditional_t<L::are_dual, detail::leaf_place, detail::absent_tangent> place_;

    // The tangents of the elements, with the distance of two directions: where they were given if their layout is the same, otherwise in a block.
    std::pair<S*, std::ptrdiff_t> tangents(bind_context const& b) {
        using D = tangent_type_t<P> const;
        auto& d = *b.seeds;
        place_ = {&d, d.at};
        D* given = d.given ? static_cast<D*>(d.leaves[d.at].xdot) : nullptr;
        d.at += d.given ? 1 : s_->size * detail::coordinates<S>;
        if (given && detail::same_steps(s_->shape, detail::strides_of<R>(*given), s_->stride)) return {const_cast<S*>(detail::first_element(*given)), 0};
        detail::tangent_block<S> const t(b.call, L::count, s_->shape, s_->stride);
        if (given) {
            copy(detail::first_element(*given), detail::strides_of<R>(*given), t.at(0), s_->stride);
        } else
            detail::for_each_offset(s_->shape, s_->stride, [&](std::size_t i, std::ptrdiff_t at) {
                std::size_t const c = place_.at + i * detail::coordinates<S>;
                for (std::size_t j = c; j < c + detail::coordinates<S>; ++j)
                    if (j >= d.first && j < d.first + L::count) t.at(j - d.first)[at] = detail::unit_vector<S>(j, c);
            });
        return {t.at(0), static_cast<std::ptrdiff_t>(t.span)};
    }
    // Those of the gradient: in the caller's memory if its layout is the same, otherwise in a block that finish reads.
    template <class D>
    std::pair<S*, std::ptrdiff_t> gradient_tangents(bind_context const& b) {
        if (D* g = given_gradient<D>(); g && detail::same_steps(s_->shape, detail::strides_of<R>(*g), s_->stride)) return {detail::first_element(*g), 0};
        detail::tangent_block<S> const t(b.call, L::count, s_->shape, s_->stride);
        return {t.at(0), static_cast<std::ptrdiff_t>(t.span)};
    }
    template <class D>
    D* given_gradient() const {
        return place_.d->given ? static_cast<D*>(place_.d->leaves[place_.at].gdot) : nullptr;
    }
    template <class D>
    void finish_tangents() noexcept {
        auto const& g = s_->cotangent;
        if (D* own = given_gradient<D>()) {
            S* to = detail::first_element(*own);
            auto const stride = detail::strides_of<R>(*own);
            if (!s_->has_cotangent) detail::for_each_offset(s_->shape, stride, [&](std::size_t, std::ptrdiff_t at) { to[at] = S(0); });
            else {
                if (!detail::same_steps(s_->shape, stride, s_->stride)) copy(g.direction(0), s_->stride, to, stride);
                if constexpr (detail::is_complex_number<S>) conjugate(to, stride);
            }
        } else if constexpr (!std::is_void_v<typename L::row_type>) {
            using row = typename L::row_type;
            if (auto* rows = static_cast<row*>(place_.d->rows); rows && s_->has_cotangent)
                for (std::size_t k = 0; k < L::count; ++k)
                    detail::for_each_offset(s_->shape, s_->stride, [&](std::size_t i, std::ptrdiff_t at) {
                        detail::put_coordinates(rows + k * place_.d->width + place_.at + i * detail::coordinates<S>, g.direction(k)[at]);
                    });
        }
    }
    static memory_t<T> with_tangents(S* first, std::pair<S*, std::ptrdiff_t> const& t)
        requires(L::are_dual)
    {
        return {first, t.first, t.second};
    }
    void conjugate(S* x, strides<R> const& stride) const noexcept {
        detail::for_each_offset(s_->shape, stride, [&](std::size_t, std::ptrdiff_t at) { x[at] = detail::conjugate(x[at]); });
    }
    // Element by element in the order of both.
    void copy(S const* from, strides<R> const& a, S* to, strides<R> const& b) const noexcept {
        auto walk = [&](auto const& self, int d, std::ptrdiff_t i, std::ptrdiff_t j) -> void {
            if (d == s_->shape.rank()) to[j] = from[i];
            else
                for (std::size_t n = 0; n < s_->shape[d]; ++n)
                    self(self, d + 1, i + static_cast<std::ptrdiff_t>(n) * a[d], j + static_cast<std::ptrdiff_t>(n) * b[d]);
        };
        walk(walk, 0, 0, 0);
    }

    // Says whose elements these are. A view is never known to be alone with its own, so nothing may be assigned to it.
    void enter(context& c, S const* first) const {
        if (s_->size == 0) return;
        S const* last = first;
        for (int d = 0; d < s_->shape.rank(); ++d) {
            std::ptrdiff_t const reach = s_->stride[d] * static_cast<std::ptrdiff_t>(s_->shape[d] - 1);
            (reach < 0 ? first : last) += reach;
        }
        for (int i = 0; i < (parts<P>::identity == identified::by_handle ? 2 : 1); ++i) c.enter_array(first, last + 1);
    }
};

}
XGRAD_DETAIL_QUIET_END
