// The whole of xgrad but linear algebra, and but special.hpp and distributions.hpp, which include Boost.Math.
#pragma once

#include <xgrad/rule/inline.hpp>

// Where an error is, the compiler shows by way of which headers; so those that refuse things stand here, next to the user's program, and before those that
// include them.
#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/slot_view.hpp>
#include <xgrad/scope/node/formula.hpp>
#include <xgrad/scope/node/element_access.hpp>
#include <xgrad/scope/call/variable.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/scope/call/call.hpp>
#include <xgrad/scope/call/check_call.hpp>

#include <xgrad/active_call.hpp>
#include <xgrad/array_operation.hpp>
#include <xgrad/assign.hpp>
#include <xgrad/call.hpp>
#include <xgrad/check_types.hpp>
#include <xgrad/choice.hpp>
#include <xgrad/compare.hpp>
#include <xgrad/complex.hpp>
#include <xgrad/cumulative.hpp>
#include <xgrad/custom_gradient.hpp>
#include <xgrad/eval.hpp>
#include <xgrad/finite.hpp>
#include <xgrad/frozen.hpp>
#include <xgrad/flatten.hpp>
#include <xgrad/gradient.hpp>
#include <xgrad/hook.hpp>
#include <xgrad/index.hpp>
#include <xgrad/hessian.hpp>
#include <xgrad/interp.hpp>
#include <xgrad/jacobian.hpp>
#include <xgrad/jvp.hpp>
#include <xgrad/order.hpp>
#include <xgrad/output.hpp>
#include <xgrad/plain_arrays.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/refused_linalg.hpp>
#include <xgrad/refused_xtensor.hpp>
#include <xgrad/sequence.hpp>
#include <xgrad/shape.hpp>
#include <xgrad/stop_gradient.hpp>
#include <xgrad/tangent/accumulate.hpp>
#include <xgrad/tangent/add_to_primal.hpp>
#include <xgrad/tangent/difference.hpp>
#include <xgrad/tangent/fdata.hpp>
#include <xgrad/tangent/pairing.hpp>
#include <xgrad/tangent/rdata.hpp>
#include <xgrad/tangent/reflect.hpp>
#include <xgrad/tangent/scale.hpp>
#include <xgrad/tangent/set_to_zero.hpp>
#include <xgrad/tangent/zero_tangent.hpp>
#include <xgrad/variables.hpp>
#include <xgrad/view.hpp>
#include <xgrad/vjp.hpp>
#include <xgrad/with_aux.hpp>
