#include "tools/program_inputs.h"

#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/symbolic_sizes.h>
#include <tutti/runtime/files/npy.h>
#include <tutti/runtime/files/npz.h>

#include <algorithm>
#include <filesystem>

#include "tools/sharded_arrays.h"

namespace tutti::tools {

namespace {

// Whether an argument may have that shape; sizes that vary are looked at when all are known.
bool fits(const ir::Graph& function, ir::Value parameter, const Shape& given) {
  const Shape& wanted = function.type(parameter).shape;
  if (given.rank() != wanted.rank()) return false;
  for (int d = 0; d < wanted.rank(); ++d) {
    if (given[d] != wanted[d] && !ir::size_varies(function, parameter, d)) return false;
  }
  return true;
}

}  // namespace

std::int64_t count_ranks(const ir::Graph& function) {
  std::int64_t last = function.mesh == nullptr ? 0 : function.mesh->ranks() - 1;
  for (ir::NodeId id = 0; id < function.node_count(); ++id) {
    for (const ir::GroupPtr& group : ir::groups_met_in(function, id)) {
      last = std::max(last, *std::ranges::max_element(group->ranks));
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
      if (!runtime::is_npz(input) && !std::filesystem::is_directory(input)) {
        throw UsageError("--input takes NAME=FILE.npy, FILE.npz or a folder, which '" + input +
                         "' is not");
      }
      places_.emplace_back("--input", input);
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
    const ir::Array& found = find(parameter, rank);
    const ir::Type given{.dtype = found.dtype(), .shape = found.shape()};
    out.push_back(is_own(parameter, given)
                      ? found
                      : part_of(found, parameter.sharding, *function_.mesh, rank));
  }
  return out;
}

const ir::Array& InputFiles::find(const ir::Parameter& parameter, std::int64_t rank) {
  const std::string& name = parameter.name;
  const ArrayFiles::Accept accept = [&](const std::string& where, const ir::Type& given) {
    check(parameter, where, given);
  };
  if (const auto given = files_.find(name); given != files_.end()) {
    const std::string path = path_for_rank(given->second, rank);
    auto known = arrays_.find(path);
    if (known == arrays_.end()) {
      const runtime::AcceptArray fits = [&](const ir::Type& type) { accept(path, type); };
      known = arrays_.emplace(path, runtime::read_npy(path, fits)).first;
    } else {
      accept(path, {.dtype = known->second.dtype(), .shape = known->second.shape()});
    }
    return known->second;
  }
  for (ArrayFiles& place : places_) {
    const ArrayFiles::Found found = place.find(name, rank, accept);
    if (found.array != nullptr) return *found.array;
  }
  throw UsageError("no input for %" + name + " of @" + function_.name + " on rank " +
                   std::to_string(rank) + "; give --input " + name + "=FILE.npy, or --random SEED");
}

bool InputFiles::is_own(const ir::Parameter& parameter, const ir::Type& given) const {
  return given.dtype == function_.type(parameter.value).dtype &&
         fits(function_, parameter.value, given.shape);
}

void InputFiles::check(const ir::Parameter& parameter, const std::string& where,
                       const ir::Type& given) const {
  const ir::Type& wanted = function_.type(parameter.value);
  if (is_own(parameter, given)) return;
  if (given.dtype == wanted.dtype && !parameter.sharding.empty() &&
      given.shape == whole_shape(wanted.shape, parameter.sharding, *function_.mesh)) {
    return;
  }
  const bool in_files = !is_narrow_floating(wanted.dtype) || wanted.dtype == DType::f16;
  const std::string advice = in_files
                                 ? ""
                                 : "; .npy files have no " + std::string(name_of(wanted.dtype)) +
                                       ": take f32 and cast in the program";
  throw TypeError(where + ": %" + parameter.name + " of @" + function_.name + " is " +
                  ir::symbolic_text(function_, parameter.value) + ", but the file holds " +
                  given.text() + advice);
}

}  // namespace tutti::tools
