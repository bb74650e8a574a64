// The memory of the engine: what is given back is used again, in blocks of its size and alignment; and under the address sanitizer nobody else reads it.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

#if defined(XGRAD_DETAIL_ADDRESS_SANITIZER)
extern "C" int __asan_address_is_poisoned(void const volatile*);
#else
#    define __asan_address_is_poisoned(p) expected_where_nothing_watches
#endif

BOOST_AUTO_TEST_CASE(a_block_that_was_given_back_is_taken_again) {
    xgrad::arena memory;
    BOOST_TEST(memory.is_clear());
    BOOST_TEST(memory.capacity() == 0u);
    for (std::size_t const bytes : {0, 1, 16, 17, 256, 257, 1000, 5000, 100000}) {
        void* const first = memory.take(bytes);
        void* const second = memory.take(bytes);
        BOOST_TEST(first != second);
        memory.give(first, bytes);
        BOOST_TEST(memory.take(bytes) == first);
        memory.give(second, bytes);
        memory.give(first, bytes);
    }
    auto const capacity = memory.capacity();
    memory.reset();
    BOOST_TEST(memory.is_clear());
    memory.take(5000);
    BOOST_TEST(!memory.is_clear());
    BOOST_TEST(memory.capacity() == capacity);
    memory.reset();
    BOOST_TEST(memory.is_clear());
}
BOOST_AUTO_TEST_CASE(a_block_of_its_own_size_takes_no_more) {
    xgrad::arena memory;
    memory.take(16000);
    std::size_t const before = memory.capacity(), size = 9'000'000;
    void* const first = memory.take_exact(size);
    BOOST_TEST(memory.capacity() - before <= size + 64);
    void* const second = memory.take_exact(size + 640);
    BOOST_TEST(memory.capacity() - before <= 2 * size + 40000);
    memory.give_exact(first, size);
    BOOST_TEST(memory.take_exact(size + 320) != first);
    BOOST_TEST(memory.take_exact(size) == first);
    // the last goes back to where it came from
    memory.give_exact(second, size + 640);
    memory.reset();
    auto const place = memory.here();
    void* const third = memory.take_exact(100);
    memory.take_exact(100);
    memory.give_exact(third, 100);
    memory.return_to(place);
    BOOST_TEST(memory.take_exact(200) == third);  // what was given back behind the place is forgotten
    memory.reset();
    BOOST_TEST(memory.is_clear());
}
BOOST_AUTO_TEST_CASE(blocks_are_aligned_and_apart) {
    xgrad::arena memory;
    struct block {
        unsigned char* begin;
        std::size_t size;
    };
    std::vector<block> taken;
    for (std::size_t bytes = 1; bytes < 40000; bytes = bytes * 3 / 2 + 1) {
        auto* const p = static_cast<unsigned char*>(memory.take(bytes));
        BOOST_TEST(reinterpret_cast<std::uintptr_t>(p) % (bytes > 256 ? 64 : 16) == 0u);
        for (std::size_t i = 0; i < bytes; ++i) p[i] = static_cast<unsigned char>(taken.size());
        taken.push_back({p, bytes});
    }
    for (std::size_t k = 0; k < taken.size(); ++k)
        for (std::size_t i = 0; i < taken[k].size; ++i) BOOST_REQUIRE(taken[k].begin[i] == static_cast<unsigned char>(k));
}

BOOST_AUTO_TEST_CASE(what_nobody_has_taken_is_not_to_be_read) {
    [[maybe_unused]] bool expected_where_nothing_watches = false;
    xgrad::arena memory;
    auto const is_forbidden = [&](bool expected, [[maybe_unused]] void const* p) {
        expected_where_nothing_watches = expected;
        return bool(__asan_address_is_poisoned(p));
    };
    for (std::size_t const bytes : {std::size_t{24}, std::size_t{3000}}) {
        auto* const p = static_cast<std::byte*>(memory.take(bytes));
        auto* const q = static_cast<std::byte*>(memory.take(bytes));  // so that p is not the last one
        for (std::size_t const i : {std::size_t{0}, bytes - 1}) {
            BOOST_TEST(!is_forbidden(false, p + i));
            memory.give(p, bytes);
            BOOST_TEST(is_forbidden(true, p + i));
            BOOST_TEST(memory.take(bytes) == p);
            BOOST_TEST(!is_forbidden(false, p + i));
            memory.give(q, bytes);
            BOOST_TEST(is_forbidden(true, q + i));
            BOOST_TEST(memory.take(bytes) == q);
        }
        memory.reset();
        BOOST_TEST(is_forbidden(true, p));
        BOOST_TEST(is_forbidden(true, q));
    }
    // the values of a name, when the call is over: its memory stays with the prepared gradient
    xt::xtensor<double, 1> const x{1.0, 2.0, 3.0};
    double const* values = nullptr;
    auto g = xgrad::prepare_gradient([&](auto const& a) { xgrad::variable y = exp(a); values = xgrad::primal(y).data(); return sum(y * y); }, x);
    g(x);
    BOOST_TEST(is_forbidden(true, values));
    BOOST_TEST(is_forbidden(true, values + 2));
    g(x);
    BOOST_TEST(g(x).value > 0.0);
}
