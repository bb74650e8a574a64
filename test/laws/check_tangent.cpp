// check_tangent catches containers whose parts<> breaks a law, and says which.
#include <boost/test/unit_test.hpp>

#include <xgrad/check_tangent.hpp>

#include <string>
#include <vector>

namespace app {

// A container of one kind of mistake.
enum class mistake { none, skips_the_last, visits_twice, makes_all_alike, shares_memory };
template <class T, mistake M>
struct bag {
    std::shared_ptr<std::vector<T>> items = std::make_shared<std::vector<T>>();
    bag() = default;
    explicit bag(std::vector<T> x) : items(std::make_shared<std::vector<T>>(std::move(x))) {}
    bag(bag const& other) : items(M == mistake::shares_memory ? other.items : std::make_shared<std::vector<T>>(*other.items)) {}
    bag(bag&&) = default;
    bag& operator=(bag const&) = default;
    bag& operator=(bag&&) = default;
};

}  // namespace app

template <class P, app::mistake M>
struct xgrad::parts<app::bag<P, M>> : xgrad::detail::one_part<P, xgrad::identified::by_address> {
    template <class Fn>
    using rebind = app::bag<typename Fn::template type<P>, M>;

    template <class F, class X, class... Rest>
    static void each(F&& f, X&& x, Rest&&... rest) {
        for (std::size_t i = 0; i < x.items->size() - (M == app::mistake::skips_the_last); ++i) {
            f((*x.items)[i], (*rest.items)[i]...);
            if (M == app::mistake::visits_twice) f((*x.items)[i], (*rest.items)[i]...);
        }
    }
    template <class N, class F, class X, class... Rest>
    static N make(F&& f, X&& x, Rest&&... rest) {
        N n;
        for (std::size_t i = 0; i < x.items->size(); ++i) {
            std::size_t const j = M == app::mistake::makes_all_alike ? 0 : i;
            n.items->push_back(f((*x.items)[j], (*rest.items)[j]...));
        }
        return n;
    }
};

template <app::mistake M>
std::string verdict() {
    return xgrad::check_tangent(app::bag<double, M>(std::vector<double>{1, 2, 3})).text();
}

BOOST_AUTO_TEST_CASE(right_containers_pass) {
    BOOST_TEST(verdict<app::mistake::none>() == "all laws hold");
    BOOST_TEST(bool(xgrad::check_tangent(2.5)));
    BOOST_TEST(bool(xgrad::check_tangent(7)));
}

BOOST_AUTO_TEST_CASE(wrong_containers_are_found_out) {
    auto const finds = [](std::string const& text, std::string const& law) { return text.find("\n  " + law) != std::string::npos; };
    BOOST_TEST(finds(verdict<app::mistake::skips_the_last>(), "parts: each meets as many numbers as make makes"));
    BOOST_TEST(finds(verdict<app::mistake::visits_twice>(), "zero: 0 + t = t"));
    BOOST_TEST(finds(verdict<app::mistake::makes_all_alike>(), "primal: (x + t) - x = t up to rounding"));
    BOOST_TEST(finds(verdict<app::mistake::shares_memory>(), "accumulate: leaves a constant as it is"));
}
