// options: -DXGRAD_UNCHECKED_SCOPES
// The same programs where scoped functions are believed, and do not count.
#include "helpers.cpp"
