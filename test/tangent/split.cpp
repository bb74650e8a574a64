// fdata_of, rdata_of and join: what has an address keeps it, what has a value keeps it.
#include <boost/test/unit_test.hpp>

#include <xgrad/tangent/split.hpp>
#include <xgrad/tangent/zero_tangent.hpp>

#include <tuple>
#include <vector>

namespace app {

struct part {
    xt::xtensor<double, 1> w;
    double s;
};
XGRAD_REFLECT(part, w, s)
struct whole {
    int n;
    part first;
    double rate;
    std::tuple<int, std::vector<double>, float> rest;
};
XGRAD_REFLECT(whole, n, first, rate, rest)

}  // namespace app

using namespace xgrad;

BOOST_AUTO_TEST_CASE(fdata_refers_and_rdata_copies) {
    app::whole const x{1, {xt::ones<double>({3}), 2}, 3, {4, {5, 6}, 7.f}};
    auto t = zero_tangent(x);
    fdata<app::whole> const f = fdata_of(t);
    BOOST_TEST(&*f.first.w == &t.first.w);
    BOOST_TEST(&*std::get<1>(f.rest) == &std::get<1>(t.rest));
    (*f.first.w)(2) = 8;
    BOOST_TEST(t.first.w(2) == 8);

    rdata<app::whole> r = rdata_of(t);
    r.first.s = 2;
    r.rate = 3;
    std::get<2>(r.rest) = 4;
    BOOST_TEST(t.rate == 0);

    double const* const memory = t.first.w.data();
    tangent<app::whole> const joined = join(f, r);
    BOOST_TEST(joined.first.w.data() == memory);
    BOOST_TEST(joined.first.w(2) == 8);
    BOOST_TEST(joined.first.s == 2);
    BOOST_TEST(joined.rate == 3);
    BOOST_TEST(std::get<2>(joined.rest) == 4);
    BOOST_TEST(std::get<1>(joined.rest).size() == 2u);
}

BOOST_AUTO_TEST_CASE(what_has_only_one_side_is_joined_from_it) {
    std::vector<double> t{1, 2};
    BOOST_TEST(join(fdata_of(t), no_rdata{})[1] == 2);
    BOOST_TEST(join(no_fdata{}, 2.5) == 2.5);
    static_assert(std::is_same_v<decltype(join(no_fdata{}, no_rdata{})), no_tangent>);
    auto const pair = join(no_fdata{}, std::tuple<double, no_rdata>{1, {}});
    static_assert(std::is_same_v<decltype(pair), std::tuple<double, no_tangent> const>);
    BOOST_TEST(std::get<0>(pair) == 1);
}
