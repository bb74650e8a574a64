// Defines the rule of products of two arrays that are summed over some of their axes: matmul, tensordot, einsum.
// Their axes are gathered into as few products of matrices as strides allow, each straight into the result or the cotangent, and nothing is copied.
//
// y[Y] = Σ a[A] b[B] for lists of labels Y, A, B:  ā[A] = Σ ȳ[Y] b[B],  b̄[B] = Σ ȳ[Y] a[A]: products of the same kind.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/multilinear.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/linalg/dense.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// One label for each axis, from 0.
using axis_labels = extents<dynamic_rank, int>;

namespace op {
// R is the rank of the result, rank_c<R>.
template <class R>
struct contraction {
    axis_labels a, b, y;
    bool broadcasts = false;  // an extent of one is repeated
    char const* call = "";
};
}

namespace linalg {

// An axis of the result z and the operands u and v: their strides, 0 where they have none.
struct shared_axis {
    std::size_t n = 1;
    std::ptrdiff_t z = 0, u = 0, v = 0;
};

template <class S>
class contraction_loop {
public:
    contraction_loop(S* z, S const* u, S const* v) : z_(z), u_(u), v_(v) {}

    // Strides of one label add up: along a diagonal.
    void set(int label, std::size_t n, std::ptrdiff_t z, std::ptrdiff_t u, std::ptrdiff_t v) {
        auto& x = axes_[static_cast<std::size_t>(label)];
        count_ = std::max(count_, label + 1);
        if (n != 1) x = {n, x.z + z, x.u + u, x.v + v};
    }
    void run(bool add) {
        for (int k = 0; k < count_; ++k) {
            auto const& x = axes_[static_cast<std::size_t>(k)];
            if (x.n == 1) continue;
            auto& kind = x.z == 0 ? inner_ : x.v == 0 ? rows_ : x.u == 0 ? columns_ : batch_;
            kind.enter(x);
        }
        if (std::any_of(inner_.begin(), inner_.end(), [](auto const& x) { return x.n == 0; })) inner_.only(shared_axis{0, 0, 1, 1});
        row_ = rows_.take_largest();
        column_ = columns_.take_largest();
        middle_ = inner_.take_largest();
        if (batch_.size() != 0 && middle_.n != 0 && row_.n * column_.n * middle_.n <= most_written_out) many_ = batch_.take_largest();
        over(batch_, 0, [&] { over(rows_, 0, [&] { over(columns_, 0, [&] { add_ = add; over(inner_, 0, [&] { multiply(); }); }); }); });
    }

private:
    // The axes of one kind, merged where one continues the other.
    class axes_of_kind {
    public:
        void enter(shared_axis x) {
            for (std::size_t i = 0; i < count_; ++i) {
                auto& o = list_[i];
                auto const continues = [](shared_axis const& outer, shared_axis const& in) {
                    auto const n = static_cast<std::ptrdiff_t>(in.n);
                    return outer.z == n * in.z && outer.u == n * in.u && outer.v == n * in.v;
                };
                bool const behind = continues(o, x);
                if (!behind && !continues(x, o)) continue;
                shared_axis merged = behind ? x : o;
                merged.n = x.n * o.n;
                o = list_[--count_];
                return enter(merged);
            }
            list_[count_++] = x;
        }
        void only(shared_axis const& x) {
            list_[0] = x;
            count_ = 1;
        }
        shared_axis take_largest() {
            if (count_ == 0) return {};
            auto const i = std::max_element(begin(), end(), [](auto const& p, auto const& q) { return p.n < q.n; });
            shared_axis const x = *i;
            *i = list_[--count_];
            return x;
        }
        shared_axis* begin() { return list_.data(); }
        shared_axis* end() { return list_.data() + count_; }
        shared_axis const& operator[](std::size_t i) const { return list_[i]; }
        std::size_t size() const { return count_; }

    private:
        std::array<shared_axis, 2 * max_dynamic_rank> list_{};
        std::size_t count_ = 0;
    };
    S* z_;
    S const* u_;
    S const* v_;
    std::array<shared_axis, 2 * max_dynamic_rank> axes_{};
    int count_ = 0;
    axes_of_kind batch_, rows_, columns_, inner_;
    shared_axis row_, column_, middle_;
    bool add_ = false;
    // Of many small matrices each would cost a call of a library, which takes longer than so many products: this axis goes through them.
    shared_axis many_;
    static constexpr std::size_t most_written_out = 256, most_in_registers = 4;

