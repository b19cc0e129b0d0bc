// error: no matching function
#include <tutti/tutti.h>

tutti::Tensor causal(const tutti::Tensor& x) { return tutti::attention(x, x, x, true); }
