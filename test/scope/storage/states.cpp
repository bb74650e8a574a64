// The states of a formula, and every way from one to another. f is the formula, s its slot, "owed" what consumers may still contribute.
//
//   state      is                            share            copy gives        move gives      destruction
//   fresh      operands, nothing computed    name, owed 1     name and alias    fresh           operands go, nothing is pulled
//   held *     evaluated on the stack        name, owed 1     name and alias    held            pulled if a contribution came
//   name       owns its slot                 owed + 1         alias             the same name   owed 0: paid or dead; else deferred **
//   alias      a debt to a slot              owed + 1         alias             the same alias  owed - 1; the last one settles what is deferred
//   empty      moved from                    logic_error      logic_error       empty           nothing
//   deferred   left while owed: slot only    -                -                 -               the last debt makes it paid or dead
//   paid       has a contribution: pulled once, then its operands' debts are paid, and its memory is given back
//   dead       no contribution came: the same without a pull
//   unwound    an evaluation that throws leaves fresh what was fresh; debts of what is unwound are paid with nothing
//   assignment leaves the old state as destruction does, and enters the new one as copy or move does
//
//   A fresh array of few cheap operations that is used elementwise stays fresh: the bigger formula has a copy of its operands (node/carried.hpp).
//   *  reductions and small arrays of scoped functions, and scalar expressions around them. A name of theirs that is owed something stays where it is
//      when it is moved, and the new formula is an alias.
//   ** in a scoped function: the end of the program (test/programs/broken_promises.cpp). Unchecked, nothing is counted.
//
// Scalars of scoped functions whose operands are scalars are *eager* and have one state: operands, value and slot from the beginning.
// A copy and a moved-to formula have the same operands and a slot of their own; each pulls what came to itself when it goes.
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

using namespace xgrad;

namespace test {
// x, but it throws when told to.
struct fuse_op {
    static constexpr char const* name = "fuse(x)";
    static constexpr bool may_throw = true;
    static inline bool blown = false;
    static inline int evaluations = 0;
    template <class T>
    T operator()(T const& x) const {
        ++evaluations;
        if (blown) throw std::runtime_error("blown");
        return x;
    }
};
// 2 x, of which nothing is known to be cheap: a name of it has a slot.
struct twice_op {
    static constexpr char const* name = "twice(x)";
    template <class T>
    T operator()(T const& x) const {
        return x + x;
    }
};
}
template <>
inline constexpr auto xgrad::partials<test::twice_op> = [](auto y, auto) { return partial(one(y) + one(y)); };
template <>
inline constexpr auto xgrad::partials<test::fuse_op> = [](auto y, auto) { return partial(one(y)); };

namespace {

constexpr double x0 = 0.5;

// A call that goes backward, with one argument: a scalar or an array of three.
template <class R, class M = counted>
struct bench {
    static constexpr bool is_array = R::value != 0;
    workspace w;
    context& c = w.get();
    slot<double, R> argument;
    std::array<double, 3> value{x0, x0, x0}, cotangent{};
    context* const outer = std::exchange(running_call, &c);

    bench() {
        c.begin(true);
        argument.owner = &c;
        if constexpr (is_array) {
            argument.value = value.data();
            argument.cotangent = cotangent.data();
            argument.shape = {{3}};
            argument.stride = {{1}};
            argument.size = 3;
        } else argument.value = x0;
    }
    ~bench() { running_call = outer; }
    bench(bench const&) = delete;
    input<double, R, M> x() { return input<double, R, M>(&argument); }
    bool pulled() const { return argument.has_cotangent; }
    double total() const {
        if constexpr (is_array) return argument.has_cotangent ? cotangent[2] : 0.0;
        else return argument.cotangent;
    }
};

// What a consumer's pullback does.
template <class Ref>
void contribute(Ref const& r, double g = 1.0) {
    auto* s = r.get();
    if constexpr (requires { s->ensure_cotangent(); }) {
        s->ensure_cotangent();
        for (std::size_t i = 0; i < s->size; ++i) s->cotangent[i] += g;
    } else s->add(g);
}
template <class E>
auto fuse(E&& e) { return elementwise<test::fuse_op>(std::forward<E>(e)); }
template <class E>
auto twice(E&& e) { return elementwise<test::twice_op>(std::forward<E>(e)); }

using ranks = std::tuple<rank_c<0>, rank_c<1>>;
using stack_modes = std::tuple<scoped, unchecked>;

// The scalars that wait on the stack until they are asked: a reduction, and an expression around one.
template <class M, bool Expression>
struct waiting {
    using lifetime = M;
    using bench_type = bench<rank_c<1>, M>;
    static auto make(bench_type& b) {
        if constexpr (Expression) return sum(sin(b.x())) * 1.0;
        else return sum(sin(b.x()));
    }
};
using waiting_kinds = std::tuple<waiting<scoped, false>, waiting<scoped, true>, waiting<unchecked, false>, waiting<unchecked, true>>;
template <class M>
inline constexpr bool counts = std::is_same_v<M, scoped>;
double const d = std::cos(x0);

}

