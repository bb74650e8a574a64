// options: -DXGRAD_UNCHECKED_SCOPES
// Small arrays of fixed shape on the stack where the author's promise is believed.
#include "fixed_arrays_on_the_stack.cpp"
