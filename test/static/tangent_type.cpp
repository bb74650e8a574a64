// The table of tangent types, fdata types and rdata types: one row, one line.
#include <xtensor/xadapt.hpp>

#include <xgrad/check_tangent.hpp>

#include <complex>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <valarray>
#include <variant>
#include <vector>

using namespace xgrad;

template <class P, class T, class F, class R>
consteval bool row() {
    static_assert(std::is_same_v<tangent_type_t<P>, T>);
    static_assert(std::is_same_v<fdata_type_t<P>, F>);
    static_assert(std::is_same_v<rdata_type_t<P>, R>);
    static_assert(std::is_same_v<tangent_type_t<P const&>, T>);
    static_assert(has_tangent_type<P> && differentiable<P> == !std::is_same_v<T, no_tangent>);
    return check_tangent_types<P>();
}

template <class P>
inline constexpr bool nothing = row<P, no_tangent, no_fdata, no_rdata>();
template <class P>
inline constexpr bool value = row<P, P, no_fdata, P>();
template <class P, class T = P>
inline constexpr bool container = row<P, T, shadow_ref<T>, no_rdata>();
template <class P, class T = P>
inline constexpr bool handle = row<P, T, T, no_rdata>();

namespace {

enum class color { red };
struct empty {};
struct polymorphic {
    virtual ~polymorphic() = default;
};
struct layer {
    xt::xtensor<double, 2> W;
    xt::xtensor<double, 1> b;
};
XGRAD_REFLECT(layer, W, b)
struct labels {
    int n;
    std::vector<std::string> names;
};
XGRAD_REFLECT(labels, n, names)
struct model {
    layer hidden, output;
    int epochs = 0;
    double const rate = 1;
    labels classes;
};
XGRAD_REFLECT(model, hidden, output, epochs, rate, classes)
struct leafless {
    int n;
    std::vector<leafless> children;
};
XGRAD_REFLECT(leafless, n, children)
struct tree {
    std::vector<tree> children;
    double value;
};
XGRAD_REFLECT(tree, children, value)
struct list {
    double value;
    std::unique_ptr<list> next;
};
XGRAD_REFLECT(list, value, next)
struct point {
    double x;
    int id;
    double position[3];
};
struct counter {
    int n;
};
struct twenty {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s;
    double t;
};
struct twenty_one {
    double a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u;
};
struct based : point {
    double z;
};
class opaque {
    [[maybe_unused]] double x = 0;
};
class logger {
    [[maybe_unused]] int file = 0;
};

}  // namespace

template <>
inline constexpr bool xgrad::unperturbable<logger> = true;

// numbers
static_assert(value<float> && value<double> && value<long double>);
static_assert(value<std::complex<float>> && value<std::complex<double>>);

// what cannot be perturbed
static_assert(nothing<int> && nothing<unsigned long> && nothing<bool> && nothing<char> && nothing<color>);
static_assert(nothing<std::string> && nothing<std::string_view> && nothing<char const*> && nothing<std::nullptr_t> && nothing<std::monostate>);
static_assert(nothing<double (*)(double)> && nothing<empty> && nothing<std::integral_constant<int, 3>> && nothing<decltype([](double x) { return x; })>);
static_assert(nothing<std::mt19937> && nothing<std::minstd_rand> && nothing<std::mt19937_64> && nothing<std::ranlux24> && nothing<std::knuth_b>);
static_assert(nothing<no_tangent> && nothing<logger>);

// arrays
static_assert(container<xt::xtensor<double, 2>> && container<xt::xtensor<float, 0>> && container<xt::xarray<double>>);
static_assert(container<xt::xtensor<double, 2, xt::layout_type::column_major>> && container<xt::xarray<std::complex<double>, xt::layout_type::dynamic>>);
static_assert(nothing<xt::xtensor<int, 2>> && nothing<xt::xarray<bool>>);
static_assert(container<xt::xtensor<std::array<double, 2>, 1>> && container<xt::xtensor<layer, 1>, xt::xtensor<tangent<layer>, 1>>);
static_assert(value<xt::xtensor_fixed<double, xt::xshape<2, 3>>> && nothing<xt::xtensor_fixed<int, xt::xshape<2>>>);

// sequences and maps
static_assert(container<std::vector<double>> && container<std::list<float>> && container<std::deque<double>> && container<std::valarray<double>>);
static_assert(nothing<std::vector<int>> && nothing<std::vector<bool>> && nothing<std::list<std::string>> && nothing<std::valarray<int>>);
static_assert(container<std::vector<std::vector<double>>> && nothing<std::vector<std::vector<int>>>);
static_assert(container<std::vector<std::tuple<int, double>>, std::vector<std::tuple<no_tangent, double>>>);
static_assert(container<std::map<std::string, double>> && container<std::unordered_map<int, std::vector<float>>> && nothing<std::map<int, int>>);
static_assert(container<std::map<int, layer>, std::map<int, tangent<layer>>>);

