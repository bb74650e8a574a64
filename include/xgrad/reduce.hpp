// Includes the reductions of active values, and reduce_with for those of one's own.
#pragma once

#include <xgrad/average.hpp>
#include <xgrad/reduce_with.hpp>
#include <xgrad/reductions.hpp>
