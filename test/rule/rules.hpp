// Defines functions with rules of their own, as a user would write them.
#pragma once

#include <stdexcept>
#include <tuple>
#include <vector>

#include <xgrad/xgrad.hpp>

namespace rules {

using vector = xt::xtensor<double, 1>;

// a x
struct scaled {
    vector operator()(double a, vector const& x) const {
        if (x.size() == 13) throw std::domain_error("thirteen");
        return a * x;
    }
};

// z *= y x; s = 2 z; sum(z)
struct multiply_in_place {
    double operator()(vector const& x, vector const& y, vector& z, vector& s) const {
        z *= vector(y * x);
        s = 2.0 * z;
        return xt::sum(z)();
    }
};

struct line {
    double slope;
    vector offsets;
    int count;
};
XGRAD_REFLECT(line, slope, offsets, count)

// The line through the same offsets, c times as steep, and its value at c.
struct steeper {
    std::tuple<line, double> operator()(line const& l, double c) const {
        return {line{c * l.slope, l.offsets, l.count + 1}, c * c * l.slope};
    }
};

// The positive elements.
struct positive_elements {
    std::vector<double> operator()(vector const& x) const {
        std::vector<double> y;
        for (double v : x)
            if (v > 0.0) y.push_back(v);
        return y;
    }
};

// A count: no derivative.
struct count_positive {
    int operator()(vector const& x) const {
        int n = 0;
        for (double v : x) n += v > 0.0;
        return n;
    }
};

}  // namespace rules

template <>
struct xgrad::rule<rules::scaled> {
    using vector = rules::vector;
    static auto frule(dual<double> a, dual<vector> const& x) {
        return dual{rules::scaled{}(a.primal, x.primal), vector(a.tangent * x.primal + a.primal * x.tangent)};
    }
    static auto rrule(codual<double> a, codual<vector> x) {
        return value_with_pullback{rules::scaled{}(a.primal, x.primal), [a = a.primal, x](vector const& ybar) {
                                       accumulate(x.fdata, vector(a * ybar));
                                       return std::tuple(xt::sum(ybar * x.primal)(), no_rdata{});
                                   }};
    }
};

template <>
struct xgrad::rule<rules::multiply_in_place> {
    using vector = rules::vector;
    static auto rrule(codual<vector> x, codual<vector> y, codual<vector> z, codual<vector> s) {
        vector const z0 = z.primal, s0 = s.primal;
        double const v = rules::multiply_in_place{}(x.primal, y.primal, z.primal, s.primal);
        vector const sbar0 = *s.fdata;
        *s.fdata = zero_tangent(s.primal);
        return value_with_pullback{v, [=](double vbar) {
                                       vector const znew_bar = vbar + *z.fdata + 2.0 * *s.fdata;
                                       s.primal = s0;
                                       *s.fdata = sbar0;
                                       z.primal = z0;
                                       *z.fdata = znew_bar * x.primal * y.primal;
                                       accumulate(x.fdata, vector(znew_bar * z0 * y.primal));
                                       accumulate(y.fdata, vector(znew_bar * z0 * x.primal));
                                   }};
    }
};

template <>
struct xgrad::rule<rules::steeper> {
    static auto rrule(codual<rules::line> l, codual<double> c) {
        return value_with_pullback{rules::steeper{}(l.primal, c.primal), [l, c = c.primal, slope = l.primal.slope](auto const& ybar) {
                                       auto const& [lbar, vbar] = ybar;
                                       accumulate(l.fdata.offsets, lbar.offsets);
                                       rdata<rules::line> r{};
                                       r.slope = c * lbar.slope + c * c * vbar;
                                       return std::tuple(r, slope * lbar.slope + 2.0 * c * slope * vbar);
                                   }};
    }
};

template <>
struct xgrad::rule<rules::positive_elements> {
    static auto rrule(codual<rules::vector> x) {
        return value_with_pullback{rules::positive_elements{}(x.primal), [x](std::vector<double> const& ybar) {
                                       std::size_t i = 0, j = 0;
                                       for (double v : x.primal) {
                                           if (v > 0.0) (*x.fdata)(i) += ybar[j++];
                                           ++i;
                                       }
                                   }};
    }
};

template <>
struct xgrad::rule<rules::count_positive> {
    static auto rrule(codual<rules::vector> x) {
        return value_with_pullback{rules::count_positive{}(x.primal), [](no_tangent) {}};
    }
};
