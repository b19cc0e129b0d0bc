// error: .*discards qualifiers|no viable overloaded '='
#include <tutti/tutti.h>

using namespace tutti;

void set_first(AsyncTensor& x, const AsyncTensor& y) { reshape(x, {4}) = y; }
