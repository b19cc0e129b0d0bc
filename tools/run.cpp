#include "tools/run.h"

#include <tutti/ir/literal.h>
#include <tutti/ir/names.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>

#include "tools/npy.h"
#include "tools/read_program.h"
#include "tools/sharded_arrays.h"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

const ir::Graph& find_function(const ir::Module& module, const RunOptions& options) {
  std::vector<std::string_view> names;
  std::string list;
  for (const ir::Graph& function : module.functions) {
    if (function.name == options.function) return function;
    names.push_back(function.name);
    list += (list.empty() ? "@" : ", @") + function.name;
  }
  if (options.function.empty() && names.size() == 1) return module.functions[0];
  const std::string file = options.file.string();
  if (names.empty()) throw UsageError(file + " has no function");
  if (options.function.empty()) {
    throw UsageError(file + " has several functions, " + list + "; choose one with --function");
  }
  throw UsageError(file + " has no function @" + options.function +
                   ir::suggestion(options.function, names) + "; it has " + list);
}

// As many as the mesh says, or else as the groups name.
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

// Where the arguments of a function come from.
class InputFiles {
 public:
  InputFiles(const ir::Graph& function, const std::vector<std::string>& inputs)
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

  std::vector<ir::Array> read(std::int64_t rank) {
    std::vector<ir::Array> out;
    for (const ir::Parameter& parameter : function_.parameters()) {
      out.push_back(array(parameter, file_of(parameter.name, rank), rank));
    }
    return out;
  }

 private:
  // NAME=FILE with {rank} replaced; otherwise FOLDER/rank0/NAME.npy or FOLDER/NAME.npy.
  fs::path file_of(const std::string& name, std::int64_t rank) const {
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

  // A file that all ranks share is read once. If it holds the whole that ranks have parts of, this
  // is the rank's part.
  ir::Array array(const ir::Parameter& parameter, const fs::path& path, std::int64_t rank) {
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

  const ir::Graph& function_;
  std::map<std::string, std::string, std::less<>> files_;
  std::vector<fs::path> folders_;
  std::map<fs::path, ir::Array> arrays_;
};

void write_results(const std::vector<std::vector<ir::Array>>& results, const fs::path& output) {
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    const fs::path folder = results.size() == 1 ? output : output / ("rank" + std::to_string(rank));
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw EnvironmentError(folder.string() + ": cannot be made: " + error.message());
    for (std::size_t i = 0; i < results[rank].size(); ++i) {
      write_npy(folder / (std::to_string(i) + ".npy"), results[rank][i]);
    }
  }
}

void print_results(const std::vector<std::vector<ir::Array>>& results) {
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    if (results.size() > 1) std::cout << "rank " << rank << "\n";
    for (const ir::Array& result : results[rank]) {
      std::string text;
      ir::append_array(text, result);
      std::cout << text << "\n";
    }
  }
}

// TUTTI_DISABLE and TUTTI_SET with what the command line adds.
codegen::CompileOptions compile_options(const RunOptions& options) {
  runtime::Settings::process();  // its mistakes are not those of the command line
  const auto joined = [](const char* variable, const std::vector<std::string>& given) {
    const char* const value = std::getenv(variable);
    std::string out = value == nullptr ? "" : value;
    for (const std::string& each : given) out += "," + each;
    return out;
  };
  const std::string tunables = joined("TUTTI_SET", options.tunables);
  codegen::CompileOptions out;
  try {
    out = codegen::compile_options(runtime::Settings([&](const char* name) {
      return std::string_view(name) == "TUTTI_SET" ? tunables.c_str() : std::getenv(name);
    }));
  } catch (const EnvironmentError& error) {
    throw UsageError("--set: " + std::string(error.what()));
  }
  out.disabled.insert(out.disabled.end(), options.disabled.begin(), options.disabled.end());
  return out;
}

}  // namespace

void run(const RunOptions& options) {
  const codegen::CompileOptions compiling = compile_options(options);
  const ir::Module module = read_program(options.file);
  const ir::Graph& function = find_function(module, options);
  const std::int64_t ranks = options.ranks != 0 ? options.ranks : count_ranks(function);
  if (options.compile_only) {
    compile_only(function, ranks, compiling);
    return;
  }
  const bool to_files = !options.output.empty();
  for (std::size_t i = 0; to_files && i < function.results().size(); ++i) {
    check_npy_dtype(function.type(function.results()[i]).dtype, "result " + std::to_string(i));
  }
  InputFiles files(function, options.inputs);
  std::vector<std::vector<ir::Array>> inputs;
  for (std::int64_t rank = 0; rank < ranks; ++rank) inputs.push_back(files.read(rank));
  auto results = execute(function, inputs, options.engine, compiling);
  if (is_of_wholes(function)) results = {whole_results(function, results)};
  if (to_files) {
    write_results(results, options.output);
  } else {
    print_results(results);
  }
}

}  // namespace tutti::tools
