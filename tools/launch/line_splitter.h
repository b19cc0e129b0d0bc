#pragma once

#include <tutti/runtime/function_ref.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::tools {

// Cuts a stream of bytes into lines. A line longer than a mebibyte is cut into pieces.
class LineSplitter {
 public:
  using Take = runtime::FunctionRef<void(std::string_view line)>;  // without its end

  void add(std::string_view bytes, Take take);
  // At the end of the stream: a last line may have no end.
  void finish(Take take);

 private:
  std::string start_;  // of a line whose end has not come yet
};

}  // namespace tutti::tools
