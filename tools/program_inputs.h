#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tutti::tools {

inline constexpr std::int64_t kMostRanks = 4096;  // run in one process

// How many ranks a function is for: as many as the mesh says, or else as the groups name. Throws
// UsageError for more than kMostRanks.
std::int64_t count_ranks(const ir::Graph& function);

// Where the arguments of a function come from.
class InputFiles {
 public:
  // `inputs` are NAME=FILE.npy, or folders. Throws UsageError for what is neither.
  InputFiles(const ir::Graph& function, const std::vector<std::string>& inputs);

  // The arguments on a rank. Throws UsageError if one is not given, TypeError if it does not fit.
  std::vector<ir::Array> read(std::int64_t rank);

 private:
  std::filesystem::path file_of(const std::string& name, std::int64_t rank) const;
  ir::Array array(const ir::Parameter& parameter, const std::filesystem::path& path,
                  std::int64_t rank);

  const ir::Graph& function_;
  std::map<std::string, std::string, std::less<>> files_;
  std::vector<std::filesystem::path> folders_;
  std::map<std::filesystem::path, ir::Array> arrays_;
};

}  // namespace tutti::tools
