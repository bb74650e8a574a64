// The programs of docs/tangent_types.md.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <xgrad/check_tangent.hpp>
#include <xgrad/xgrad.hpp>

#include "check.hpp"

struct layer { xt::xtensor<double, 2> W; xt::xtensor<double, 1> b; };
XGRAD_REFLECT(layer, W, b)

struct model { layer hidden, output; double scale; int epochs; std::string name; };
XGRAD_REFLECT(model, hidden, output, scale, epochs, name)

using dmodel = xgrad::tangent<model>;
static_assert(std::is_same_v<decltype(dmodel::hidden), xgrad::tangent<layer>>);  // a mirror of the struct, field by field
static_assert(std::is_same_v<decltype(dmodel::scale), double>);
static_assert(xgrad::absent<decltype(dmodel::name)> && sizeof(xgrad::tangent<layer>) == sizeof(layer));

namespace app {

class thermostat {
    double target = 20, gain = 0.5;

public:
    XGRAD_REFLECT_INSIDE(thermostat, target, gain)  // private fields, class templates, nested classes
};
template <class T>
struct segment {
    T from, to;
    XGRAD_REFLECT_INSIDE(segment, from, to)
};
struct shape { double area; };
XGRAD_REFLECT(shape, area)
struct box : shape { double height; };
XGRAD_REFLECT_DERIVED(box, (shape), height)  // with the fields of its bases

}

namespace elsewhere {
struct point { double x, y; };
template <class T, int N>
struct grid { std::array<T, N> at; };
}
XGRAD_REFLECT_FOREIGN(elsewhere::point, x, y)  // in the global namespace, for what is not yours
XGRAD_REFLECT_TEMPLATE((class T, int N), (elsewhere::grid<T, N>), at)

static_assert(xgrad::check_tangent_types<app::thermostat>() && xgrad::check_tangent_types<app::segment<float>>() && xgrad::check_tangent_types<app::box>());
static_assert(xgrad::check_tangent_types<elsewhere::point>() && xgrad::check_tangent_types<elsewhere::grid<double, 3>>());

class logger {
    int file = 2;

public:
    int descriptor() const { return file; }
};
template <>
inline constexpr bool xgrad::unperturbable<logger> = true;

struct observed_model {
    std::vector<double> weights;
    xgrad::frozen<std::vector<double>> offsets;  // numbers that are not to be differentiated
    logger log;
};
XGRAD_REFLECT(observed_model, weights, offsets, log)

using xgrad::tangent_type_t, xgrad::fdata_type_t, xgrad::rdata_type_t;
using list = std::vector<double>;

static_assert(std::is_same_v<tangent_type_t<list>, list>);
static_assert(std::is_same_v<fdata_type_t<list>, xgrad::shadow_ref<list>>);  // where it is
static_assert(std::is_same_v<rdata_type_t<list>, xgrad::no_rdata>);          // and nothing to return
static_assert(std::is_same_v<tangent_type_t<std::tuple<int, double, list>>, std::tuple<xgrad::no_tangent, double, list>>);
static_assert(std::is_same_v<rdata_type_t<std::tuple<int, double, list>>, std::tuple<xgrad::no_rdata, double, xgrad::no_rdata>>);
static_assert(!xgrad::differentiable<std::string> && !xgrad::differentiable<std::vector<int>> && xgrad::differentiable<model>);

namespace {

void gradients_are_vectors() {
    model m{{xt::ones<double>({2, 2}), xt::zeros<double>({2})}, {xt::ones<double>({2, 1}), xt::zeros<double>({1})}, 2.0, 3, "small"};
    auto f = [](auto const& net) { return sum(net.hidden.W) * net.scale; };
    auto [dm] = xgrad::gradient(f, m);

    auto total = xgrad::zero_tangent(m);                        // of the sizes of m
    total = xgrad::accumulate(std::move(total), dm);            // total + dm
    double const length = xgrad::pairing(total, total);         // the inner product
    m = xgrad::add_to_primal(m, xgrad::scale(-0.1, total));     // a step: m.name and m.epochs stay
    check(near(length, 4 * 4 + 16) && near(m.scale, 1.6) && near(m.hidden.W(0, 1), 0.8) && m.name == "small" && m.epochs == 3);
}

void what_is_there() {
    std::map<std::string, double> const prices{{"bread", 2.0}, {"milk", 1.0}};
    std::optional<double> const discount = 0.5;
    std::variant<int, double> const amount = 3.0;
    auto cost = [](auto const& p, auto const& d, auto const& a) { return p.at("bread") * *d * std::get<1>(a); };
    auto [dprices, ddiscount, damount] = xgrad::gradient(cost, prices, discount, amount);
    check(near(dprices.at("bread"), 1.5) && dprices.at("milk") == 0 && near(ddiscount.value(), 6) && near(std::get<1>(damount), 1));
}

void shared_objects() {
    using shared = std::shared_ptr<xt::xtensor<double, 1>>;
    auto const w = std::make_shared<xt::xtensor<double, 1>>(xt::xtensor<double, 1>{1.0, 2.0});
    std::pair<shared, shared> const tied{w, w}, apart{w, std::make_shared<xt::xtensor<double, 1>>(*w)};
    auto f = [](auto const& p) { return sum(*p.first * *p.second); };
    auto [dtied] = xgrad::gradient(f, tied);    // one object, one shadow: 2 w
    auto [dapart] = xgrad::gradient(f, apart);  // two objects: w and w
    check(dtied.first == dtied.second && near((*dtied.first)(1), 4));
    check(dapart.first != dapart.second && near((*dapart.first)(1), 2));
}

void checks() {
    auto const report = xgrad::check_tangent(app::segment<double>{1.0, 2.0});
    check(static_cast<bool>(report));

    std::puts(xgrad::describe<layer>().c_str());
}

}

int main() {
    gradients_are_vectors();
    what_is_there();
    shared_objects();
    checks();
    check(logger{}.descriptor() == 2 && xgrad::zero_tangent(observed_model{{1.0}, std::vector{2.0}, {}}).weights.size() == 1);
}