// ---- fresh

BOOST_AUTO_TEST_CASE_TEMPLATE(fresh_is_dropped, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        BOOST_CHECK(f.is_fresh());
        BOOST_CHECK_EQUAL(b.c.live, 0u);
    }
    BOOST_CHECK(!b.pulled());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(fresh_is_moved, R, ranks) {
    bench<R> b;
    auto f = sin(b.x());
    auto g = std::move(f);
    BOOST_CHECK(g.is_fresh());
    BOOST_CHECK(f.is_empty());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(fresh_is_shared, R, ranks) {
    bench<R> b;
    auto f = sin(b.x());
    auto r = f.share();
    BOOST_CHECK(!f.is_fresh() && !f.is_empty());
    BOOST_CHECK_EQUAL(f.slot_at(), r.get());
    BOOST_CHECK_EQUAL(b.c.live, 1u);
    BOOST_CHECK_EQUAL(r.get()->owed, 1u);
    BOOST_CHECK(!r.get()->has_cotangent && !r.get()->released);
    BOOST_CHECK_EQUAL(r.get()->owner, &b.c);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(fresh_is_held_without_a_debt, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        f.materialise();
        BOOST_CHECK_EQUAL(f.slot_at()->owed, 0u);
        BOOST_CHECK_EQUAL(b.c.live, 1u);
    }
    BOOST_CHECK_EQUAL(b.c.live, 0u);
    BOOST_CHECK(!b.pulled());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(fresh_is_copied, R, ranks) {
    bench<R> b;
    auto f = sin(b.x());
    auto g = f;
    BOOST_CHECK_EQUAL(f.slot_at(), g.slot_at());
    BOOST_CHECK_EQUAL(b.c.live, 1u);
    BOOST_CHECK_EQUAL(f.slot_at()->owed, 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(fresh_stays_fresh_when_it_cannot_be_evaluated, R, ranks) {
    bench<R> b;
    test::fuse_op::blown = true;
    auto f = fuse(b.x());
    BOOST_CHECK_THROW(f.materialise(), std::runtime_error);
    BOOST_CHECK_THROW((void)f.share(), std::runtime_error);
    BOOST_CHECK_THROW((void)decltype(f)(std::as_const(f)), std::runtime_error);
    BOOST_CHECK(f.is_fresh());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
    test::fuse_op::blown = false;
    contribute(f.share());
    BOOST_CHECK_EQUAL(b.c.live, 1u);
    BOOST_CHECK(f.slot_at()->has_cotangent);
}

// ---- name

BOOST_AUTO_TEST_CASE_TEMPLATE(a_name_is_paid, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        contribute(f.share(), 2.0);
        BOOST_CHECK_EQUAL(f.slot_at()->owed, 0u);
        BOOST_CHECK(!b.pulled());
        BOOST_CHECK_EQUAL(b.c.live, 1u);
    }
    BOOST_CHECK_EQUAL(b.total(), 2 * d);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_name_is_dead, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        auto r = f.share();
    }
    BOOST_CHECK(!b.pulled());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_name_is_not_pulled_where_nothing_goes_backward, R, ranks) {
    bench<R> b;
    b.c.begin(false);
    {
        auto f = sin(b.x());
        auto g = f * f;
        g.materialise();
        if constexpr (bench<R>::is_array) BOOST_CHECK(!f.slot_at()->cotangent);
        BOOST_CHECK_EQUAL(b.c.live, 2u);
    }
    BOOST_CHECK(!b.pulled());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_name_moves_with_its_slot, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        auto r = f.share();
        auto* const s = f.slot_at();
        auto g = std::move(f);
        BOOST_CHECK(f.is_empty());
        BOOST_CHECK_EQUAL(g.slot_at(), s);
        BOOST_CHECK_EQUAL(s->owed, 1u);
        auto h = std::move(g);
        BOOST_CHECK_EQUAL(h.slot_at(), s);
        contribute(r);
    }
    BOOST_CHECK_EQUAL(b.total(), d);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_name_is_deferred_and_paid, R, ranks) {
    bench<R> b;
    typename decltype(sin(b.x()))::ref_type r;
    {
        auto f = sin(b.x());
        r = f.share();
    }
    BOOST_CHECK(r.get()->released);
    BOOST_CHECK_EQUAL(b.c.live, 1u);
    contribute(r, 3.0);
    BOOST_CHECK(!b.pulled());
    r = {};
    BOOST_CHECK_EQUAL(b.total(), 3 * d);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_name_is_deferred_and_dies, R, ranks) {
    bench<R> b;
    typename decltype(sin(b.x()))::ref_type r, q;
    {
        auto f = sin(b.x());
        r = f.share();
        q = r;
        BOOST_CHECK_EQUAL(r.get()->owed, 2u);
    }
    r = {};
    BOOST_CHECK_EQUAL(b.c.live, 1u);
    q = {};
    BOOST_CHECK(!b.pulled());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_name_gives_itself_up, R, ranks) {
    bench<R> b;
    auto f = sin(b.x());
    auto r = f.detach();
    BOOST_CHECK(f.is_empty());
    BOOST_CHECK(r.get()->released);
    contribute(r);
    r = {};
    BOOST_CHECK_EQUAL(b.total(), d);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

// ---- alias

BOOST_AUTO_TEST_CASE_TEMPLATE(an_alias_is_shared_copied_and_moved, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        auto g = f;
        auto* const s = f.slot_at();
        auto r = g.share();
        BOOST_CHECK_EQUAL(r.get(), s);
        BOOST_CHECK_EQUAL(s->owed, 2u);
        auto h = g;
        BOOST_CHECK_EQUAL(h.slot_at(), s);
        BOOST_CHECK_EQUAL(s->owed, 3u);
        auto k = std::move(h);
        BOOST_CHECK(h.is_empty());
        BOOST_CHECK_EQUAL(s->owed, 3u);
        contribute(k.share());
        BOOST_CHECK_EQUAL(b.c.live, 1u);
    }
    BOOST_CHECK_EQUAL(b.total(), d);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_alias_outlives_its_name, R, ranks) {
    bench<R> b;
    {
        auto f = std::make_unique<decltype(sin(b.x()))>(sin(b.x()));
        auto g = *f;
        f.reset();
        BOOST_CHECK(g.slot_at()->released);
        BOOST_CHECK(!b.pulled());
        contribute(g.share());
        BOOST_CHECK_EQUAL(b.c.live, 1u);
        auto h = std::move(g);
    }
    BOOST_CHECK_EQUAL(b.total(), d);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

// ---- empty

BOOST_AUTO_TEST_CASE_TEMPLATE(empty_refuses_and_can_be_assigned_to, R, ranks) {
    bench<R> b;
    auto f = sin(b.x());
    auto g = std::move(f);
    BOOST_CHECK_THROW((void)f.share(), std::logic_error);
    BOOST_CHECK_THROW(f.materialise(), std::logic_error);
    BOOST_CHECK_THROW((void)decltype(f)(std::as_const(f)), std::logic_error);
    BOOST_CHECK_THROW((void)(f * 2.0), std::logic_error);
    BOOST_CHECK_THROW((void)(std::move(f) * 2.0), std::logic_error);
    BOOST_CHECK_THROW((void)variable(f), std::logic_error);
    auto e = std::move(f);
    BOOST_CHECK(e.is_empty());
    f = std::move(g);
    BOOST_CHECK(f.is_fresh() && g.is_empty());
    g = f;
    BOOST_CHECK_EQUAL(f.slot_at(), g.slot_at());
}

// ---- assignment

BOOST_AUTO_TEST_CASE_TEMPLATE(assignment_leaves_and_enters, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        auto g = sin(b.x());
        auto r = f.share();
        auto* const old = f.slot_at();
        f = g;  // the name is owed something: deferred
        BOOST_CHECK(old->released);
        BOOST_CHECK_EQUAL(f.slot_at(), g.slot_at());
        BOOST_CHECK_EQUAL(b.c.live, 2u);
        contribute(r);
        r = {};
        BOOST_CHECK_EQUAL(b.total(), d);
        BOOST_CHECK_EQUAL(b.c.live, 1u);
        f = std::move(g);  // an alias leaves, the name of the same slot enters
        BOOST_CHECK(g.is_empty());
        BOOST_CHECK_EQUAL(f.slot_at()->owed, 0u);
        contribute(f.share());
        f = sin(b.x());  // the name is paid
        BOOST_CHECK_EQUAL(b.total(), 2 * d);
        BOOST_CHECK(f.is_fresh());
        f = sin(b.x());  // fresh over fresh
        BOOST_CHECK_EQUAL(b.c.live, 0u);
        auto& itself = f;
        f = itself;
        BOOST_CHECK_EQUAL(b.c.live, 1u);
        contribute(f.share());
    }
    BOOST_CHECK_EQUAL(b.total(), 3 * d);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

// ---- values made of values

BOOST_AUTO_TEST_CASE_TEMPLATE(paying_one_value_pays_what_it_is_made_of, R, ranks) {
    bench<R> b;
    using formula_type = decltype(sin(b.x()));
    auto f = std::make_unique<formula_type>(sin(b.x()));
    auto g = std::make_unique<decltype(twice(*f))>(twice(*f));
    auto h = std::make_unique<decltype(*g * *f)>(*g * *f);
    BOOST_CHECK_EQUAL(f->slot_at()->owed, 2u);
    auto r = h->share();
    f.reset();
    g.reset();
    BOOST_CHECK_EQUAL(b.c.live, 3u);
    contribute(r);
    h.reset();
    BOOST_CHECK_EQUAL(b.c.live, 3u);
    BOOST_CHECK(!b.pulled());
    r = {};  // h, then g and f, by the queue
    BOOST_CHECK_CLOSE(b.total(), 4 * std::sin(x0) * d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(dropping_one_value_drops_what_it_is_made_of, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        auto used = twice(f);
        auto dead = exp(f);
        auto deader = dead * dead;
        deader.materialise();
        contribute(used.share());
        BOOST_CHECK_EQUAL(b.c.live, 4u);
    }
    BOOST_CHECK_CLOSE(b.total(), 2 * d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_moved_name_inside_a_formula_keeps_its_slot, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        auto r = f.share();
        auto* const s = r.get();
        auto g = std::move(f) * 2.0;
        BOOST_CHECK(f.is_empty());
        BOOST_CHECK(g.is_fresh());
        BOOST_CHECK(!s->has_cotangent);
        contribute(g.share());
        BOOST_CHECK_EQUAL(b.c.live, 2u);
        contribute(r, 5.0);
    }
    BOOST_CHECK_CLOSE(b.total(), 7 * d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(unwinding_pays_with_nothing, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        try {
            auto g = twice(f);
            auto h = g * f;
            auto r = h.share();
            test::fuse_op::blown = true;
            auto k = fuse(h) * g;
            BOOST_CHECK_EQUAL(f.slot_at()->owed, 2u);
            k.materialise();
            BOOST_ERROR("nothing was thrown");
        } catch (std::runtime_error const&) {
        }
        test::fuse_op::blown = false;
        BOOST_CHECK_EQUAL(f.slot_at()->owed, 0u);
        BOOST_CHECK(!f.slot_at()->has_cotangent);
        BOOST_CHECK_EQUAL(b.c.live, 1u);
        contribute(f.share());
    }
    BOOST_CHECK_EQUAL(b.total(), d);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_variable_is_a_debt, R, ranks) {
    bench<R> b;
    {
        variable v = sin(b.x());
        BOOST_CHECK_EQUAL(b.c.live, 1u);
        auto* const s = v.share().get();
        BOOST_CHECK(s->released);
        BOOST_CHECK_EQUAL(s->owed, 1u);
        variable<primal_t<decltype(v)>> u = v, t = std::move(v);
        BOOST_CHECK(v.is_empty());
        BOOST_CHECK_EQUAL(s->owed, 2u);
        contribute(u.share());
        v = u * 2.0;
        BOOST_CHECK_EQUAL(s->owed, 3u);
        BOOST_CHECK_EQUAL(b.c.live, 2u);
        u = t = v;
        BOOST_CHECK_EQUAL(s->owed, 1u);
        contribute(t.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 3 * d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

// ---- reductions of scoped functions: the slot is in the formula

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_fresh_is_dropped_and_moved, K, waiting_kinds) {
    typename K::bench_type b;
    {
        auto f = K::make(b);
        using F = decltype(f);
        static_assert(std::is_base_of_v<stack_storage<typename F::node_type>, F>);
        BOOST_CHECK(f.is_fresh());
        auto g = std::move(f);
        BOOST_CHECK(g.is_fresh() && f.is_empty());
    }
    BOOST_CHECK(!b.pulled());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_held_value_moves_and_is_dead, K, waiting_kinds) {
    typename K::bench_type b;
    {
        auto f = K::make(b);
        BOOST_CHECK(f < 2.0);
        BOOST_CHECK(!f.is_fresh());
        auto g = std::move(f);
        BOOST_CHECK(f.is_empty() && !g.is_fresh());
        BOOST_CHECK_CLOSE(g.slot_at()->value, 3 * std::sin(x0), 1e-12);
        BOOST_CHECK(g.slot_at() != f.slot_at());
    }
    BOOST_CHECK(!b.pulled());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_name_is_paid_at_its_brace, K, waiting_kinds) {
    typename K::bench_type b;
    {
        auto f = K::make(b);
        contribute(f.share(), 2.0);
        auto r = f.share();
        BOOST_CHECK_EQUAL(r.get(), f.slot_at());
        if constexpr (counts<typename K::lifetime>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 1u);
        contribute(r, 3.0);
        BOOST_CHECK(!b.pulled());
    }
    BOOST_CHECK_CLOSE(b.total(), 5 * d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_name_is_dead, K, waiting_kinds) {
    typename K::bench_type b;
    {
        auto f = K::make(b);
        auto g = f * 2.0;
        auto h = g;
        BOOST_CHECK(h < 9.0);
    }
    BOOST_CHECK(!b.pulled());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_name_stays_where_it_is_while_it_is_owed, K, waiting_kinds) {
    typename K::bench_type b;
    {
        auto f = K::make(b);
        auto r = f.share();
        auto g = std::move(f);
        BOOST_CHECK_EQUAL(g.slot_at(), f.slot_at());
        if constexpr (counts<typename K::lifetime>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 2u);
        auto h = std::move(g);
        BOOST_CHECK(g.is_empty());
        BOOST_CHECK_EQUAL(h.slot_at(), f.slot_at());
        contribute(h.share());
        contribute(r);
    }
    BOOST_CHECK_CLOSE(b.total(), 2 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE(on_the_stack_a_name_that_is_owed_nothing_moves_with_its_contributions) {
    bench<rank_c<1>, scoped> b;
    {
        auto f = sum(sin(b.x()));
        contribute(f.share(), 2.0);
        auto g = std::move(f);
        BOOST_CHECK(f.is_empty());
        contribute(g.share(), 3.0);
    }
    BOOST_CHECK_CLOSE(b.total(), 5 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_copy_is_an_alias, K, waiting_kinds) {
    typename K::bench_type b;
    {
        auto f = K::make(b);
        auto g = f;
        auto h = g;
        auto k = std::move(h);
        BOOST_CHECK(h.is_empty());
        BOOST_CHECK_EQUAL(k.slot_at(), f.slot_at());
        if constexpr (counts<typename K::lifetime>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 2u);
        contribute(g.share());
        contribute(k.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 2 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_fresh_part_moves_and_a_name_owes, K, waiting_kinds) {
    typename K::bench_type b;
    {
        auto f = K::make(b);
        auto g = std::move(f) * 2.0;
        BOOST_CHECK(f.is_empty() && g.is_fresh());
        auto h = K::make(b);
        auto r = h.share();
        auto k = std::move(h) * 3.0;
        if constexpr (counts<typename K::lifetime>) BOOST_CHECK_EQUAL(r.get()->owed, 2u);
        contribute(g.share());
        contribute(k.share());
        contribute(r, 4.0);
    }
    BOOST_CHECK_CLOSE(b.total(), 9 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_assignment_leaves_and_enters, K, waiting_kinds) {
    typename K::bench_type b;
    {
        auto f = K::make(b);
        contribute(f.share());
        f = K::make(b);  // the name is paid
        BOOST_CHECK(f.is_fresh());
        BOOST_CHECK_CLOSE(b.total(), d, 1e-12);
        auto g = K::make(b);
        {
            auto h = g;
            h = f;  // an alias leaves, another enters
            BOOST_CHECK_EQUAL(h.slot_at(), f.slot_at());
            if constexpr (counts<typename K::lifetime>) BOOST_CHECK_EQUAL(g.slot_at()->owed, 0u);
            contribute(h.share());
            h = K::make(b);
            BOOST_CHECK(h.is_fresh());
        }
        auto e = std::move(g);
        g = K::make(b);
        contribute(g.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 3 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE(on_the_stack_empty_refuses) {
    bench<rank_c<1>, scoped> b;
    auto f = sum(sin(b.x()));
    auto g = std::move(f);
    BOOST_CHECK_THROW((void)f.share(), std::logic_error);
    BOOST_CHECK_THROW(f.materialise(), std::logic_error);
    BOOST_CHECK_THROW((void)decltype(f)(std::as_const(f)), std::logic_error);
    BOOST_CHECK_THROW((void)(f * 2.0), std::logic_error);
    BOOST_CHECK_THROW((void)(std::move(f) * 2.0), std::logic_error);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_unwinding_pays_with_nothing, M, stack_modes) {
    bench<rank_c<1>, M> b;
    {
        auto f = sum(sin(b.x()));
        auto e = sum(fuse(b.x()));
        test::fuse_op::blown = true;
        try {
            auto g = f * 2.0;
            auto h = g * f;
            auto k = h * std::move(e) * g;
            k.materialise();
            BOOST_ERROR("nothing was thrown");
        } catch (std::runtime_error const&) {
        }
        BOOST_CHECK(e.is_empty());
        e = sum(fuse(b.x()));
        BOOST_CHECK_THROW(e.materialise(), std::runtime_error);
        BOOST_CHECK(e.is_fresh());
        test::fuse_op::blown = false;
        e.materialise();
        if constexpr (counts<M>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 0u);
        BOOST_CHECK(!f.slot_at()->has_cotangent);
        contribute(f.share());
    }
    BOOST_CHECK_CLOSE(b.total(), d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_the_braces_are_the_reverse_pass, K, waiting_kinds) {
    typename K::bench_type b;
    {
        auto f = K::make(b);
        auto g = f * 2.0;
        auto h = g * f;
        contribute(h.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 12 * std::sin(x0) * d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE(on_the_stack_arrays_count_in_the_workspace) {
    bench<rank_c<1>, scoped> b;
    {
        auto f = sin(b.x());
        auto* const s = f.share().get();
        auto g = [](auto h) { return std::move(h) * 2.0; }(f);
        BOOST_CHECK_EQUAL(b.c.live, 1u);
        BOOST_CHECK_EQUAL(s->owed, 1u);
        contribute(g.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 2 * d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

// ---- scalars of scoped functions whose operands are scalars: eager

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_is_evaluated_where_it_is_made_and_never_again, M, stack_modes) {
    bench<rank_c<0>, M> b;
    test::fuse_op::evaluations = 0;
    {
        auto f = fuse(b.x());
        using F = decltype(f);
        static_assert(std::is_base_of_v<eager_storage<typename F::node_type>, F>);
        static_assert(std::is_same_v<typename F::slot_type, stack_slot<double, M>>);
        BOOST_CHECK_EQUAL(test::fuse_op::evaluations, 1);
        BOOST_CHECK_EQUAL(f.slot_at()->value, x0);
        BOOST_CHECK(!f.is_fresh() && !f.is_empty());
        BOOST_CHECK_EQUAL(f.owner(), &b.c);
        auto copy = f;
        auto moved = std::move(f);
        auto g = copy * moved;
        auto h = std::move(f) * std::move(g);
        BOOST_CHECK(h < 2.0);
        h.materialise();
        contribute(h.share());
        BOOST_CHECK_EQUAL(b.c.live, 0u);
    }
    BOOST_CHECK_EQUAL(test::fuse_op::evaluations, 1);
    BOOST_CHECK_CLOSE(b.total(), 3 * x0 * x0, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_is_dead_without_a_contribution, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto g = f * 2.0;
        auto h = g * g;
        auto k = std::move(h);
        auto infinite = sqrt(f - std::sin(x0));
        [[maybe_unused]] auto r = k.share();
        BOOST_CHECK(infinite == 0.0);
    }
    BOOST_CHECK(!b.pulled());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_is_shared_and_paid_at_its_brace, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto r = f.share();
        {
            auto q = r;
            BOOST_CHECK_EQUAL(r.get(), f.slot_at());
            if constexpr (counts<M>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 2u);
            contribute(r, 2.0);
            contribute(q, 3.0);
        }
        if constexpr (counts<M>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 1u);
        BOOST_CHECK(!b.pulled());
    }
    BOOST_CHECK_CLOSE(b.total(), 5 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_copies_have_a_slot_of_their_own, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        contribute(f.share(), 2.0);
        {
            auto g = f;  // without the contribution that f has
            BOOST_CHECK(g.slot_at() != f.slot_at());
            BOOST_CHECK_EQUAL(g.slot_at()->value, f.slot_at()->value);
            BOOST_CHECK(!g.slot_at()->has_cotangent);
            if constexpr (counts<M>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 0u);
            contribute(g.share(), 3.0);
            contribute(f.share(), 4.0);
            auto const h = std::as_const(g);
            contribute(h.share(), 5.0);
        }
        BOOST_CHECK_CLOSE(b.total(), 8 * d, 1e-12);  // the copies have gone
    }
    BOOST_CHECK_CLOSE(b.total(), 14 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_copies_owe_what_their_source_owes, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto const owed = [&]([[maybe_unused]] unsigned n) {
            if constexpr (counts<M>) BOOST_CHECK_EQUAL(f.slot_at()->owed, n);
        };
        auto g = f * 2.0;
        owed(1);
        {
            auto h = g;
            owed(2);
            auto k = std::move(h);
            owed(3);
            contribute(k.share());
            BOOST_CHECK(!f.slot_at()->has_cotangent);
        }
        owed(1);
        BOOST_CHECK_EQUAL(f.slot_at()->cotangent, 2.0);
        contribute(g.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 4 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_is_moved_and_stays_as_it_was, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto r = f.share();
        contribute(r, 2.0);
        auto g = std::move(f);
        BOOST_CHECK(!f.is_empty() && !g.is_empty());
        BOOST_CHECK_EQUAL(r.get(), f.slot_at());
        BOOST_CHECK(!g.slot_at()->has_cotangent);
        contribute(g.share(), 3.0);
        contribute(r, 4.0);
        auto h = std::move(f);
        contribute(h.share(), 5.0);
    }
    BOOST_CHECK_CLOSE(b.total(), 14 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_moves_into_a_formula_that_pulls_for_it, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto r = f.share();
        {
            auto g = std::move(f) * 2.0;
            if constexpr (counts<M>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 1u);
            contribute(g.share());
        }
        BOOST_CHECK_CLOSE(b.total(), 2 * d, 1e-12);
        BOOST_CHECK(!f.slot_at()->has_cotangent);
        contribute(r, 5.0);
    }
    BOOST_CHECK_CLOSE(b.total(), 7 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_assignment_leaves_and_enters, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = b.x() * 2.0;
        auto g = b.x() * 3.0;
        contribute(f.share());
        f = g;  // paid; then it has what g has, and not what came to g
        BOOST_CHECK_EQUAL(b.total(), 2.0);
        BOOST_CHECK_EQUAL(f.slot_at()->value, 3 * x0);
        BOOST_CHECK(!f.slot_at()->has_cotangent);
        contribute(f.share());
        auto& itself = f;
        f = itself;
        BOOST_CHECK_EQUAL(b.total(), 5.0);
        BOOST_CHECK_EQUAL(f.slot_at()->value, 3 * x0);
        f = b.x() * 5.0;
        contribute(f.share());
        contribute(g.share());
        std::swap(f, g);
        BOOST_CHECK_EQUAL(b.total(), 13.0);
        BOOST_CHECK_EQUAL(f.slot_at()->value, 3 * x0);
        BOOST_CHECK_EQUAL(g.slot_at()->value, 5 * x0);
        contribute(g.share());
    }
    BOOST_CHECK_EQUAL(b.total(), 18.0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_in_containers, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        std::vector v{f};
        for (int i = 0; i < 9; ++i) {
            contribute(v.back().share());  // settled by every reallocation, in the old place
            v.push_back(v.front());
        }
        std::array a{v[3], v[4]};
        auto [g, h] = std::tuple(a[0], std::move(v[5]));
        std::optional o = g;
        o = h;
        contribute(o->share());
        contribute(a[1].share());
        contribute(g.share());
        v.erase(v.begin(), v.begin() + 4);
        v.clear();
        BOOST_CHECK_CLOSE(b.total(), 9 * d, 1e-12);
    }
    BOOST_CHECK_CLOSE(b.total(), 12 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_that_throws_was_never_made, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto n = fuse(f);
        auto const before = n;
        test::fuse_op::blown = true;
        try {
            auto g = f * 2.0;
            auto h = g * f;
            auto k = fuse(std::move(h)) * g;
            (void)k;
            BOOST_ERROR("nothing was thrown");
        } catch (std::runtime_error const&) {
        }
        BOOST_CHECK_THROW(n = fuse(f), std::runtime_error);
        test::fuse_op::blown = false;
        if constexpr (counts<M>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 2u);
        BOOST_CHECK(!f.slot_at()->has_cotangent);
        BOOST_CHECK_EQUAL(n.slot_at()->value, before.slot_at()->value);
        contribute(n.share());
    }
    BOOST_CHECK_CLOSE(b.total(), d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_beside_variables, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        {
            variable v = f;
            BOOST_CHECK_EQUAL(b.c.live, 1u);
            if constexpr (counts<M>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 1u);
            auto g = v * f;
            static_assert(std::is_base_of_v<eager_storage<typename decltype(g)::node_type>, decltype(g)>);
            auto h = g;
            v = v * 2.0;
            BOOST_CHECK_EQUAL(b.c.live, 2u);
            contribute(h.share());
            contribute(v.share());
        }
        BOOST_CHECK_EQUAL(b.c.live, 0u);
        if constexpr (counts<M>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 0u);
        BOOST_CHECK_CLOSE(f.slot_at()->cotangent, 2 * std::sin(x0) + 2, 1e-12);
    }
    BOOST_CHECK_CLOSE(b.total(), (2 * std::sin(x0) + 2) * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(eager_around_reductions_waits_with_them, M, stack_modes) {
    bench<rank_c<1>, M> b;
    {
        auto s = sum(sin(b.x()));
        auto e = s * 2.0;  // s has a name, so its value is known
        static_assert(std::is_base_of_v<eager_storage<typename decltype(e)::node_type>, decltype(e)>);
        auto w = sum(sin(b.x())) * e;
        static_assert(std::is_base_of_v<stack_storage<typename decltype(w)::node_type>, decltype(w)>);
        BOOST_CHECK(w.is_fresh());
        contribute(w.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 12 * std::sin(x0) * d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}
