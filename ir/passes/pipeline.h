#pragma once

#include <tutti/ir/passes/passes.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::ir {

// A sequence of passes that has a name.
struct Pipeline {
  std::string_view name;
  std::string_view does;  // a sentence for --help
  std::vector<const Pass*> passes;
};

// Every pipeline; the first one, `default`, is the compiler's.
std::vector<Pipeline> all_pipelines();
std::vector<const Pass*> default_pipeline();

// The passes that words name, one after another: each word is a pass or a pipeline. Throws
// UsageError, with the nearest name, for any other.
std::vector<const Pass*> passes_named(std::span<const std::string> words);

// Throws UsageError, "there is no pass 'fusion' to disable; did you mean 'fuse'?", for a name that
// is no pass.
void check_disabled(std::span<const std::string> names);

}  // namespace tutti::ir
