// Several files of a layer are compiled as one (TUTTI_UNITY), whichever they are: what stands in an
// anonymous namespace of one must not stand in the same place of another. A name that is declared
// twice does not compile; one that is overloaded by a stranger does, which is worse.

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace {

namespace fs = std::filesystem;

// The name that a line without indentation declares; clang-format puts one on each.
std::optional<std::string> declared(const std::string& line) {
  static const std::regex type(
      "(?:enum class|class|struct|union|enum) (?:alignas\\(\\w+\\) )?(\\w+).*");
  static const std::regex other("(?:[\\w:&*,\\[\\]]+ [&*]?)+(\\w+)(?:\\(|\\[| =|\\{|;).*");
  static const std::regex arguments("<[^<>()]*>");
  if (line.empty() || !(std::isalpha(line[0]) != 0 || line[0] == '[' || line[0] == '_')) return {};
  for (const char* const start : {"using ", "template", "namespace ", "static_assert", "public"}) {
    if (line.starts_with(start)) return {};
  }
  std::smatch found;
  if (std::regex_match(line, found, type)) return found[1];
  std::string plain = line;
  while (std::regex_search(plain, arguments)) plain = std::regex_replace(plain, arguments, "");
  if (std::regex_match(plain, found, other)) return found[1];
  return {};
}

// The names, with their namespace, that the anonymous namespaces of a text declare.
std::set<std::string> hidden_names(std::istream& text) {
  static const std::regex opens("namespace ([\\w:]*) ?\\{.*");
  std::set<std::string> out;
  std::vector<std::string> around;  // "" for an anonymous one
  bool quoted = false;              // in a raw string
  for (std::string line; std::getline(text, line);) {
    const bool was_quoted = quoted;
    if (const std::size_t raw = line.rfind("R\"("); raw != line.npos) quoted = true;
    if (const std::size_t end = line.rfind(")\""); quoted && end != line.npos) {
      quoted = line.rfind("R\"(") != line.npos && line.rfind("R\"(") > end;
    }
    if (was_quoted) continue;
    std::smatch found;
    if (std::regex_match(line, found, opens)) {
      around.push_back(found[1]);
    } else if (line.starts_with("}  // namespace") && !around.empty()) {
      around.pop_back();
    } else if (std::ranges::find(around, "") != around.end()) {
      if (const auto name = declared(line)) {
        std::string whole;
        for (const std::string& space : around) whole += space.empty() ? "" : space + "::";
        out.insert(whole + *name);
      }
    }
  }
  return out;
}

TEST(UniqueNames, HelpersOfALayerDifferFromEachOther) {
  std::ostringstream complaints;
  for (const char* const layer :
       {"ir", "kernels", "runtime", "codegen", "lazy", "tools", "tests/support"}) {
    std::map<std::string, std::string> files;  // by name: where it stands
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TUTTI_SOURCE_DIR) / layer)) {
      if (entry.path().extension() != ".cpp") continue;
      std::ifstream text(entry.path());
      const std::string file = fs::relative(entry.path(), TUTTI_SOURCE_DIR).generic_string();
      for (const std::string& name : hidden_names(text)) {
        const auto [known, is_new] = files.emplace(name, file);
        if (!is_new)
          complaints << name << " stands in " << known->second << " and " << file << "\n";
      }
    }
  }
  EXPECT_EQ(complaints.str(), "") << "give one of them another name, or both a common place";
}

// The checker, checked.
TEST(UniqueNames, AreReadFromDeclarations) {
  std::istringstream text(R"(namespace a::b {
int shown();
namespace {
constexpr int kMost = 3;
const std::map<int, std::string> kNames = {
    {1, "one"},
};
std::vector<int> list_of(int a) { return {a}; }
[[noreturn]] void refuse(const X& x);
template <class T>
T* Maker<T>::find(int a) {
  int inner(3);
}
struct Box {
  int side;
};
using List = std::vector<int>;
}  // namespace
void seen() {}
}  // namespace a::b
)");
  EXPECT_THAT(hidden_names(text),
              testing::UnorderedElementsAre("a::b::kMost", "a::b::kNames", "a::b::list_of",
                                            "a::b::refuse", "a::b::Box"));
}

}  // namespace
