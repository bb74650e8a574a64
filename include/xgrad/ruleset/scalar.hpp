// The scalar operations and their derivatives, one `partials` line each.
#pragma once

#include <xgrad/ruleset/scalar/arithmetic.hpp>
#include <xgrad/ruleset/scalar/choice.hpp>
#include <xgrad/ruleset/scalar/comparison.hpp>
#include <xgrad/ruleset/scalar/complex.hpp>
#include <xgrad/ruleset/scalar/exponential.hpp>
#include <xgrad/ruleset/scalar/hyperbolic.hpp>
#include <xgrad/ruleset/scalar/normal.hpp>
#include <xgrad/ruleset/scalar/powers.hpp>
#include <xgrad/ruleset/scalar/rounding.hpp>
#include <xgrad/ruleset/scalar/special.hpp>
#include <xgrad/ruleset/scalar/trigonometric.hpp>
