// Includes the functions that give an active array another shape.
// Where strides allow it the result is a part of the same memory, otherwise an operation that moves elements.
#pragma once

#include <xgrad/axes.hpp>
#include <xgrad/join.hpp>
#include <xgrad/rearrange.hpp>
#include <xgrad/reshape.hpp>
