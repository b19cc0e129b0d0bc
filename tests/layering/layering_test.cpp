// Reads the sources as text and holds what docs and CMake promise about includes: they point to
// the same layer or down, and each third-party library has one door. Links nothing of Tutti.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

namespace {

namespace fs = std::filesystem;

using std::string;
using std::string_view;

// From the ground up. A layer may include itself and what stands before it.
const std::vector<string> kLayers = {"ir", "kernels", "runtime", "codegen", "lazy"};
const std::vector<string> kAboveLayers = {"tools", "examples", "bench", "tests"};

// An include that starts like this may only stand in files whose path starts like one of those.
struct Door {
  string include;
  std::vector<string> folders;
};
const std::vector<Door> kDoors = {
    {"llvm", {"codegen/llvm/"}},
    {"dnnl", {"kernels/host/"}},
    {"oneapi/dnnl", {"kernels/host/", "bench/"}},
    {"cuda", {"runtime/dylib/", "tests/fake_cuda/"}},
    {"nvrtc", {"runtime/dylib/", "tests/fake_cuda/"}},
    {"cublas", {"runtime/dylib/", "tests/fake_cuda/"}},
    {"nccl", {"tests/nccl_abi/"}},
    {"nvtx3/", {"runtime/profile/", "tests/fake_cuda/"}},
    {"gloo/", {"runtime/comm/"}},
    {"mpi", {"runtime/comm/"}},
    {"nlohmann/", {"runtime/files/", "tools/", "examples/", "bench/", "tests/"}},
    {"zip", {"runtime/files/"}},
    {"CLI/", {"tools/", "examples/", "bench/", "tests/"}},
    {"gtest/", {"tests/"}},
    {"gmock/", {"tests/"}},
    {"rapidcheck", {"tests/"}},
};

// Folders of the C library, the kernel and the compiler, beside plain names such as <unistd.h>.
const std::vector<string> kSystemFolders = {"sys/",  "linux/", "netinet/",
                                            "arpa/", "net/",   "sanitizer/"};

bool starts_with_any(string_view text, const std::vector<string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const string& prefix) { return text.starts_with(prefix); });
}

string layer_of(string_view path) { return string(path.substr(0, path.find('/'))); }

// 0 for the lowest; past the end for tools, tests and so on.
std::size_t height(const string& layer) {
  return std::size_t(std::find(kLayers.begin(), kLayers.end(), layer) - kLayers.begin());
}

// The text between the brackets or quotes of an include line, with the opening one kept.
std::optional<string> included(string_view line) {
  auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  for (string_view word : {"#", "include"}) {
    skip_blanks();
    if (!line.starts_with(word)) return {};
    line.remove_prefix(word.size());
  }
  skip_blanks();
  if (!line.starts_with('<') && !line.starts_with('"')) return {};
  return string(line.substr(0, line.find(line[0] == '<' ? '>' : '"', 1)));
}

// What is wrong with this include in the file at `path` (from the top of the tree); empty: nothing.
string complaint(const string& path, string include) {
  const bool quoted = include[0] == '"';
  include.erase(0, 1);

  for (const Door& door : kDoors) {
    if (include.starts_with(door.include) && !starts_with_any(path, door.folders))
      return "only " + testing::PrintToString(door.folders) + " may include it";
  }

  // Handed to a compiler at run time, which has these texts and no others.
  if (path.ends_with(".cuh")) {
    const fs::path folder = fs::path(TUTTI_SOURCE_DIR) / path;
    const bool sibling = quoted && include.find('/') == string::npos;
    return sibling && fs::exists(folder.parent_path() / include) ? ""
                                                                 : "it is no text of this folder";
  }

  const string from = layer_of(path);
  const std::size_t from_height = height(from);
  if (from_height == kLayers.size()) return "";
  if (quoted) return "write it as <tutti/...>";

  if (include == "tutti/tutti.h") return from == "lazy" ? "" : "it points up, to lazy/";
  if (include.starts_with("tutti/")) {
    const string to = layer_of(string_view(include).substr(6));
    if (height(to) == kLayers.size()) return to + "/ is no layer";
    return height(to) > from_height ? "it points up, to " + to + "/" : "";
  }

  const bool standard = include.find_first_of("/.") == string::npos;
  if (standard) return "";
  // The standard library knows no processes.
  if (include == "pthread.h" && path == "ir/support/held_over_forks.cpp") return "";
  if (from == "ir") return "ir/ includes the standard library and itself, nothing else";
  const bool system = include.find('/') == string::npos || starts_with_any(include, kSystemFolders);
  const bool has_door = std::any_of(kDoors.begin(), kDoors.end(), [&](const Door& door) {
    return include.starts_with(door.include);
  });
  return system || has_door ? "" : "a new third-party library needs its door in this test";
}

