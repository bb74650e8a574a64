// What every test pays for, precompiled once: Boost.Test's declarations, the heavy standard headers, xtensor and xgrad.
// A test that defines a macro of xgrad's does so in its options, and is compiled without this.
#pragma once
#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
