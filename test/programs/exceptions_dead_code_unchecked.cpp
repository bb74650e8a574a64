// The same programs where scoped functions are believed, and do not count.
#define XGRAD_UNCHECKED_SCOPES
#include "exceptions_dead_code.cpp"