    template <class F>
    void over(axes_of_kind const& kind, std::size_t d, F const& f) {
        if (d == kind.size()) return f();
        auto const x = kind[d];
        for (std::size_t i = 0; i < x.n; ++i) {
            over(kind, d + 1, f);
            step(x, 1);
        }
        step(x, -static_cast<std::ptrdiff_t>(x.n));
    }
    void step(shared_axis const& x, std::ptrdiff_t i) {
        z_ += i * x.z;
        u_ += i * x.u;
        v_ += i * x.v;
    }
    void multiply() {
        if (many_.n != 1) return multiply_many();
        auto const m = static_cast<std::ptrdiff_t>(row_.n), n = static_cast<std::ptrdiff_t>(column_.n), k = static_cast<std::ptrdiff_t>(middle_.n);
        product<S>(matrix_ref<S const>{u_, m, k, row_.u, middle_.u}, matrix_ref<S const>{v_, k, n, middle_.v, column_.v},
                   matrix_ref<S>{z_, m, n, row_.z, column_.z}, add_);
        add_ = true;
    }
    // By blocks of each matrix v that registers hold.
    void multiply_many() {
        for (std::size_t j = 0; j < column_.n; j += most_in_registers)
            for (std::size_t k = 0; k < middle_.n; k += most_in_registers)
                with_number(middle_.n - k, [=, this](auto inner) {
                    with_number(this->column_.n - j, [=, this](auto n) { this->template multiply_each<decltype(inner)::value, decltype(n)::value>(k, j); });
                });
        add_ = true;
    }
    // f(n) with n as a constant, or with most_in_registers where that is less.
    template <class F>
    static void with_number(std::size_t n, F const& f) {
        switch (n) {
        case 1: return f(std::integral_constant<std::size_t, 1>());
        case 2: return f(std::integral_constant<std::size_t, 2>());
        case 3: return f(std::integral_constant<std::size_t, 3>());
        default: return f(std::integral_constant<std::size_t, most_in_registers>());
        }
    }
    // The rows of each v from `inner` on, K of them, and its columns from `first` on, N of them.
    template <std::size_t K, std::size_t N>
    void multiply_each(std::size_t inner, std::size_t first) const {
        shared_axis const row = row_, column = column_, middle = middle_;
        bool const add = add_ || inner != 0;
        auto const down = static_cast<std::ptrdiff_t>(inner), right = static_cast<std::ptrdiff_t>(first);
        for (std::size_t b = 0; b < many_.n; ++b) {
            auto const at = static_cast<std::ptrdiff_t>(b);
            S const* const from = v_ + at * many_.v + down * middle.v + right * column.v;
            S v[K][N];
            for (std::size_t k = 0; k < K; ++k)
                for (std::size_t j = 0; j < N; ++j) v[k][j] = from[static_cast<std::ptrdiff_t>(k) * middle.v + static_cast<std::ptrdiff_t>(j) * column.v];
            S const* u = u_ + at * many_.u + down * middle.u;
            S* z = z_ + at * many_.z + right * column.z;
            for (std::size_t i = 0; i < row.n; ++i, u += row.u, z += row.z) {
                S sum[N];
                for (std::size_t j = 0; j < N; ++j) sum[j] = add ? z[static_cast<std::ptrdiff_t>(j) * column.z] : S(0);
                for (std::size_t k = 0; k < K; ++k) {
                    S const factor = u[static_cast<std::ptrdiff_t>(k) * middle.u];
                    for (std::size_t j = 0; j < N; ++j) sum[j] += factor * v[k][j];
                }
                for (std::size_t j = 0; j < N; ++j) z[static_cast<std::ptrdiff_t>(j) * column.z] = sum[j];
            }
        }
    }
};

template <class S, int Z>
void fill_all(array_ref<S, Z> const& z, int d, S* p) {
    if (d == z.shape.rank()) *p = S(0);
    else
        for (std::size_t i = 0; i < z.shape[d]; ++i) fill_all(z, d + 1, p + static_cast<std::ptrdiff_t>(i) * z.stride[d]);
}

// z = Σ u v, or z += Σ u v.
template <class S, int Z, int U, int V>
void contract(array_ref<S, Z> const& z, axis_labels const& lz, bool add, array_ref<S const, U> const& u, axis_labels const& lu, array_ref<S const, V> const& v,
              axis_labels const& lv) {
    std::array<std::size_t, 2 * max_dynamic_rank> size{};
    size.fill(1);
    auto const measure = [&](auto const& shape, axis_labels const& l) {
        for (int d = 0; d < l.rank(); ++d)
            if (shape[d] != 1) size[static_cast<std::size_t>(l[d])] = shape[d];
    };
    measure(u.shape, lu);
    measure(v.shape, lv);
    measure(z.shape, lz);
    if (element_count(z.shape) == 0) return;
    contraction_loop<S> loop(z.data, u.data, v.data);
    bool diagonal = false;
    std::array<bool, 2 * max_dynamic_rank> seen{};
    auto const enter = [&](auto const& x, axis_labels const& l, auto f) {
        for (int d = 0; d < l.rank(); ++d) f(l[d], size[static_cast<std::size_t>(l[d])], x.shape[d] == 1 ? std::ptrdiff_t{0} : x.stride[d]);
    };
    enter(z, lz, [&](int l, std::size_t n, std::ptrdiff_t s) {
        diagonal = diagonal || std::exchange(seen[static_cast<std::size_t>(l)], true);
        loop.set(l, n, s, 0, 0);
    });
    enter(u, lu, [&](int l, std::size_t n, std::ptrdiff_t s) { loop.set(l, n, 0, s, 0); });
    enter(v, lv, [&](int l, std::size_t n, std::ptrdiff_t s) { loop.set(l, n, 0, 0, s); });
    if (diagonal && !add) {
        // what lies beside the diagonal has no part in it
        fill_all(z, 0, z.data);
        add = true;
    }
    loop.run(add);
}
}

