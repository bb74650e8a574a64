// What including the whole of xgrad costs, and nothing else: the other counts begin there.
#include <xgrad/xgrad.hpp>
