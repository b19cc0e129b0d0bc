#include <tutti/lazy/context.h>
#include <tutti/lazy/file_calls.h>

#include <string>

namespace tutti::detail {

void refuse_compiling(const char* function, Location where) {
  if (!RankContext::current().compiling()) return;
  throw UsageError(std::string(function) +
                       ": files are read and written when a function is traced, not when it runs; "
                       "call it outside of what is being compiled, and pass the tensors",
                   where);
}

}  // namespace tutti::detail
