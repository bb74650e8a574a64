// options: -DXGRAD_UNCHECKED_SCOPES
// Small arrays of fixed shape that move, on the stack, where the author's promise is believed.
#include "fixed_arrays_that_move.cpp"