template <class R> inline constexpr bool takes_complex<op::contraction<R>> = true;
template <class R>
struct array_rule<op::contraction<R>> {
    using operation = op::contraction<R>;
    template <int A, int B>
    static constexpr int rank = R::value;
    template <int A, int B>
    static extents<R::value> shape(operation const& o, extents<A> const& a, extents<B> const& b) {
        std::array<std::size_t, 2 * max_dynamic_rank> size{};
        std::array<bool, 2 * max_dynamic_rank> known{};
        bool fits = true;
        auto const measure = [&](auto const& s, axis_labels const& l) {
            fits = fits && s.rank() == l.rank();
            for (int d = 0; fits && d < l.rank(); ++d) {
                auto const k = static_cast<std::size_t>(l[d]);
                if (!known[k] || (o.broadcasts && size[k] == 1)) size[k] = s[d];
                else fits = fits && (s[d] == size[k] || (o.broadcasts && s[d] == 1));
                known[k] = true;
            }
        };
        measure(a, o.a);
        measure(b, o.b);
        if (!fits)
            throw std::invalid_argument(std::string("xgrad[E202]: ") + o.call + " requires operands whose axes that are multiplied have one size, found " +
                                        to_string(a) + " and " + to_string(b) + ": transpose or reshape one of them");
        extents<R::value> y{};
        y.set_rank(o.y.rank());
        for (int d = 0; d < y.rank(); ++d) y[d] = size[static_cast<std::size_t>(o.y[d])];
        return y;
    }
    template <class T, int Y, class A, class B>
    static void value(operation const& o, array_ref<T, Y> const& y, A const& a, B const& b) noexcept {
        contract(y, o.y, false, a, o.a, b, o.b);
    }
    template <int I, class X, class Y, class A, class B>
    static void pullback(operation const& o, X const& xbar, bool add, Y const& ybar, Y const&, A const& a, B const& b) noexcept {
        if constexpr (I == 0) contract(xbar, o.a, add, ybar, o.y, b, o.b);
        else contract(xbar, o.b, add, ybar, o.y, a, o.a);
    }

private:
    template <class Z, class U, class V>
    static void contract(Z const& z, axis_labels const& lz, bool add, U const& u, axis_labels const& lu, V const& v, axis_labels const& lv) noexcept {
        multilinear(z, add, u, v, [&](auto const& to, bool more, auto const& p, auto const& q) {
            using S = typename std::remove_cvref_t<decltype(to)>::value_type;
            linalg::contract<S>(to, lz, more, constant(p), lu, constant(q), lv);
        });
    }
    template <class S, int N>
    static array_ref<S const, N> constant(array_ref<S, N> const& x) noexcept { return {x.data, x.shape, x.stride}; }
};

}
XGRAD_DETAIL_QUIET_END
