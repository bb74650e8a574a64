// options: -O0
// Small arrays of fixed shape on the stack where the author's promise is believed.
#define XGRAD_UNCHECKED_SCOPES
#include "fixed_arrays_on_the_stack.cpp"
