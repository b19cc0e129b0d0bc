#pragma once

#include <filesystem>
#include <ostream>

namespace tutti::tools {

// Compares the programs of the ranks of a job (ir::verify_spmd) and writes whether they fit
// together, or what does not; gives whether they do. The folder holds either
//   - a file for each rank, whose number is the last in the name: rank0.tutti, step.rank01.tutti.
//     Of several functions in each file, those of one name belong together, or else those at one
//     place; files of one function each may call it what they like;
//   - or a folder for each rank, rank0, rank1, ..., as TUTTI_DUMP makes them: the rank runs what is
//     in its .tutti files, and in the first one (the trace) of each folder in there, in the order
//     of their names.
// Throws EnvironmentError where ranks are missing, are there twice, or have nothing to compare.
bool diff_ranks(const std::filesystem::path& folder, std::ostream& out);

}  // namespace tutti::tools
