// What versions of NCCL have: by lists of what their libraries export, and with those libraries
// themselves, where scripts/nvidia-wheels or somebody else brought them.

#include <tutti/runtime/cuda/nccl_communicator.h>
#include <tutti/runtime/dylib/cuda.h>
#include <tutti/runtime/dylib/nccl.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/environment_variable.h"
#include "tests/support/fake_cuda_process.h"
#include <gmock/gmock.h>

namespace tutti::runtime::nccl_versions_test {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// By version, "2.27.7".
const std::map<std::string, Names>& exported_names() {
  static const auto* const names = [] {
    auto* const out = new std::map<std::string, Names>;
    for (const auto& list : fs::directory_iterator(test::source("tests/fake_cuda/nccl/symbols"))) {
      std::ifstream lines(list.path());
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("nccl")) (*out)[list.path().stem()].insert(line);
      }
    }
    return out;
  }();
  return *names;
}

Names all_names() {
  Names out;
  for (const auto& [version, names] : exported_names()) out.insert(names.begin(), names.end());
  return out;
}

// Of all versions' names, those that a library has.
Names names_of(const SharedLibrary& library) {
  Names out;
  for (const std::string& name : all_names()) {
    if (library.symbol(name.c_str()) != nullptr) out.insert(name);
  }
  return out;
}

SharedLibrary open(const std::string& folder) {
  const std::array folders = {folder};
  const std::array<std::string_view, 1> names = {"libnccl.so.2"};
  return {folders, names};
}

struct Feature {
  const char* version;
  bool registers;  // memory as windows
  bool serves_windows;
};
constexpr std::array kFeatures = {
    Feature{"2.18.3", false, false},
    Feature{"2.27.7", true, false},
    // Its kernels in windows don't look whether they were aborted.
    Feature{"2.28.9", true, false},
    Feature{"2.29.7", true, true},
    Feature{"2.30.7", true, true},
    Feature{"2.32.3", true, true},
};

// Libraries with these names, and nothing behind them.
TEST(NcclVersions, HaveWhatTuttiCallsAndWindowsFromOneOn) {
  ASSERT_EQ(exported_names().size(), kFeatures.size());
  for (const auto& [version, registers, serves_windows] : kFeatures) {
    SCOPED_TRACE(version);
    ASSERT_TRUE(exported_names().contains(version));
    const Nccl nccl(open(std::string(TUTTI_BINARY_DIR "/fake_nccl_names/") + version));
    EXPECT_EQ(Nccl::version_text(nccl.version()), version);
    EXPECT_EQ(nccl.ncclCommWindowRegister != nullptr, registers);
    EXPECT_EQ(nccl.ncclCommWindowDeregister != nullptr, registers);
    EXPECT_EQ(nccl.why_no_windows(),
              serves_windows ? "" : "NCCL " + std::string(version) + " is older than 2.29.7");
  }
}

// Whether a library's names are those of a list, among all that there are; says which are not.
bool has_names(const Nccl& nccl, const Names& list) {
  const Names has = names_of(nccl.library());
  for (const std::string& name : all_names()) {
    if (has.contains(name) == list.contains(name)) continue;
    std::cerr << nccl.library().path() << (has.contains(name) ? " has " : " lacks ") << name
              << "\n";
  }
  return has == list;
}

// Who calls what the real library lacks would not be told. In a process of its own: doubles stay
// where they were loaded.
TEST(NcclVersions, DoublesHaveNothingThatTheirsLack) {
  test::expect_in_own_process([] {
    const auto fits = [](const std::string& folder, const std::string& version) {
      const Nccl nccl(open(folder));
      const Names names = names_of(nccl.library());
      Names list = exported_names().at(version);
      std::erase_if(list, [&](const std::string& name) { return !names.contains(name); });
      return Nccl::version_text(nccl.version()) == version && has_names(nccl, list);
    };
    return fits(TUTTI_BINARY_DIR "/fake_cuda", "2.32.3") &&
           fits(TUTTI_BINARY_DIR "/fake_nccl_2.27.7", "2.27.7");
  });
}

// Processes of their own: a process has one NCCL, and here it may be a double.
class RealNccl : public testing::Test {
 protected:
  // Runs `work` with each library of scripts/nvidia-wheels and with the one that the runtime finds.
  // Skips the test where there is none of the former.
  template <class Work>
  static void expect_of_each(const Work& work) {
    test::expect_in_own_process([&] {
      const test::EnvironmentVariable no_double("TUTTI_CUDA_LIBRARIES", "");
      SharedLibrary library = open_nccl();
      return !library.is_open() || work(Nccl(std::move(library)));
    });
    const std::vector<std::string> folders = folders_of_wheels();
    for (const std::string& folder : folders) {
      SCOPED_TRACE(folder);
      test::expect_in_own_process([&] { return work(Nccl(open(folder))); });
    }
    if (folders.empty()) GTEST_SKIP() << "scripts/nvidia-wheels fetches versions of NCCL";
  }

 private:
  static std::vector<std::string> folders_of_wheels() {
    std::vector<std::string> out;
    std::error_code error;
    for (fs::directory_iterator each(test::source("build/nvidia-wheels"), error), end;
         !error && each != end; each.increment(error)) {
      const fs::path folder = each->path() / "nvidia/nccl/lib";
      if (fs::exists(folder / "libnccl.so.2")) out.push_back(folder);
    }
    return out;
  }
};

// All functions that Tutti calls are looked up when it is made.
TEST_F(RealNccl, HasTheNamesOfItsList) {
  expect_of_each([](const Nccl& nccl) {
    if (std::string_view(nccl.ncclGetErrorString(nccl::Result::success)) != "no error")
      return false;
    const auto list = exported_names().find(Nccl::version_text(nccl.version()));
    return list == exported_names().end() || has_names(nccl, list->second);
  });
}

TEST_F(RealNccl, SaysThatThereIsNoGpu) {
  expect_of_each([](const Nccl& nccl) {
    if (open_cuda_driver().is_open()) return true;  // there may be one
    try {
      const NcclCommunicator communicator(nccl, {}, 2, 0);
      std::cerr << "there is a communicator\n";
    } catch (const NcclError& error) {
      const std::string said = error.what();
      if (said.starts_with("ncclCommInitRankConfig failed: unhandled cuda error (") &&
          said.find("CUDA driver") != said.npos &&
          said.find("NCCL_DEBUG=WARN says which call of CUDA failed") != said.npos) {
        return true;
      }
      std::cerr << said << "\n";
    }
    return false;
  });
}

}  // namespace
}  // namespace tutti::runtime::nccl_versions_test
