// The whole of xgrad but linear algebra.
#pragma once

#include <xgrad/assign.hpp>
#include <xgrad/compare.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/gradient.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/tangent/reflect.hpp>
#include <xgrad/view.hpp>
