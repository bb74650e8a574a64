// Members without room lie on their neighbours: no way of making, copying or assigning a mirror may write over these.
#include <boost/test/unit_test.hpp>

#include <xgrad/tangent/accumulate.hpp>
#include <xgrad/tangent/add_to_primal.hpp>
#include <xgrad/tangent/difference.hpp>
#include <xgrad/tangent/set_to_zero.hpp>
#include <xgrad/tangent/split.hpp>
#include <xgrad/tangent/zero_rdata.hpp>
#include <xgrad/tangent/zero_tangent.hpp>

#include <utility>
#include <vector>

namespace app {

struct small {
    int a;
    double x;
    float y;
    bool b;
};
XGRAD_REFLECT(small, a, x, y, b)
struct packed {
    small first;
    float z;
    int c, d;
    small second;
    char e;
    float w;
    std::vector<double> v;
    int f;
};
XGRAD_REFLECT(packed, first, z, c, d, second, e, w, v, f)

}  // namespace app

using namespace xgrad;
using small_tangent = tangent<app::small>;
using packed_tangent = tangent<app::packed>;

// Not known to the compiler.
template <class T>
T hidden(T x) {
    T volatile y = x;
    return y;
}

small_tangent make_small(double x, float y) { return {{}, hidden(x), hidden(y), {}}; }
packed_tangent make_packed() {
    return {make_small(1, 2), hidden(3.f), {}, {}, make_small(4, 5), no_tangent{}, hidden(6.f), std::vector<double>{7, 8}, {}};
}

void expect(packed_tangent const& t, double factor = 1) {
    BOOST_TEST(t.first.x == 1 * factor);
    BOOST_TEST(t.first.y == 2 * factor);
    BOOST_TEST(t.z == 3 * factor);
    BOOST_TEST(t.second.x == 4 * factor);
    BOOST_TEST(t.second.y == 5 * factor);
    BOOST_TEST(t.w == 6 * factor);
    BOOST_TEST(t.v[0] == 7 * factor);
    BOOST_TEST(t.v[1] == 8 * factor);
}

BOOST_AUTO_TEST_CASE(making_and_copying) {
    packed_tangent t = make_packed();
    expect(t);
    packed_tangent u = t;
    expect(u);
    packed_tangent v;
    v = u;
    expect(v);
    v = std::move(u);
    expect(v);
    packed_tangent* const heap = new packed_tangent(v);
    expect(*heap);
    std::swap(*heap, t);
    expect(*heap);
    expect(t);
    delete heap;
    std::vector<packed_tangent> many(3, t);
    many.push_back(t);
    for (auto const& one : many) expect(one);
}

BOOST_AUTO_TEST_CASE(assigning_members) {
    packed_tangent t = make_packed();
    t.c = {};
    t.d = no_tangent{};
    t.e = t.e;
    t.f = decltype(t.f){};
    t.first.a = {};
    t.first.b = no_tangent{};
    expect(t);
    t.second = make_small(4, 5);
    t.first = make_small(1, 2);
    expect(t);
    small_tangent s = t.first;
    std::swap(s, t.first);
    expect(t);
    auto const [first, z, c, d, second, e, w, v, f] = t;
    expect({first, z, c, d, second, e, w, v, f});
}

BOOST_AUTO_TEST_CASE(operations) {
    app::packed const x{{1, 1, 2, true}, 3, 4, 5, {6, 4, 5, false}, 'x', 6, {7, 8}, 9};
    auto t = zero_tangent(x);
    expect(difference(add_to_primal(x, make_packed()), x));
    accumulate(t, make_packed());
    expect(t);
    auto rdata_part = rdata_of(t);
    BOOST_TEST(rdata_part.second.y == 5);
    auto const joined = join(fdata_of(t), rdata_part);
    expect(joined);
    set_to_zero(rdata_part.first.x);
    BOOST_TEST(rdata_part.second.x == 4);
    auto const zero = zero_rdata<app::packed>();
    BOOST_TEST(zero.second.x == 0);
    BOOST_TEST(zero.w == 0);
    expect(packed_tangent{{}, {}, {}, {}, {}, {}, {}, std::vector<double>(2), {}}, 0);
}
