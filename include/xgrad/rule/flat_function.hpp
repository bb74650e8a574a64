// Defines flat_function: a function with its derivatives, whatever its types, on the numbers in its arguments: what the laws of rules are about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <xgrad/rule/difference_quotients.hpp>

namespace xgrad {

// How check_rule(options, f, x...) checks. Zero asks for what suits the coarsest floating-point type of the arguments and the value.
struct rule_options {
    std::uint64_t seed = 1;
    std::size_t directions = 2;      // random tangents, and cotangents
    double tolerance = 0;            // of derivatives against differences, relative
    double roundoff = 0;             // of two ways to compute the same, relative
    double first_step = 0.125;       // of the differences, relative to the numbers in the arguments; each further step is half of the one before
    std::size_t steps = 0;
    std::size_t one_by_one = 32;     // arguments of at most so many numbers are also moved one number after the other
    std::size_t (*allocations)() = nullptr;  // the heap allocations so far: given, a second call must not add to them
};

namespace detail {

class flat_function {
public:
    struct result {
        numbers y;
        numbers after;  // the arguments afterwards; empty where they cannot be changed
    };
    struct pushed {
        numbers y, ydot;
    };
    struct pulled {
        result value;
        numbers held;         // what was added to the cotangents before
        numbers xbar, again;  // of a second call of the same pullback, where there may be one
        std::string not_restored{};
    };
    struct twice {
        numbers gradient, product;
        numbers ydot{};  // where the value has a tangent on the way
    };

    numbers x;                      // where the function is checked
    std::vector<double> magnitude;  // of each number in the arguments: what a relative step is relative to
    double epsilon = std::numeric_limits<double>::epsilon();
    bool has_plain = false, has_forward = false, has_reverse = false, holds = false, has_second = false;
    std::string name = {};                 // of a variant: arguments that are one object
    std::vector<std::string> notes = {};   // what is not checked, and why
    std::vector<std::string> wrong_types = {};

    flat_function() = default;
    flat_function(flat_function const&) = delete;
    flat_function& operator=(flat_function const&) = delete;
    virtual ~flat_function() = default;

    virtual std::vector<std::string> names_of_arguments() = 0;
    virtual std::vector<std::string> names_of_value() = 0;
    virtual result value(numbers const& at) = 0;
    virtual numbers plain(numbers const&) { return {}; }
    virtual pushed forward(numbers const&, numbers const&) { return {}; }
    // Where `held` is given, the cotangents of the arguments begin with it, as far as they have an address.
    virtual pulled reverse(numbers const&, numbers const&, numbers const*) { return {}; }
    virtual twice second(numbers const&, numbers const&, numbers const&) { return {}; }
    // The heap allocations of a call when there has been one before.
    virtual std::size_t allocations(std::size_t (*)()) { return 0; }
};

}  // namespace detail

}  // namespace xgrad
