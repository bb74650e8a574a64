// Containers of one's own, made known by parts<P> alone: their tangents obey the laws, whatever they hold and whatever form they have.
#include <boost/test/unit_test.hpp>

#include <xgrad/boost_test.hpp>
#include <xgrad/check_tangent.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace app {

// Always N places.
template <class P, std::size_t N>
struct ring {
    P place[N]{};
};

// As many places as are taken.
template <class P>
struct shelf {
    std::optional<P> place[3];
};

// Parts of two types, and a parameter that is no type.
template <class A, class B, int Level>
struct both {
    A first{};
    B second{};
};

}  // namespace app

template <class P, std::size_t N>
struct xgrad::parts<app::ring<P, N>> {
    using types = type_list<P>;
    template <class Fn>
    using rebind = app::ring<typename Fn::template type<P>, N>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;
    static constexpr bool fixed_form = true;

    template <class F, class... X>
    static constexpr void each(F&& f, X&&... x) {
        for (std::size_t i = 0; i < N; ++i) f(x.place[i]...);
    }
    template <class M, class F, class... X>
    static constexpr M make(F&& f, X&&... x) {
        M m;
        for (std::size_t i = 0; i < N; ++i) m.place[i] = f(x.place[i]...);
        return m;
    }
};

template <class P>
struct xgrad::parts<app::shelf<P>> {
    using types = type_list<P>;
    template <class Fn>
    using rebind = app::shelf<typename Fn::template type<P>>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;

    template <class F, class X, class... Rest>
    static void each(F&& f, X&& x, Rest&&... rest) {
        for (std::size_t i = 0; i < 3; ++i) {
            if ((... || (rest.place[i].has_value() != x.place[i].has_value()))) throw std::invalid_argument("shelves differ");
            if (x.place[i]) f(*x.place[i], *rest.place[i]...);
        }
    }
    template <class M, class F, class X, class... Rest>
    static M make(F&& f, X&& x, Rest&&... rest) {
        M m;
        for (std::size_t i = 0; i < 3; ++i)
            if (x.place[i]) m.place[i].emplace(f(*x.place[i], *rest.place[i]...));
        return m;
    }
};

template <class A, class B, int Level>
struct xgrad::parts<app::both<A, B, Level>> {
    using types = type_list<A, B>;
    template <class... T>
    using of = app::both<T..., Level>;
    template <class Fn>
    using rebind = of<typename Fn::template type<A>, typename Fn::template type<B>>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;
    static constexpr bool fixed_form = true;

    template <class F, class... X>
    static constexpr void each(F&& f, X&&... x) {
        f(x.first...);
        f(x.second...);
    }
    template <class M, class F, class... X>
    static constexpr M make(F&& f, X&&... x) {
        return M{f(x.first...), f(x.second...)};
    }
};

namespace app {

// It says that its form is fixed, and it is not.
template <class P>
struct liar : shelf<P> {};

}  // namespace app

template <class P>
struct xgrad::parts<app::liar<P>> : xgrad::parts<app::shelf<P>> {
    template <class Fn>
    using rebind = app::liar<typename Fn::template type<P>>;
    static constexpr bool fixed_form = true;
};

using namespace xgrad;
using numbers = xt::xtensor<double, 1>;

static_assert(check_tangent_types<app::ring<double, 2>, app::ring<double, 2>, no_fdata, app::ring<double, 2>>());
static_assert(check_tangent_types<app::ring<numbers, 2>, app::ring<numbers, 2>, app::ring<shadow_ref<numbers>, 2>, no_rdata>());
static_assert(check_tangent_types<app::ring<std::pair<int, numbers>, 2>>() && check_tangent_types<app::ring<std::pair<double, numbers>, 2>>());
static_assert(check_tangent_types<app::shelf<numbers>>() && check_tangent_types<app::shelf<std::pair<double, numbers>>>());
static_assert(check_tangent_types<app::both<double, numbers, 3>, app::both<double, numbers, 3>, app::both<no_fdata, shadow_ref<numbers>, 3>,
                                  app::both<double, no_rdata, 3>>());
static_assert(check_tangent_types<app::both<numbers, app::ring<std::pair<double, numbers>, 2>, 3>>());

static_assert(has_zero_rdata<app::ring<double, 2>> && has_zero_rdata<app::both<double, numbers, 3>> && has_zero_rdata<app::shelf<numbers>>);
static_assert(!has_zero_rdata<app::shelf<double>> && !has_zero_rdata<app::ring<app::shelf<double>, 2>>);

BOOST_AUTO_TEST_CASE(of_fixed_form) {
    XGRAD_CHECK_REPORT(check_tangent(app::ring<double, 2>{{1.0, 2.0}}));
    XGRAD_CHECK_REPORT(check_tangent(app::ring<numbers, 2>{{numbers{1.0, 2.0}, numbers{3.0}}}));
    XGRAD_CHECK_REPORT(check_tangent(app::ring<std::pair<double, numbers>, 2>{{{1.0, {2.0}}, {3.0, {}}}}));
}

BOOST_AUTO_TEST_CASE(of_parts_that_come_and_go) {
    for (bool first : {false, true}) {
        app::shelf<double> values;
        app::shelf<numbers> lines;
        app::shelf<std::pair<double, numbers>> pairs;
        if (first) values.place[0] = 1.0, lines.place[0] = numbers{1.0, 2.0}, pairs.place[0] = {1.0, {2.0, 3.0}};
        values.place[2] = 3.0, lines.place[2] = numbers{}, pairs.place[2] = {4.0, {5.0}};
        XGRAD_CHECK_REPORT(check_tangent(values));
        XGRAD_CHECK_REPORT(check_tangent(lines));
        XGRAD_CHECK_REPORT(check_tangent(pairs));
        XGRAD_CHECK_REPORT(check_tangent(app::ring<app::shelf<double>, 1>{{values}}));
    }
}

BOOST_AUTO_TEST_CASE(a_form_that_is_not_fixed) {
    app::liar<numbers> x;
    BOOST_TEST(bool(check_tangent(x)));
    x.place[1] = numbers{1.0};
    auto const report = check_tangent(x);
    BOOST_TEST(!report);
    BOOST_TEST(report.text().find("of a fixed form M{} has the parts that x has") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(of_several_types) {
    XGRAD_CHECK_REPORT(check_tangent(app::both<double, numbers, 3>{1.0, {2.0, 3.0}}));
    XGRAD_CHECK_REPORT(check_tangent(app::both<int, double, 3>{1, 2.0}));
    app::both<double, numbers, 3> t{1.0, {2.0, 3.0}};
    double const* const memory = t.second.data();
    auto const joined = join(fdata_of(t), rdata_of(t));
    BOOST_TEST(joined.first == 1.0);
    BOOST_TEST(joined.second.data() == memory);
}
