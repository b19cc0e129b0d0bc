#include "tools/program_inputs.h"

#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "tools/npy.h"
#include "tools/sharded_arrays.h"

namespace tutti::tools {

namespace fs = std::filesystem;

std::int64_t count_ranks(const ir::Graph& function) {
  std::int64_t last = function.mesh == nullptr ? 0 : function.mesh->ranks() - 1;
  for (ir::NodeId id = 0; id < function.node_count(); ++id) {
    for (const ir::Attribute& attribute : function.node(id).attributes) {
      const auto* const group = std::get_if<ir::GroupPtr>(&attribute);
      if (group != nullptr) last = std::max(last, *std::ranges::max_element((*group)->ranks));
    }
  }
  if (last < kMostRanks) return last + 1;
  throw UsageError("@" + function.name + " names rank " + std::to_string(last) + "; at most " +
                   std::to_string(kMostRanks) + " ranks can be run");
}

InputFiles::InputFiles(const ir::Graph& function, const std::vector<std::string>& inputs)
    : function_(function) {
  std::vector<std::string_view> names;
  for (const ir::Parameter& parameter : function.parameters()) names.push_back(parameter.name);
  for (const std::string& input : inputs) {
    const std::size_t sign = input.find('=');
    if (sign == std::string::npos) {
      if (!fs::is_directory(input)) {
        throw UsageError("--input takes NAME=FILE.npy or a folder, which '" + input + "' is not");
      }
      folders_.emplace_back(input);
      continue;
    }
    const std::string name = input.substr(0, sign);
    if (std::ranges::find(names, name) == names.end()) {
      throw UsageError("@" + function.name + " has no parameter %" + name +
                       ir::suggestion(name, names));
    }
    if (!files_.emplace(name, input.substr(sign + 1)).second) {
      throw UsageError("--input gives %" + name + " twice");
    }
  }
}

std::vector<ir::Array> InputFiles::read(std::int64_t rank) {
  std::vector<ir::Array> out;
  for (const ir::Parameter& parameter : function_.parameters()) {
    out.push_back(array(parameter, file_of(parameter.name, rank), rank));
  }
  return out;
}

// NAME=FILE with {rank} replaced; otherwise FOLDER/rank0/NAME.npy or FOLDER/NAME.npy.
fs::path InputFiles::file_of(const std::string& name, std::int64_t rank) const {
  const std::string number = std::to_string(rank);
  if (const auto given = files_.find(name); given != files_.end()) {
    constexpr std::string_view kRank = "{rank}";
    std::string path = given->second;
    for (std::size_t at = path.find(kRank); at != path.npos; at = path.find(kRank, at)) {
      path.replace(at, kRank.size(), number);
      at += number.size();
    }
    return path;
  }
  for (const fs::path& folder : folders_) {
    for (const fs::path& path :
         {folder / ("rank" + number) / (name + ".npy"), folder / (name + ".npy")}) {
      if (fs::exists(path)) return path;
    }
  }
  throw UsageError("no input for %" + name + " of @" + function_.name + " on rank " + number +
                   "; give --input " + name + "=FILE.npy");
}

// A file that all ranks share is read once. If it holds the whole that ranks have parts of, this is
// the rank's part.
ir::Array InputFiles::array(const ir::Parameter& parameter, const fs::path& path,
                            std::int64_t rank) {
  auto known = arrays_.find(path);
  if (known == arrays_.end()) known = arrays_.emplace(path, read_npy(path)).first;
  const ir::Type& wanted = function_.type(parameter.value);
  const ir::Type given{.dtype = known->second.dtype(), .shape = known->second.shape()};
  if (given.dtype == wanted.dtype && given.shape == wanted.shape) return known->second;
  if (given.dtype == wanted.dtype && !parameter.sharding.empty() &&
      given.shape == whole_shape(wanted.shape, parameter.sharding, *function_.mesh)) {
    return part_of(known->second, parameter.sharding, *function_.mesh, rank);
  }
  const std::string dtype(name_of(wanted.dtype));
  const std::string advice = wanted.dtype == DType::bf16
                                 ? "; .npy files have no bf16: take f32 and cast in the program"
                                 : "";
  throw TypeError(path.string() + ": %" + parameter.name + " of @" + function_.name + " is " +
                  dtype + wanted.shape.text() + ", but the file holds " + given.text() + advice);
}

}  // namespace tutti::tools
