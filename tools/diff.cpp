#include "tools/diff.h"

#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify_spmd.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/rank_programs.h"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

// Functions that the ranks run at the same time, and how messages call them.
struct Comparison {
  std::string title;
  std::vector<ir::RankProgram> programs;  // [rank]
};

std::set<std::string_view> names_of(const ir::Module& module) {
  std::set<std::string_view> out;
  for (const ir::Graph& function : module.functions) out.insert(function.name);
  return out;
}

Comparison whole_programs(const Modules& modules) {
  Comparison out;
  for (const ir::Module& module : modules) {
    ir::RankProgram& program = out.programs.emplace_back();
    for (const ir::Graph& function : module.functions) program.push_back(&function);
  }
  return out;
}

// Function by function of rank 0, with those of the same name, or else in the same place.
std::vector<Comparison> function_by_function(const std::vector<RankSource>& ranks,
                                             const Modules& modules) {
  const std::vector<ir::Graph>& first = modules[0].functions;
  bool same_names = true;
  for (std::size_t rank = 1; rank < modules.size(); ++rank) {
    const std::size_t count = modules[rank].functions.size();
    if (count != first.size()) {
      throw EnvironmentError(ranks[0].path.string() + " has " + std::to_string(first.size()) +
                             (first.size() == 1 ? " function" : " functions") + ", but " +
                             ranks[rank].path.string() + " has " + std::to_string(count));
    }
    same_names = same_names && names_of(modules[rank]) == names_of(modules[0]);
  }
  std::vector<Comparison> out;
  for (std::size_t i = 0; i < first.size(); ++i) {
    Comparison& comparison = out.emplace_back();
    if (first.size() > 1) {
      comparison.title = same_names ? "@" + first[i].name : "function " + std::to_string(i + 1);
    }
    for (const ir::Module& module : modules) {
      const auto found = same_names
                             ? std::ranges::find(module.functions, first[i].name, &ir::Graph::name)
                             : module.functions.begin() + static_cast<std::ptrdiff_t>(i);
      comparison.programs.push_back({&*found});
    }
  }
  return out;
}

}  // namespace

bool diff_ranks(const fs::path& folder, std::ostream& out) {
  const std::vector<RankSource> ranks = find_ranks(folder);
  const Modules modules = read_all(ranks);
  const bool whole = std::ranges::any_of(ranks, &RankSource::is_folder);
  const std::vector<Comparison> comparisons =
      whole ? std::vector{whole_programs(modules)} : function_by_function(ranks, modules);
  bool agree = true;
  for (const auto& [title, programs] : comparisons) {
    const std::string prefix = title.empty() ? "" : title + ": ";
    const ir::SpmdReport report = ir::verify_spmd(programs);
    for (const std::string& finding : report.findings) out << prefix << finding << "\n";
    agree = agree && report.findings.empty();
    if (!report.findings.empty()) continue;
    out << prefix << ir::counted(ranks.size(), "rank")
        << (ranks.size() == 1 ? " agrees: " : " agree: ")
        << ir::counted(report.collectives, "collective") << " in "
        << ir::counted(report.groups, "group") << ", " << ir::counted(report.messages, "message")
        << "\n";
  }
  return agree;
}

}  // namespace tutti::tools
