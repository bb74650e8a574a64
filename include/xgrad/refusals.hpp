// Includes the headers that refuse mistakes, for the headers that programs include to begin with: where an error is, a compiler shows by way of which headers.
#pragma once

#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/slot_view.hpp>
#include <xgrad/truth_array.hpp>
#include <xgrad/scope/node/formula.hpp>
#include <xgrad/scope/node/element_access.hpp>
#include <xgrad/scope/call/variable.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/scope/call/call.hpp>
#include <xgrad/scope/call/check_call.hpp>
