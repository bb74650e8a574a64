// options: -O0
// The same in the registers that every processor of the family has.
#include "turned_rows.cpp"
