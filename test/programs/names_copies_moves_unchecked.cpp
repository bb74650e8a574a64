// options: -O2 -UXGRAD_DETAIL_PLAIN_INLINE
// The same programs where scoped functions are believed, and do not count.
#define XGRAD_UNCHECKED_SCOPES
#include "names_copies_moves.cpp"
