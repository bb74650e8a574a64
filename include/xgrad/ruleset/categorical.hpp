// Defines the logarithm of the categorical density: the sum of what is observed of logits, row by row.
#pragma once

#include <cstddef>
#include <stdexcept>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/ruleset/scalar.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct categorical_logit_lpmf {};
}

// y = Σ counts theta - Σ (Σ counts) log(Σ exp(theta)), the inner sums along the last axis: a row of logits for each observation, or for all.
// thetabar = (counts - (Σ counts) softmax(theta)) ybar
template <>
struct array_rule<op::categorical_logit_lpmf> {
    template <int A, int B>
    static constexpr int rank = 0;
    template <int A, int B>
    static extents<0> shape(extents<A> const& theta, extents<B> const&) {
        if (theta.rank() == 0 || theta[theta.rank() - 1] == 0)
            throw std::invalid_argument(
                "xgrad[E206]: categorical_logit_lpmf(k, theta) requires an array theta with at least one category along its last axis, found shape " +
                to_string(theta));
        return {};
    }
    template <class T, int A, class U, int B>
    static void value(array_ref<T, 0> y, array_ref<T const, A> theta, array_ref<U const, B> counts) {
        T total(0);
        each_row(theta, counts, [&](auto const& logit, auto const& count, std::size_t n) {
            auto const [top, log_sum, all] = sums<T>(logit, count, n);
            for (std::size_t j = 0; j < n; ++j)
                // no observation of what is impossible costs nothing
                if (T const c = T(count(j)); !(c == T(0))) total = total + c * (logit(j) - top);
            if (!(all == T(0))) total = total - all * log_sum;
        });
        *y.data = total;
    }
    template <int I, class T, int A, class Y, class U, int B>
        requires(I == 0)
    static void pullback(array_ref<T, A> thetabar, bool add, array_ref<T const, 0> ybar, Y const&, array_ref<T const, A> theta, array_ref<U const, B> counts) {
        T const g = T(*ybar.data);
        each_row(theta, counts, [&](auto const& logit, auto const& count, std::size_t n, std::ptrdiff_t first) {
            auto const [top, log_sum, all] = sums<T>(logit, count, n);
            for (std::size_t j = 0; j < n; ++j) {
                auto const at = thetabar.data + (offset_of(thetabar, first) + static_cast<std::ptrdiff_t>(j) * thetabar.stride[theta.shape.rank() - 1]);
                T const d = g * (T(count(j)) - all * op::exp{}(T(logit(j) - top - log_sum)));
                *at = add ? T(T(*at) + d) : d;
            }
        });
    }

private:
    // The greatest logit of a row, the logarithm of the sum of exponentials beyond it, and the number of observations.
    template <class T>
    struct row_sums {
        T top, log_sum, all;
    };
    template <class T, class L, class C>
    static row_sums<T> sums(L const& logit, C const& count, std::size_t n) {
        T top = logit(0), sum(0), all(0);
        for (std::size_t j = 1; j < n; ++j)
            if (T const v = logit(j); top < v) top = v;
        for (std::size_t j = 0; j < n; ++j) {
            sum = sum + op::exp{}(T(logit(j) - top));
            all = all + T(count(j));
        }
        return {top, op::log{}(sum), all};
    }
    // Where row `r` begins: of the axes before the last one, in row-major order.
    template <class A>
    static std::ptrdiff_t offset_of(A const& a, std::ptrdiff_t r) {
        std::ptrdiff_t at = 0;
        for (int d = a.shape.rank() - 2; d >= 0; --d) {
            auto const n = static_cast<std::ptrdiff_t>(a.shape[d]);
            at += r % n * a.stride[d];
            r /= n;
        }
        return at;
    }
    template <class T, int A, class U, int B, class F>
    static void each_row(array_ref<T const, A> const& theta, array_ref<U const, B> const& counts, F const& f) {
        int const last = theta.shape.rank() - 1;
        std::size_t const n = theta.shape[last], rows = element_count(theta.shape) / n;
        for (std::ptrdiff_t r = 0; r < static_cast<std::ptrdiff_t>(rows); ++r) {
            auto const p = theta.data + offset_of(theta, r);
            auto const q = counts.data + offset_of(counts, r);
            auto const logit = [&](std::size_t j) { return T(p[static_cast<std::ptrdiff_t>(j) * theta.stride[last]]); };
            auto const count = [&](std::size_t j) { return U(q[static_cast<std::ptrdiff_t>(j) * counts.stride[last]]); };
            if constexpr (std::is_invocable_v<F, decltype(logit), decltype(count), std::size_t>) f(logit, count, n);
            else f(logit, count, n, r);
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
