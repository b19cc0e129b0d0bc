#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/runtime/comm/backend_config.h>
#include <tutti/runtime/comm/collective.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

// The options of `tutti comm-test`.
struct CommTestOptions {
  std::int64_t ranks = 0;  // 0: those that a launcher has started, or else as many as make sense
  bool on_gpus = false;
  std::string backends;                  // as of Group::with_backends; empty: the usual ones
  std::vector<std::string> collectives;  // names; empty: the usual ones
  std::vector<std::string> algorithms;   // names; empty: all
  std::vector<std::string> sizes;        // see read_sizes; empty: kUsualSizes
  std::string dtype = "f32";
  double seconds = 0.2;  // that each line takes the time of
  bool json = false;
  bool as_rank = false;  // this process is one of the ranks that the command has started
};

inline constexpr std::array<const char*, 4> kUsualSizes = {"1K", "32K", "1M", "32M"};

// The same, read and checked.
struct CommTest {
  std::vector<runtime::CollectiveKind> collectives;
  std::vector<std::int64_t> sizes;  // bytes
  // Over the host's memory "one_shot", "two_shot"; between GPUs what Work::way() says.
  std::vector<std::string> algorithms;
  DType dtype = DType::f32;
  // What carries the collectives out. For GPUs it may be asked when the rank has joined the others.
  runtime::BackendConfig backends;
};

// Whether there is an algorithm of that name over the host's memory, too.
bool is_of_host(std::string_view algorithm);

// For so many ranks. Throws UsageError for a name, a size or a dtype that there is not, and for
// messages of one rank; EnvironmentError for an engine that is not in this build.
CommTest read_comm_test(const CommTestOptions& options, std::int64_t ranks);

// "8" and "64K" are sizes in bytes, with K, M or G for powers of 1024; "1K..4K" is each twice the
// one before: 1K, 2K, 4K. Throws UsageError.
std::vector<std::int64_t> read_sizes(const std::vector<std::string>& texts);

}  // namespace tutti::tools
