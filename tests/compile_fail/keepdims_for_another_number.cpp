// error: conver(t|sion).*bool.*NormOrder
#include <tutti/tutti.h>

tutti::Tensor lengths(const tutti::Tensor& x) { return tutti::norm(x, {1}, true); }
