// Containers of one's own as arguments, made known by parts<P>: a function sees the same container of handles.
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "along_directions.hpp"

using arguments::agree;
using xgrad::variable;

namespace app {

// A fixed number of places, of which some are taken.
template <class P>
class shelf {
public:
    static constexpr std::size_t places = 3;
    shelf() = default;
    P& put(std::size_t i, P x) { return place_[i].emplace(std::move(x)); }
    bool holds(std::size_t i) const { return place_[i].has_value(); }
    P& at(std::size_t i) { return place_[i].value(); }
    P const& at(std::size_t i) const { return place_[i].value(); }

private:
    std::optional<P> place_[places];
};

// An aggregate all of whose members are seen, and of which the first `size` alone hold something: its parts are those that parts<> says.
template <class P, std::size_t N>
struct stack_of {
    P place[N]{};
    std::size_t size = 0;
};

struct box {
    double volume;
    std::string label;
};
XGRAD_REFLECT(box, volume, label)

}

template <class P>
struct xgrad::parts<app::shelf<P>> {
    using types = type_list<P>;
    template <class Fn>
    using rebind = app::shelf<typename Fn::template type<P>>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;

    template <class F, class X, class... Rest>
    static void each(F&& f, X&& x, Rest&&... rest) {
        for (std::size_t i = 0; i < x.places; ++i) {
            if ((... || (rest.holds(i) != x.holds(i)))) throw std::invalid_argument("shelves differ");
            if (x.holds(i)) f(x.at(i), rest.at(i)...);
        }
    }
    template <class M, class F, class X, class... Rest>
    static M make(F&& f, X&& x, Rest&&... rest) {
        M m;
        for (std::size_t i = 0; i < x.places; ++i)
            if (x.holds(i)) m.put(i, f(x.at(i), rest.at(i)...));
        return m;
    }
};

template <class P, std::size_t N>
struct xgrad::parts<app::stack_of<P, N>> {
    using types = type_list<P>;
    template <class Fn>
    using rebind = app::stack_of<typename Fn::template type<P>, N>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;

    template <class F, class X, class... Rest>
    static void each(F&& f, X&& x, Rest&&... rest) {
        if ((... || (rest.size != x.size))) throw std::invalid_argument("sizes differ");
        for (std::size_t i = 0; i < x.size; ++i) f(x.place[i], rest.place[i]...);
    }
    template <class M, class F, class X, class... Rest>
    static M make(F&& f, X&& x, Rest&&... rest) {
        M m;
        for (m.size = 0; m.size < x.size; ++m.size) m.place[m.size] = f(x.place[m.size], rest.place[m.size]...);
        return m;
    }
};

namespace {

app::shelf<app::box> shelf_of(std::vector<std::size_t> const& places) {
    app::shelf<app::box> s;
    for (auto i : places) s.put(i, {0.5 + double(i), "box"});
    return s;
}
auto const f = [](auto const& s) {
    auto p = variable(1.0);
    for (std::size_t i = 0; i < s.places; ++i)
        if (s.holds(i)) p = p * s.at(i).volume * double(s.at(i).label.size());
    return p;
};
auto const plain = [](app::shelf<app::box> const& s) {
    double p = 1;
    for (std::size_t i = 0; i < s.places; ++i)
        if (s.holds(i)) p *= s.at(i).volume * double(s.at(i).label.size());
    return p;
};

}

BOOST_AUTO_TEST_CASE(a_container_of_ones_own) {
    agree(f, plain, shelf_of({0, 2}));
    agree(f, plain, shelf_of({}));
    auto g = xgrad::prepare_gradient(f, shelf_of({}));
    for (auto const& x : {shelf_of({0, 2}), shelf_of({0, 2}), shelf_of({1}), shelf_of({}), shelf_of({0, 1, 2})}) {
        auto const& [value, gradient] = g(x);
        BOOST_CHECK_CLOSE(value, plain(x), 1e-12);
        for (std::size_t i = 0; i < 3; ++i) {
            BOOST_REQUIRE_EQUAL(std::get<0>(gradient).holds(i), x.holds(i));
            if (x.holds(i)) BOOST_CHECK_CLOSE(std::get<0>(gradient).at(i).volume, value / x.at(i).volume, 1e-12);
        }
    }
    std::tuple other{xgrad::zero_tangent(shelf_of({1}))};
    arguments::refuses("forms", other, f, shelf_of({0, 2}));
}

BOOST_AUTO_TEST_CASE(an_aggregate_of_ones_own) {
    auto const product = [](auto const& s) {
        auto p = variable(1.0);
        for (std::size_t i = 0; i < s.size; ++i) p = p * s.place[i];
        return p;
    };
    auto g = xgrad::prepare_gradient(product, app::stack_of<double, 3>{});
    for (auto const& x : {app::stack_of<double, 3>{{2.0, 3.0}, 2}, {{}, 0}, {{2.0, 3.0, 5.0}, 3}, {{7.0}, 1}}) {
        auto const [value, gradient] = xgrad::value_and_gradient(product, x);
        auto const& kept = std::get<0>(g(x).gradient);
        BOOST_REQUIRE_EQUAL(std::get<0>(gradient).size, x.size);
        BOOST_REQUIRE_EQUAL(kept.size, x.size);
        for (std::size_t i = 0; i < x.size; ++i) {
            BOOST_CHECK_CLOSE(std::get<0>(gradient).place[i], value / x.place[i], 1e-12);
            BOOST_CHECK_CLOSE(kept.place[i], value / x.place[i], 1e-12);
        }
    }
}

// g++ makes no such tuple from an empty list: the constructor of the elements is explicit.
BOOST_AUTO_TEST_CASE(an_aggregate_of_arrays) {
    using array = xt::xtensor<double, 1>;
    auto const squares = [](auto const& s) {
        xgrad::number_like<decltype(s.place[0])> p = 0.0;
        for (std::size_t i = 0; i < s.size; ++i) p = p + sum(s.place[i] * s.place[i]);
        return p;
    };
    app::stack_of<array, 3> const x{{{1.0, 2.0}, {3.0}}, 2};
    auto const [value, gradient] = xgrad::value_and_gradient(squares, x);
    BOOST_CHECK_EQUAL(value, 14.0);
    BOOST_TEST((std::get<0>(gradient).place[0] == array{2.0, 4.0} && std::get<0>(gradient).place[1] == array{6.0}));
    BOOST_TEST((std::get<0>(xgrad::gradient(squares, x)).place[1] == array{6.0}));
    auto g = xgrad::prepare_gradient(squares, x);
    BOOST_TEST((std::get<0>(g(x).gradient).place[0] == array{2.0, 4.0}));
    auto const second = xgrad::hvp(squares, x, x);
    BOOST_TEST((std::get<0>(second.product).place[1] == array{6.0}));
    auto h = xgrad::prepare_hvp(squares, x);
    BOOST_TEST((std::get<0>(h(x, x).product).place[0] == array{2.0, 4.0}));
}

BOOST_AUTO_TEST_CASE(of_what_has_no_tangent) {
    app::shelf<int> counts;
    counts.put(1, 3);
    struct {
        app::shelf<int> counts;
        double x;
    } both{counts, 0.5};
    auto const [g] = xgrad::gradient([](auto const& a) { auto const& [c, x] = a; return x * c.at(1); }, both);
    BOOST_CHECK_EQUAL(std::get<1>(g), 3.0);
}
