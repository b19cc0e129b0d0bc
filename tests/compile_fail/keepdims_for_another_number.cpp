// error: (use of|call to) deleted function
#include <tutti/tutti.h>

tutti::Tensor lengths(const tutti::Tensor& x) { return tutti::norm(x, {1}, true); }
