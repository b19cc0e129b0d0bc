#pragma once

#include <tutti/ir/text/print.h>

#include <filesystem>
#include <vector>

namespace tutti::tools {

// Where the program of a rank is.
struct RankSource {
  std::filesystem::path path;
  std::vector<std::filesystem::path> files;  // in the order in which they are run
  bool is_folder = false;
};

// The programs of a job in a folder, by rank, from 0 on without gaps. The folder holds either
//   - a file for each rank, whose number is the last in the name: rank0.tutti, step.rank01.tutti;
//   - or a folder for each rank, rank0, rank1, ..., as TUTTI_DUMP makes them: the rank runs what is
//     in its .tutti files, and in the first one (the trace) of each folder in there, in the order
//     of their names.
// Throws EnvironmentError where ranks are missing, are there twice, or have no program.
std::vector<RankSource> find_ranks(const std::filesystem::path& folder);

using Modules = std::vector<ir::Module>;  // [rank], of all files of the rank

// Reads them. Throws EnvironmentError for a rank without any function.
Modules read_all(const std::vector<RankSource>& ranks);

// The files of a rank may have functions of one name; these get different ones: step, step_1, ...
void name_apart(ir::Module& module);

}  // namespace tutti::tools
