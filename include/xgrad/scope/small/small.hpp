// The room of small arrays whose shape is in their type: unrolled kernels, rules written out, whole calls on the stack. The engine meets it here
// alone, by specialisations of what it defines: leaf_base, input_slot, stack_slot, small_constant, known_shape, tree_kernels, node, nested, argument,
// variable_shape. Where XGRAD_DETAIL_WITHOUT_SMALL is defined these headers are empty, and shapes in types are not looked at: such arrays are as good as any
// others, and slower.
#pragma once

#include <xgrad/scope/small/argument.hpp>
#include <xgrad/scope/small/array.hpp>
#include <xgrad/scope/small/constant.hpp>
#include <xgrad/scope/small/kernel.hpp>
#include <xgrad/scope/small/leaf.hpp>
#include <xgrad/scope/small/nested.hpp>
#include <xgrad/scope/small/slot.hpp>
#include <xgrad/scope/small/variable.hpp>
