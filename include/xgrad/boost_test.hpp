// Defines XGRAD_CHECK_RULE(f, x...) and XGRAD_CHECK_REPORT(report): checks of Boost.Test, which is to be included first, in whichever of its variants.
#pragma once

#include <xgrad/check_rule.hpp>

// BOOST_CHECK of any report of xgrad (check_rule, check_tangent), with its text.
#define XGRAD_CHECK_REPORT(...)                                                  \
    do {                                                                         \
        auto const xgrad_report = __VA_ARGS__;                                   \
        BOOST_CHECK_MESSAGE(static_cast<bool>(xgrad_report), xgrad_report.text()); \
    } while (false)

// The same of check_rule(f, x...), which may begin with rule_options.
#define XGRAD_CHECK_RULE(...) XGRAD_CHECK_REPORT(::xgrad::check_rule(__VA_ARGS__))
