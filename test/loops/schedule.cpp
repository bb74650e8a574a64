// Schedules of loops: every action is possible, steps are reversed in order, and no schedule runs fewer steps: compared with a dynamic programme.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/loops/schedule.hpp>

namespace {

using xgrad::loop_action;

struct outcome {
    std::size_t forward = 0, most = 0, longest = 0;  // steps run forward, states in store at once, times that one step ran forward
    bool good = true;
};

// What a loop of n steps does by a schedule.
template <class S>
outcome carry_out(S const& s, std::size_t n) {
    static_assert(xgrad::schedule<S>);
    std::vector<std::size_t> room(s.places(n) + 1, 77), runs(n);
    auto todo = s.begin(n, room.data());
    std::vector<std::optional<std::size_t>> place(s.places(n));
    std::optional<std::size_t> at = 0;
    std::size_t end = n, stored = 0;
    outcome o;
    auto require = [&o](bool holds) { o.good = o.good && holds; };
    for (loop_action a = todo.next(); a.what != loop_action::verb::end && o.good; a = todo.next()) switch (a.what) {
        case loop_action::verb::forward:
            require(at && a.number >= 1 && *at + a.number < end);
            if (!o.good) break;
            for (std::size_t i = 0; i < a.number; ++i) o.longest = std::max(o.longest, ++runs[*at + i]);
            *at += a.number;
            o.forward += a.number;
            break;
        case loop_action::verb::store:
            require(at && a.number < place.size() && !place[a.number]);
            if (!o.good) break;
            place[a.number] = at;
            o.most = std::max(o.most, ++stored);
            break;
        case loop_action::verb::load:
            require(a.number < place.size() && place[a.number]);
            if (o.good) at = place[a.number];
            break;
        case loop_action::verb::drop:
            require(a.number < place.size() && place[a.number]);
            if (!o.good) break;
            place[a.number].reset();
            --stored;
            break;
        case loop_action::verb::reverse:
            require(at && *at + 1 == end);
            --end;
            at.reset();
            break;
        case loop_action::verb::end: break;
    }
    require(end == 0 && stored == 0 && room.back() == 77);
    return o;
}

}

// t(n, c) = min over k of k + t(n - k, c - 1) + t(k, c): the first state is stored, and the next one after k steps.
BOOST_AUTO_TEST_CASE(checkpoints_run_the_fewest_steps_that_there_are) {
    constexpr std::size_t N = 300, C = 20, none = std::numeric_limits<std::size_t>::max() / 4;
    std::vector<std::vector<std::size_t>> t(C + 1, std::vector<std::size_t>(N + 1, none));
    for (std::size_t c = 1; c <= C; ++c) {
        t[c][0] = t[c][1] = 0;
        for (std::size_t n = 2; n <= N; ++n) {
            if (c == 1) t[c][n] = n * (n - 1) / 2;
            else
                for (std::size_t k = 1; k < n; ++k) t[c][n] = std::min(t[c][n], k + t[c - 1][n - k] + t[c][k]);
        }
    }
    std::size_t wrong = 0;
    for (std::size_t c = 1; c <= C; ++c)
        for (std::size_t n = 0; n <= N; ++n) {
            outcome const o = carry_out(xgrad::checkpoints(c), n);
            wrong += !o.good || o.forward != t[c][n] || o.most > c || xgrad::forward_steps(n, c) != t[c][n];
        }
    BOOST_TEST(wrong == 0u);
}

BOOST_AUTO_TEST_CASE(a_million_steps) {
    outcome const o = carry_out(xgrad::checkpoints(100), 1'000'000);
    BOOST_TEST(o.good);
    BOOST_TEST(o.forward < 3'820'000u);
    BOOST_TEST(o.forward == xgrad::forward_steps(1'000'000, 100));
    BOOST_TEST(o.most <= 100u);
    // numbers that are not to overflow
    BOOST_TEST(xgrad::forward_steps(std::size_t(1) << 50, std::size_t(1) << 50) == (std::size_t(1) << 50) - 1);
    BOOST_TEST(xgrad::detail::binomial(100, 50) == std::numeric_limits<std::size_t>::max());
    BOOST_TEST(xgrad::detail::binomial(66, 33) == 7219428434016265740u);
    BOOST_TEST(xgrad::detail::binomial(3, 5) == 0u);
}

BOOST_AUTO_TEST_CASE(states_that_are_kept_and_every_kth) {
    for (std::size_t n : {0u, 1u, 2u, 3u, 7u, 100u, 101u}) {
        outcome const all = carry_out(xgrad::keep_states(), n);
        BOOST_TEST(all.good);
        BOOST_TEST(all.forward == (n == 0 ? 0 : n - 1));
        BOOST_TEST(carry_out(xgrad::checkpoints(n), n).forward == all.forward);
        for (std::size_t k : {0u, 1u, 2u, 5u, 10u, 99u, 100u, 1000u}) {
            outcome const o = carry_out(xgrad::every(k), n);
            BOOST_TEST(o.good);
            BOOST_TEST(o.longest <= 2u);
            BOOST_TEST(o.most <= n / std::max<std::size_t>(k, 1) + std::max<std::size_t>(k, 1));
        }
    }
    BOOST_TEST(carry_out(xgrad::every(10), 100).most == 18u);
    BOOST_TEST(carry_out(xgrad::every(10), 100).forward == 99u + 9 * 9);
}
