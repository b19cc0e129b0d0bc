#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/array_files.h"

namespace tutti::tools {

inline constexpr std::int64_t kMostRanks = 4096;  // run in one process

// How many ranks a function is for: as many as its mesh says, or else as its groups name. Throws
// UsageError for more than kMostRanks.
std::int64_t count_ranks(const ir::Graph& function);

// Where the arguments of a function come from. Each input is one of
//   NAME=FILE.npy       the parameter %NAME; {rank} in FILE stands for the rank
//   FOLDER or FILE.npz  arrays named like parameters (see ArrayFiles)
// The first goes before the others, which are asked in their order.
class InputFiles {
 public:
  // Throws UsageError for an input that is none of these. The function must outlive this.
  InputFiles(const ir::Graph& function, const std::vector<std::string>& inputs);

  // An array for each parameter. Throws UsageError if there is none, TypeError if it has another
  // type than the parameter.
  std::vector<ir::Array> read(std::int64_t rank);

 private:
  const ir::Array& find(const ir::Parameter& parameter, std::int64_t rank);
  // Throws TypeError for what is neither the parameter's array nor the whole that it is part of.
  void check(const ir::Parameter& parameter, const std::string& where, const ir::Type& given) const;
  bool is_own(const ir::Parameter& parameter, const ir::Type& given) const;

  const ir::Graph& function_;
  std::map<std::string, std::string, std::less<>> files_;
  std::vector<ArrayFiles> places_;
  std::map<std::string, ir::Array> arrays_;  // of files_: what ranks share is read once
};

}  // namespace tutti::tools
