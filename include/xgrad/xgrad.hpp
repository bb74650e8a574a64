// The whole of xgrad but linear algebra.
#pragma once

#include <xgrad/assign.hpp>
#include <xgrad/call.hpp>
#include <xgrad/check_tangent.hpp>
#include <xgrad/check_types.hpp>
#include <xgrad/compare.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/gradient.hpp>
#include <xgrad/jvp.hpp>
#include <xgrad/reduce.hpp>
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
#include <xgrad/view.hpp>
