#include "tools/launch/trace_of_ranks.h"

#include <tutti/ir/support/error.h>
#include <tutti/runtime/profile/trace_file.h>

#include <filesystem>

namespace tutti::tools {

TraceOfRanks::TraceOfRanks(LaunchOptions& options)
    : ranks_(static_cast<std::int64_t>(options.ranks)) {
  if (options.profile.empty()) options.profile = runtime::profile_file();
  if (options.profile.empty()) return;
  options.profile = std::filesystem::absolute(options.profile).string();
  file_ = options.profile;
  runtime::check_trace_file(file_);
  if (ranks_ > 1) runtime::remove_parts_of_trace(file_, ranks_);
}

std::string TraceOfRanks::merge() const {
  if (file_.empty() || ranks_ == 1) return {};  // a rank by itself writes the file
  const std::string prefix = "tutti launch: ";
  try {
    const runtime::MergedTrace merged = runtime::merge_traces(file_, ranks_);
    std::string text;
    for (const std::string& part : merged.unsound) {
      text += prefix + part + " is no whole trace; it is left as it is\n";
    }
    if (merged.ranks.empty()) return text + prefix + "no rank wrote a trace to " + file_ + "\n";
    if (std::ssize(merged.ranks) == ranks_) return text;
    return text + prefix + file_ + " holds the traces of " + std::to_string(merged.ranks.size()) +
           " of " + std::to_string(ranks_) + " ranks; the others ended without writing theirs\n";
  } catch (const EnvironmentError& error) {
    return prefix + error.what() + "; the ranks' parts are still there\n";
  }
}

}  // namespace tutti::tools
