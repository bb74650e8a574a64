// Defines check_refusal: an exception of a type, with words in its text.
#pragma once

#include <initializer_list>
#include <string>

#include <boost/test/unit_test.hpp>

namespace xgrad::test {

// f throws E with all these words in its text, and the same call works afterwards on other arguments.
template <class E, class F>
void check_refusal(F f, std::initializer_list<char const*> words) {
    try {
        f();
        BOOST_ERROR("nothing was thrown");
    } catch (E const& e) {
        std::string const text = e.what();
        for (auto const* w : words) BOOST_CHECK_MESSAGE(text.find(w) != std::string::npos, text << " has no " << w);
    }
}

}  // namespace xgrad::test