struct Source {
  string path;
  std::vector<string> lines;
};

std::vector<Source> sources_in(const string& folder) {
  const fs::path root = TUTTI_SOURCE_DIR;
  const std::vector<string> kExtensions = {".h", ".cpp", ".cuh", ".def"};
  std::vector<Source> sources;
  if (!fs::exists(root / folder)) return sources;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (!entry.is_regular_file() ||
        !starts_with_any(entry.path().extension().string(), kExtensions))
      continue;
    Source& source = sources.emplace_back();
    source.path = fs::relative(entry.path(), root).generic_string();
    std::ifstream file(entry.path());
    for (string line; std::getline(file, line);) source.lines.push_back(line);
  }
  return sources;
}

std::vector<string> all_folders() {
  std::vector<string> folders = kLayers;
  folders.insert(folders.end(), kAboveLayers.begin(), kAboveLayers.end());
  return folders;
}

TEST(Layering, IncludesPointDownAndThroughDoors) {
  std::ostringstream complaints;
  for (const string& folder : all_folders()) {
    for (const Source& source : sources_in(folder)) {
      for (std::size_t i = 0; i < source.lines.size(); ++i) {
        const auto include = included(source.lines[i]);
        if (!include) continue;
        const string wrong = complaint(source.path, *include);
        if (!wrong.empty())
          complaints << source.path << ":" << i + 1 << ": " << source.lines[i] << ": " << wrong
                     << "\n";
      }
    }
  }
  EXPECT_EQ(complaints.str(), "");
}

// Which folder includes from which: [from][to] is one include that does, "ir/graph.cpp:
// <tutti/...".
using FolderIncludes = std::map<string, std::map<string, string>>;

string folder_of(const string& path) { return path.substr(0, path.rfind('/')); }

// The folder of a file of ours that an include names; nothing for others.
std::optional<string> folder_included(string include) {
  const bool quoted = include[0] == '"';
  include.erase(0, 1);
  if (!quoted) {
    if (!include.starts_with("tutti/") || include == "tutti/tutti.h") return {};
    include.erase(0, string_view("tutti/").size());
  } else if (include.find('/') == string::npos) {
    return {};
  }
  return folder_of(include);
}

// What is left of the folders when those go that nothing left includes from, and those that include
// from nothing left: the circles, and what lies between them.
FolderIncludes circles(FolderIncludes includes) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto from = includes.begin(); from != includes.end();) {
      std::erase_if(from->second, [&](const auto& to) { return !includes.contains(to.first); });
      const bool wanted = std::any_of(includes.begin(), includes.end(), [&](const auto& other) {
        return other.second.contains(from->first);
      });
      if (wanted && !from->second.empty()) {
        ++from;
      } else {
        from = includes.erase(from);
        changed = true;
      }
    }
  }
  return includes;
}

TEST(Layering, FoldersIncludeFromEachOtherWithoutCircles) {
  FolderIncludes includes;
  std::vector<string> folders = kLayers;
  folders.push_back("tools");
  for (const string& folder : folders) {
    for (const Source& source : sources_in(folder)) {
      for (const string& line : source.lines) {
        const auto include = included(line);
        if (!include) continue;
        const auto to = folder_included(*include);
        const string from = folder_of(source.path);
        if (to && *to != from) includes[from].emplace(*to, source.path + ": " + *include);
      }
    }
  }
  EXPECT_THAT(circles(includes), testing::IsEmpty());
}

TEST(Layering, HeadersAreIncludedOnce) {
  for (const string& folder : all_folders()) {
    for (const Source& source : sources_in(folder)) {
      if (!source.path.ends_with(".h")) continue;
      EXPECT_THAT(source.lines, testing::Contains("#pragma once")) << source.path;
    }
  }
}

