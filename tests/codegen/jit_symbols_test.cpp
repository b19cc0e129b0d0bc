// The names of generated functions, as gdb and perf get to know them.

#include <tutti/codegen/llvm/compile_kernels.h>
#include <tutti/ir/support/error.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/codegen/kernel_maker.h"
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <unistd.h>

#if TUTTI_HAS_LLVM

namespace tutti::codegen::jit_symbols_test {
namespace {

using namespace kernel_testing;  // NOLINT: the helpers of this folder

std::string name_of_code(const Kernel& kernel) {
  return "add_" + kernel_hash(kernel).text().substr(0, 8);
}

// Engines read the variable when they are made: one for each target.
std::shared_ptr<const KernelCode> compile(const Kernel& kernel, const char* symbols,
                                          const std::string& features) {
  setenv("TUTTI_JIT_SYMBOLS", symbols, 1);
  runtime::DiskCache off({.folder = "", .why_off = "a test"});
  const Kernel* const pointer = &kernel;
  struct Unset {
    ~Unset() { unsetenv("TUTTI_JIT_SYMBOLS"); }
  } const unset;
  return native::compile(std::span(&pointer, 1), {.cpu = "nehalem", .features = features}, off)[0];
}

// gdb's interface to compilers at run time, as its manual has it.
struct JitCodeEntry {
  JitCodeEntry* next;
  JitCodeEntry* previous;
  const char* file;
  std::uint64_t file_bytes;
};
struct JitDescriptor {
  std::uint32_t version;
  std::uint32_t action;
  JitCodeEntry* relevant;
  JitCodeEntry* first;
};

bool gdb_knows(const std::string& name) {
  const auto* const descriptor =
      static_cast<const JitDescriptor*>(dlsym(RTLD_DEFAULT, "__jit_debug_descriptor"));
  if (descriptor == nullptr) return false;
  for (const JitCodeEntry* entry = descriptor->first; entry != nullptr; entry = entry->next) {
    const std::string_view file(entry->file, entry->file_bytes);
    if (file.substr(1, 3) == "ELF" && file.find(name) != std::string_view::npos) return true;
  }
  return false;
}

std::string perf_map() {
  std::ifstream file("/tmp/perf-" + std::to_string(getpid()) + ".map");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(JitSymbols, ReachGdb) {
  const Kernel kernel = add_number(1);
  const auto code = compile(kernel, "gdb", "+popcnt");
  EXPECT_TRUE(gdb_knows(name_of_code(kernel)));
}

TEST(JitSymbols, StayWithGdbWhenTheCodeGoes) {
  const Kernel kernel = add_number(2);
  compile(kernel, "gdb", "+popcnt");  // the list must not name memory that is freed
  EXPECT_TRUE(gdb_knows(name_of_code(kernel)));
}

TEST(JitSymbols, ReachPerf) {
  const Kernel first = add_number(3);
  const Kernel second = add_number(4);
  compile(first, "perf", "+crc32");
  compile(second, "perf", "+crc32");
  std::istringstream map(perf_map());
  std::vector<std::string> names;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string name;
  while (map >> std::hex >> address >> bytes >> name) {
    EXPECT_NE(address, 0U);
    EXPECT_GT(bytes, 16U);
    names.push_back(name);
  }
  EXPECT_TRUE(map.eof());
  EXPECT_THAT(names, testing::ElementsAre(name_of_code(first), name_of_code(second)));
  unlink(("/tmp/perf-" + std::to_string(getpid()) + ".map").c_str());
}

TEST(JitSymbols, AreNotShownUnasked) {
  const Kernel kernel = add_number(5);
  const auto code = compile(kernel, "", "+cmov");
  EXPECT_FALSE(gdb_knows(name_of_code(kernel)));
  EXPECT_EQ(perf_map(), "");
}

TEST(JitSymbols, RefusesOtherNames) {
  for (const char* const wrong : {"lldb", "perf,all"}) {
    try {
      compile(add_number(6), wrong, "+sahf");
      ADD_FAILURE() << wrong;
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("TUTTI_JIT_SYMBOLS is"));
    }
  }
}

}  // namespace
}  // namespace tutti::codegen::jit_symbols_test

#endif
