// Boost.Hana's tuples and structs as arguments: a function sees a hana::tuple, or a hana::map of the struct's keys.
#include "along_directions.hpp"

#include <xgrad/hana.hpp>

#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/equal.hpp>

#include <string>
#include <vector>

namespace hana = boost::hana;
using arguments::agree;
using xgrad::variable;

namespace app {

struct defined {
    BOOST_HANA_DEFINE_STRUCT(defined, (double, x), (int, n), (std::vector<double>, v));
};
struct adapted {
    xt::xtensor<double, 1> W;
    defined inside;
    std::string name;
};

}
BOOST_HANA_ADAPT_STRUCT(app::adapted, W, inside, name);

constexpr auto key_W = BOOST_HANA_STRING("W");
constexpr auto key_inside = BOOST_HANA_STRING("inside");
constexpr auto key_name = BOOST_HANA_STRING("name");
constexpr auto key_x = BOOST_HANA_STRING("x");
constexpr auto key_n = BOOST_HANA_STRING("n");
constexpr auto key_v = BOOST_HANA_STRING("v");

BOOST_AUTO_TEST_CASE(structs_by_key) {
    auto const f = ARGUMENTS_BOTH_MODES((auto const& s), auto const& d = hana::at_key(s, key_inside);
                                        return sum(hana::at_key(s, key_W) * hana::at_key(d, key_x)) * hana::at_key(d, key_v)[1] * hana::at_key(d, key_n) *
                                               double(hana::at_key(s, key_name).size()););
    app::adapted const s{{1, 2}, {0.5, 3, {4, 5}}, "name"};
    agree(f, [](app::adapted const& a) { return xt::sum(a.W * a.inside.x)() * a.inside.v[1] * a.inside.n * double(a.name.size()); }, s);
    auto const [g] = xgrad::gradient(f.first, s);
    BOOST_CHECK_CLOSE(hana::at_key(hana::at_key(g, key_inside), key_x), 3.0 * 5 * 3 * 4, 1e-12);
    auto many = [](auto const& a) { return hana::at_key(a[1], key_x) * hana::at_key(a[0], key_v)[0]; };
    agree(many, [](std::vector<app::defined> const& a) { return a[1].x * a[0].v[0]; }, std::vector<app::defined>{s.inside, s.inside});
}

BOOST_AUTO_TEST_CASE(tuples) {
    auto const t = hana::make_tuple(0.5, 3, xt::xtensor<double, 1>{1, 2}, hana::make_tuple(std::vector<double>{4, 5}, std::string("text")));
    agree(
        [](auto const& a) {
            return hana::at_c<0>(a) * hana::at_c<1>(a) * sum(hana::at_c<2>(a)) * hana::at_c<0>(hana::at_c<3>(a))[1] *
                   double(hana::at_c<1>(hana::at_c<3>(a)).size());
        },
        [](auto const& a) {
            return hana::at_c<0>(a) * hana::at_c<1>(a) * xt::sum(hana::at_c<2>(a))() * hana::at_c<0>(hana::at_c<3>(a))[1] *
                   double(hana::at_c<1>(hana::at_c<3>(a)).size());
        },
        t);
}