// The size of the project is worth a look in every run.
TEST(Layering, LinesOfCode) {
  for (const string& folder : all_folders()) {
    std::size_t files = 0, code = 0;
    for (const Source& source : sources_in(folder)) {
      ++files;
      code +=
          std::size_t(std::count_if(source.lines.begin(), source.lines.end(), [](string_view line) {
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
            return !line.empty() && !line.starts_with("//");
          }));
    }
    EXPECT_GT(code, 0U) << folder;
    std::cout << "lines of code: " << folder << " " << code << " in " << files << " files\n";
  }
}

// The checkers, checked.
TEST(LayeringRules, FindCirclesOfFolders) {
  EXPECT_EQ(folder_included("<tutti/ir/ops/family.h"), "ir/ops");
  EXPECT_EQ(folder_included("\"tools/run.h"), "tools");
  EXPECT_EQ(folder_included("<vector"), std::nullopt);
  const FolderIncludes chain = {{"a", {{"b", ""}, {"c", ""}}}, {"b", {{"c", ""}}}};
  EXPECT_THAT(circles(chain), testing::IsEmpty());
  FolderIncludes circle = chain;
  circle["c"] = {{"b", "c/x.h: <tutti/b/y.h"}};
  EXPECT_EQ(circles(circle), (FolderIncludes{{"b", {{"c", ""}}}, {"c", circle["c"]}}));
}

TEST(LayeringRules, ReadAnIncludeLine) {
  EXPECT_EQ(included("#include <tutti/ir/type.h>"), "<tutti/ir/type.h");
  EXPECT_EQ(included("  # include \"type.h\"  // why"), "\"type.h");
  EXPECT_EQ(included("// #include <vector>"), std::nullopt);
  EXPECT_EQ(included("#include TABLE"), std::nullopt);
  EXPECT_EQ(included(""), std::nullopt);
}

TEST(LayeringRules, Directions) {
  EXPECT_EQ(complaint("codegen/lower.cpp", "<tutti/ir/type.h"), "");
  EXPECT_EQ(complaint("codegen/lower.cpp", "<tutti/codegen/kernel.h"), "");
  EXPECT_EQ(complaint("codegen/lower.cpp", "<tutti/lazy/tensor.h"), "it points up, to lazy/");
  EXPECT_EQ(complaint("ir/type.cpp", "<tutti/tutti.h"), "it points up, to lazy/");
  EXPECT_EQ(complaint("ir/type.cpp", "<tutti/tools/main.h"), "tools/ is no layer");
  EXPECT_EQ(complaint("tests/ir/type_test.cpp", "<tutti/lazy/tensor.h"), "");
}

TEST(LayeringRules, QuotesOnlyAboveTheLayers) {
  EXPECT_EQ(complaint("ir/type.cpp", "\"type.h"), "write it as <tutti/...>");
  EXPECT_EQ(complaint("tests/ir/type_test.cpp", "\"tests/support/golden.h"), "");
}

TEST(LayeringRules, Doors) {
  EXPECT_EQ(complaint("codegen/llvm/jit.cpp", "<llvm/IR/Module.h"), "");
  EXPECT_THAT(complaint("codegen/lower.cpp", "<llvm/IR/Module.h"), testing::HasSubstr("only"));
  EXPECT_THAT(complaint("tests/codegen/a.cpp", "<llvm-c/Core.h"), testing::HasSubstr("only"));
  EXPECT_THAT(complaint("lazy/io.cpp", "<nlohmann/json.hpp"), testing::HasSubstr("only"));
  EXPECT_THAT(complaint("lazy/io.cpp", "<boost/any.hpp"), testing::HasSubstr("its door"));
}

TEST(LayeringRules, TheBottomIsTheStandardLibrary) {
  EXPECT_EQ(complaint("ir/type.cpp", "<vector"), "");
  EXPECT_THAT(complaint("ir/type.cpp", "<unistd.h"), testing::HasSubstr("nothing else"));
  EXPECT_EQ(complaint("runtime/world.cpp", "<unistd.h"), "");
  EXPECT_EQ(complaint("runtime/world.cpp", "<sys/mman.h"), "");
}

}  // namespace
