// The one unit that holds Boost.Test itself; the tests include its declarations only.
#define BOOST_TEST_MODULE xgrad
#include <boost/test/included/unit_test.hpp>
