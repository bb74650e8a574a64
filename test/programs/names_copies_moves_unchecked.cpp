// options: -O2 -UXGRAD_DETAIL_PLAIN_INLINE -DXGRAD_UNCHECKED_SCOPES
// The same programs where scoped functions are believed, and do not count.
#include "names_copies_moves.cpp"
