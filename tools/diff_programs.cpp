#include "tools/diff_programs.h"

#include <tutti/ir/debug/difference.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>

#include <map>
#include <string_view>

#include "tools/read_program.h"

namespace tutti::tools {

namespace {

bool diff_functions(const ir::Graph& a, const ir::Graph& b, std::ostream& out) {
  const std::string title = "@" + a.name + ": ";
  const std::optional<ir::Difference> difference = ir::difference(a, b);
  if (!difference) {
    const std::string names = ir::difference_in_names(a, b);
    out << title << "equal"
        << (names.empty() ? "" : " but for names, lines and numbers of kernels: " + names) << "\n";
    return true;
  }
  out << title << difference->first << "\n";
  if (difference->consequences != 0) {
    out << "  " << ir::counted(difference->consequences, "other node")
        << (difference->consequences == 1 ? " differs" : " differ") << " only because of "
        << (difference->more == 0 ? "this" : "such differences") << "\n";
  }
  if (difference->more != 0) {
    out << "  " << ir::counted(difference->more, "more node")
        << (difference->more == 1 ? " differs" : " differ") << " by "
        << (difference->more == 1 ? "itself" : "themselves") << "\n";
  }
  return false;
}

}  // namespace

bool diff_programs(const std::filesystem::path& a, const std::filesystem::path& b,
                   const std::string& function, std::ostream& out) {
  if (a == "-" && b == "-") throw UsageError("tutti diff: only one program is standard input");
  const ir::Module in_a = read_program(a);
  const ir::Module in_b = read_program(b);
  if (!function.empty()) {
    return diff_functions(find_function(in_a, function, a), find_function(in_b, function, b), out);
  }
  if (in_a.functions.size() == 1 && in_b.functions.size() == 1) {
    return diff_functions(in_a.functions[0], in_b.functions[0], out);
  }
  std::map<std::string_view, const ir::Graph*> rest;  // of b
  for (const ir::Graph& each : in_b.functions) rest.emplace(each.name, &each);
  bool equal = true;
  for (const ir::Graph& each : in_a.functions) {
    const auto found = rest.find(each.name);
    if (found == rest.end()) {
      out << "@" << each.name << ": B has no such function\n";
      equal = false;
      continue;
    }
    equal = diff_functions(each, *found->second, out) && equal;
    rest.erase(found);
  }
  for (const ir::Graph& each : in_b.functions) {
    if (!rest.contains(each.name)) continue;
    out << "@" << each.name << ": A has no such function\n";
    equal = false;
  }
  return equal;
}

}  // namespace tutti::tools
