#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools::show {

struct PageOptions {
  std::string file;   // as the page names it
  std::string stage;  // that it begins with
  std::int64_t rank = 0;
  std::vector<std::string> disabled = {};  // passes to leave out
};

// A page of HTML about functions, complete in itself: all stages, what each pass changed, kernels,
// plan and memory. What is shown comes as JSON in the page (page_data.h), how as the files of the
// folder page/, which the build embeds.
std::string page_text(std::span<const ir::Graph* const> functions, const PageOptions& options);

}  // namespace tutti::tools::show
