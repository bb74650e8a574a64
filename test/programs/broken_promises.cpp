// A function with a declared result whose value outlives its scope ends the program with a sentence, and never with a wrong gradient;
// so does a pullback that throws.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "../ends.hpp"
#include "against_differences.hpp"

using xgrad::real, xgrad::variable;

namespace programs {
// x, whose derivative throws.
struct thrower_op {
    static constexpr char const* name = "thrower(x)";
    template <class T>
    T operator()(T const& x) const {
        return x;
    }
};
}
template <>
inline constexpr auto xgrad::partials<programs::thrower_op> = [](auto y, auto) { return throw std::runtime_error("user"), partial(one(y)); };

namespace {

template <class F>
bool ends_with_the_sentence(F f) {
    return ends("xgrad[E219]: a function with a declared result type", f, 0.7, 1.3);
}

}

BOOST_AUTO_TEST_CASE(a_helper_returns_an_expression_of_its_locals) {
    BOOST_CHECK(ends_with_the_sentence([](auto const& x, auto const& y) -> real {
        auto helper = [](auto const& u) {
            auto t = sin(u);
            return t * t * u;
        };
        auto z = helper(x);
        return z * y;
    }));
    BOOST_CHECK(ends_with_the_sentence([](auto const& x, auto const& y) -> real {
        auto helper = [](auto const& u) {
            auto t = sin(u);
            return variable(t * t);
        };
        auto z = helper(x);
        return z * y;
    }));
    BOOST_CHECK(ends_with_the_sentence([](auto const& x, auto const& y) -> real {
        auto helper = [](auto const& u) {
            auto t = sin(u);
            auto k = t * u;
            return std::pair(std::move(t), std::move(k));
        };
        auto [a, b] = helper(x);
        return a * b * y;
    }));
}
BOOST_AUTO_TEST_CASE(a_temporary_is_given_to_a_helper) {
    BOOST_CHECK(ends_with_the_sentence([](auto const& x, auto const& y) -> real {
        auto h = [](auto const& u) { return u * u; };
        auto z = h(x * y);
        return z * z;
    }));
}
BOOST_AUTO_TEST_CASE(something_declared_earlier_keeps_a_value) {
    BOOST_CHECK(ends_with_the_sentence([](auto const& x, auto const& y) -> real {
        variable s = x;
        for (int i = 0; i < 3; ++i) {
            auto t = sin(x * i);
            s = s + t * y;
        }
        return s;
    }));
    BOOST_CHECK(ends_with_the_sentence([](auto const& x, auto const& y) -> real {
        std::vector<variable<double>> v;
        auto t = sin(x);
        v.push_back(t * y);
        return v[0] * t;
    }));
    BOOST_CHECK(ends_with_the_sentence([](auto const& x, auto const& y) -> real { auto a = x * y; auto c = a * a; a = y * x; return a * c; }));
}
BOOST_AUTO_TEST_CASE(small_arrays_are_on_the_stack_too) {
    auto const ends_with_it = [](auto f) {
        return ends("xgrad[E219]: a function with a declared result type", f, 0.7, xt::xtensor_fixed<double, xt::xshape<3>>{0.5, 1.5, -2.0});
    };
    BOOST_CHECK(ends_with_it([](auto const& x, auto const& p) -> real {
        auto helper = [](auto const& u) {
            auto t = u * u;
            return t * t + u;
        };
        auto z = helper(p);
        return sum(z * x);
    }));
    BOOST_CHECK(ends_with_it([](auto const& x, auto const& p) -> real {
        variable s = p;
        for (int i = 0; i < 3; ++i) {
            auto t = p * x;
            s = s + t * p;
        }
        return sum(s);
    }));
    BOOST_CHECK(!ends_with_it([](auto const& x, auto const& p) -> real {
        variable s = p;
        for (int i = 0; i < 3; ++i) {
            variable t = p * x;
            s = s + t * p;
        }
        return sum(s);
    }));
    BOOST_CHECK(!ends_with_it([](auto const& x, auto const& p) -> real { auto t = p * x; auto u = t * t; return sum(u * t); }));
}
BOOST_AUTO_TEST_CASE(the_cures) {
    BOOST_CHECK(!ends_with_the_sentence([](auto const& x, auto const& y) {
        auto helper = [](auto const& u) {
            auto t = sin(u);
            return t * t * u;
        };
        auto z = helper(x);
        return z * y;
    }));
    BOOST_CHECK(!ends_with_the_sentence([](auto const& x, auto const& y) -> real {
        auto helper = [](auto const& u) {
            variable t = sin(u);
            return variable(t * t);
        };
        auto z = helper(x);
        return z * y;
    }));
    BOOST_CHECK(!ends_with_the_sentence([](auto const& x, auto const& y) -> real {
        variable s = x;
        for (int i = 0; i < 3; ++i) {
            variable t = sin(x * i);
            s = s + t * y;
        }
        return s;
    }));
}

BOOST_AUTO_TEST_CASE(a_pullback_that_throws) {
    // the reverse pass is noexcept
    auto f = XGRAD_BOTH_MODES((auto const& x, auto const& y), auto t = xgrad::elementwise<programs::thrower_op>(x); auto s = t * y; return s * s;);
    BOOST_CHECK(ends("", f.first, 0.7, 1.3));
    BOOST_CHECK(ends("", f.second, 0.7, 1.3));
    BOOST_CHECK_EQUAL(xgrad::value(f.first, 2.0, 3.0), 36.0);
}