// values of several parts
static_assert(value<std::array<double, 3>> && value<std::array<std::array<float, 2>, 100>> && nothing<std::array<int, 3>>);
static_assert(row<std::array<std::vector<double>, 2>, std::array<std::vector<double>, 2>, std::array<shadow_ref<std::vector<double>>, 2>, no_rdata>());
static_assert(row<double[3], std::array<double, 3>, no_fdata, std::array<double, 3>>());
static_assert(row<double[2][3], std::array<std::array<double, 3>, 2>, no_fdata, std::array<std::array<double, 3>, 2>>());
static_assert(value<std::pair<double, float>> && value<std::tuple<double, std::array<float, 2>>>);
static_assert(nothing<std::pair<int, std::string>> && nothing<std::tuple<>> && nothing<std::tuple<int, std::tuple<char>>>);
static_assert(row<std::tuple<int, double, std::vector<double>>, std::tuple<no_tangent, double, std::vector<double>>,
                  std::tuple<no_fdata, no_fdata, shadow_ref<std::vector<double>>>, std::tuple<no_rdata, double, no_rdata>>());
static_assert(value<std::optional<double>> && nothing<std::optional<int>>);
static_assert(row<std::optional<std::vector<double>>, std::optional<std::vector<double>>, std::optional<shadow_ref<std::vector<double>>>, no_rdata>());
static_assert(row<std::variant<int, double, std::vector<float>>, std::variant<no_tangent, double, std::vector<float>>,
                  std::variant<no_fdata, no_fdata, shadow_ref<std::vector<float>>>, std::variant<no_rdata, double, no_rdata>>());
static_assert(nothing<std::variant<std::monostate, int>>);

// what owns by pointer, shares, or refers
static_assert(container<std::unique_ptr<double>> && container<std::unique_ptr<int>, std::unique_ptr<no_tangent>>);
static_assert(handle<std::shared_ptr<double>> && handle<std::shared_ptr<layer>, std::shared_ptr<tangent<layer>>>);
static_assert(handle<std::reference_wrapper<double const>, std::shared_ptr<double>>);
static_assert(handle<double*> && handle<double const*, double*> && handle<layer*, tangent<layer>*> && nothing<int*>);
static_assert(handle<std::span<double>> && handle<std::span<float const, 3>, std::span<float, 3>> && nothing<std::span<int>>);
using matrix = xt::xtensor<double, 2>;
using column = decltype(xt::view(std::declval<matrix&>(), xt::all(), 1));
static_assert(handle<column> && handle<decltype(xt::view(std::declval<matrix const&>(), xt::all(), 1)), column>);

using adapted_vector = decltype(xt::adapt(std::declval<std::vector<double>&>(), std::array<std::size_t, 2>{}));
using adapted_constant = decltype(xt::adapt(std::declval<std::vector<double> const&>(), std::array<std::size_t, 2>{}));
using adapted_pointer = decltype(xt::adapt(std::declval<double*>(), 6, xt::no_ownership(), std::vector<std::size_t>{}));
static_assert(handle<adapted_vector> && handle<adapted_constant, adapted_vector> && handle<adapted_pointer>);

// structs
static_assert(row<layer, tangent<layer>, fdata<layer>, no_rdata>());
static_assert(row<model, tangent<model>, fdata<model>, rdata<model>>());
static_assert(std::is_same_v<decltype(tangent<model>::hidden), tangent<layer>> && std::is_same_v<decltype(tangent<model>::rate), double>);
static_assert(absent<decltype(tangent<model>::epochs)> && absent<decltype(tangent<model>::classes)>);
static_assert(std::is_convertible_v<decltype(tangent<model>::epochs), no_tangent> && std::is_convertible_v<no_tangent, decltype(tangent<model>::epochs)>);
static_assert(std::is_same_v<decltype(fdata<model>::output), fdata<layer>> && absent<decltype(fdata<model>::rate)>);
static_assert(absent<decltype(rdata<model>::hidden)> && std::is_same_v<decltype(rdata<model>::rate), double>);
static_assert(nothing<labels> && nothing<leafless>);
static_assert(row<tree, tangent<tree>, fdata<tree>, rdata<tree>>() && std::is_same_v<decltype(tangent<tree>::children), std::vector<tangent<tree>>>);
static_assert(row<list, tangent<list>, fdata<list>, rdata<list>>() && std::is_same_v<decltype(tangent<list>::next), std::unique_ptr<tangent<list>>>);

// a plain aggregate is known only if it has something to differentiate
static_assert(row<point, std::tuple<double, no_tangent, std::array<double, 3>>, no_fdata, std::tuple<double, no_rdata, std::array<double, 3>>>());
static_assert(row<twenty, tangent_type_t<twenty>, no_fdata, rdata_type_t<twenty>>() && std::tuple_size_v<tangent_type_t<twenty>> == 20);
static_assert(!has_tangent_type<twenty_one> && !has_tangent_type<based>);
static_assert(!has_tangent_type<counter> && !has_tangent_type<opaque> && !has_tangent_type<polymorphic>);
static_assert(!has_tangent_type<std::vector<opaque>> && !differentiable<std::tuple<double, opaque>> && !has_tangent_type<void*>);

// what the type says of the zero
static_assert(has_zero_rdata<model> && has_zero_rdata<std::optional<std::vector<double>>>);
static_assert(!has_zero_rdata<std::optional<double>> && !has_zero_rdata<std::tuple<double, std::variant<int, double>>>);
