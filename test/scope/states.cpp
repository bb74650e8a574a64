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
//   *  scalars of scoped functions only. A name of theirs that is owed something stays where it is when it is moved, and the new
//      formula is an alias.
//   ** in a scoped function: the end of the program (test/programs/broken_promises.cpp). Unchecked, nothing is counted.
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

using namespace xgrad;

namespace test {
// x, but it throws when told to.
struct fuse_op {
    static constexpr char const* name = "fuse(x)";
    static constexpr bool may_throw = true;
    static inline bool blown = false;
    template <class T>
    T operator()(T const& x) const {
        if (blown) throw std::runtime_error("blown");
        return x;
    }
};
}
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
    in<double, R, M> x() { return in<double, R, M>(&argument); }
    bool pulled() const { return argument.has; }
    double total() const {
        if constexpr (is_array) return argument.has ? cotangent[2] : 0.0;
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

using ranks = std::tuple<rank_c<0>, rank_c<1>>;
using stack_modes = std::tuple<scoped, unchecked>;
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
    BOOST_CHECK(!r.get()->has && !r.get()->left);
    BOOST_CHECK_EQUAL(r.get()->owner, &b.c);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(fresh_is_held_without_a_debt, R, ranks) {
    bench<R> b;
    {
        auto f = sin(b.x());
        f.hold();
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
    BOOST_CHECK_THROW(f.hold(), std::runtime_error);
    BOOST_CHECK_THROW((void)f.share(), std::runtime_error);
    BOOST_CHECK_THROW((void)decltype(f)(std::as_const(f)), std::runtime_error);
    BOOST_CHECK(f.is_fresh());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
    test::fuse_op::blown = false;
    contribute(f.share());
    BOOST_CHECK_EQUAL(b.c.live, 1u);
    BOOST_CHECK(f.slot_at()->has);
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
        g.hold();
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
    BOOST_CHECK(r.get()->left);
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
    BOOST_CHECK(r.get()->left);
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
        BOOST_CHECK(g.slot_at()->left);
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
    BOOST_CHECK_THROW(f.hold(), std::logic_error);
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
        BOOST_CHECK(old->left);
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
    auto g = std::make_unique<decltype(*f * 2.0)>(*f * 2.0);
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
        auto used = f * 2.0;
        auto dead = f * 3.0;
        auto deader = dead * dead;
        deader.hold();
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
        BOOST_CHECK(!s->has);
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
            auto g = f * 2.0;
            auto h = g * f;
            auto r = h.share();
            test::fuse_op::blown = true;
            auto k = fuse(h) * g;
            BOOST_CHECK_EQUAL(f.slot_at()->owed, 2u);
            k.hold();
            BOOST_ERROR("nothing was thrown");
        } catch (std::runtime_error const&) {
        }
        test::fuse_op::blown = false;
        BOOST_CHECK_EQUAL(f.slot_at()->owed, 0u);
        BOOST_CHECK(!f.slot_at()->has);
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
        BOOST_CHECK(s->left);
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

// ---- scalars of scoped functions: the slot is in the formula

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_fresh_is_dropped_and_moved, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        static_assert(std::is_same_v<typename decltype(f)::slot_type, stack_slot<double, M>>);
        BOOST_CHECK(f.is_fresh());
        auto g = std::move(f);
        BOOST_CHECK(g.is_fresh() && f.is_empty());
    }
    BOOST_CHECK(!b.pulled());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_held_value_moves_and_is_dead, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        BOOST_CHECK(f < 2.0);
        BOOST_CHECK(!f.is_fresh());
        auto g = std::move(f);
        BOOST_CHECK(f.is_empty() && !g.is_fresh());
        BOOST_CHECK_EQUAL(g.slot_at()->value, std::sin(x0));
        BOOST_CHECK(g.slot_at() != f.slot_at());
    }
    BOOST_CHECK(!b.pulled());
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_name_is_paid_at_its_brace, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        contribute(f.share(), 2.0);
        auto r = f.share();
        BOOST_CHECK_EQUAL(r.get(), f.slot_at());
        if constexpr (std::is_same_v<M, scoped>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 1u);
        contribute(r, 3.0);
        BOOST_CHECK(!b.pulled());
    }
    BOOST_CHECK_CLOSE(b.total(), 5 * d, 1e-12);
    BOOST_CHECK_EQUAL(b.c.live, 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_name_is_dead, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto g = f * 2.0;
        auto h = g;
        BOOST_CHECK(h < 2.0);
    }
    BOOST_CHECK(!b.pulled());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_name_stays_where_it_is_while_it_is_owed, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto r = f.share();
        auto g = std::move(f);
        BOOST_CHECK_EQUAL(g.slot_at(), f.slot_at());
        if constexpr (std::is_same_v<M, scoped>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 2u);
        auto h = std::move(g);
        BOOST_CHECK(g.is_empty());
        BOOST_CHECK_EQUAL(h.slot_at(), f.slot_at());
        contribute(h.share());
        contribute(r);
    }
    BOOST_CHECK_CLOSE(b.total(), 2 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE(on_the_stack_a_name_that_is_owed_nothing_moves_with_its_contributions) {
    bench<rank_c<0>, scoped> b;
    {
        auto f = sin(b.x());
        contribute(f.share(), 2.0);
        auto g = std::move(f);
        BOOST_CHECK(f.is_empty());
        contribute(g.share(), 3.0);
    }
    BOOST_CHECK_CLOSE(b.total(), 5 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_a_copy_is_an_alias, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto g = f;
        auto h = g;
        auto k = std::move(h);
        BOOST_CHECK(h.is_empty());
        BOOST_CHECK_EQUAL(k.slot_at(), f.slot_at());
        if constexpr (std::is_same_v<M, scoped>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 2u);
        contribute(g.share());
        contribute(k.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 2 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_assignment_leaves_and_enters, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        contribute(f.share());
        f = sin(b.x());  // the name is paid
        BOOST_CHECK(f.is_fresh());
        BOOST_CHECK_EQUAL(b.total(), d);
        auto g = sin(b.x());
        {
            auto h = g;
            h = f;  // an alias leaves, another enters
            BOOST_CHECK_EQUAL(h.slot_at(), f.slot_at());
            if constexpr (std::is_same_v<M, scoped>) BOOST_CHECK_EQUAL(g.slot_at()->owed, 0u);
            contribute(h.share());
            h = sin(b.x());
            BOOST_CHECK(h.is_fresh());
        }
        auto e = std::move(g);
        g = sin(b.x());
        contribute(g.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 3 * d, 1e-12);
}

BOOST_AUTO_TEST_CASE(on_the_stack_empty_refuses) {
    bench<rank_c<0>, scoped> b;
    auto f = sin(b.x());
    auto g = std::move(f);
    BOOST_CHECK_THROW((void)f.share(), std::logic_error);
    BOOST_CHECK_THROW(f.hold(), std::logic_error);
    BOOST_CHECK_THROW((void)decltype(f)(std::as_const(f)), std::logic_error);
    BOOST_CHECK_THROW((void)(f * 2.0), std::logic_error);
    BOOST_CHECK_THROW((void)(std::move(f) * 2.0), std::logic_error);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_unwinding_pays_with_nothing, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        test::fuse_op::blown = true;
        try {
            auto g = f * 2.0;
            auto h = g * f;
            auto k = fuse(h) * g;
            k.hold();
            BOOST_ERROR("nothing was thrown");
        } catch (std::runtime_error const&) {
        }
        auto e = fuse(b.x());
        BOOST_CHECK_THROW(e.hold(), std::runtime_error);
        BOOST_CHECK(e.is_fresh());
        test::fuse_op::blown = false;
        e.hold();
        if constexpr (std::is_same_v<M, scoped>) BOOST_CHECK_EQUAL(f.slot_at()->owed, 0u);
        BOOST_CHECK(!f.slot_at()->has);
        contribute(f.share());
    }
    BOOST_CHECK_CLOSE(b.total(), d, 1e-12);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(on_the_stack_the_braces_are_the_reverse_pass, M, stack_modes) {
    bench<rank_c<0>, M> b;
    {
        auto f = sin(b.x());
        auto g = f * 2.0;
        auto h = g * f;
        contribute(h.share());
    }
    BOOST_CHECK_CLOSE(b.total(), 4 * std::sin(x0) * d, 1e-12);
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
