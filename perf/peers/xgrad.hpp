// Defines the programs' gradients by xgrad: each a call that gives the value, and the gradient where it is asked for.
#pragma once

#include <functional>
#include <vector>

#include <perf/peers/programs.hpp>

namespace peers {

using gradient_call = std::function<double(std::vector<double>*)>;

mixture make_mixture(char const* name, std::size_t k, std::size_t d);

gradient_call by_xgrad(residual const&);
gradient_call by_xgrad(chain const&);
gradient_call by_xgrad(mixture const&);
gradient_call by_xgrad(perceptron const&);

}  // namespace peers
