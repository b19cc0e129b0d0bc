#include <tutti/lazy/context.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/file_calls.h>
#include <tutti/lazy/numpy_files.h>
#include <tutti/runtime/files/npy.h>
#include <tutti/runtime/files/npz.h>
#include <tutti/runtime/files/write_file.h>

#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tutti {

using detail::at_line_of_file;

Tensor load_npy(const std::filesystem::path& path, std::source_location at) {
  detail::refuse_compiling("load_npy", at);
  return at_line_of_file(at, [&] { return from(runtime::read_npy(path), at); });
}

void save_npy(const Tensor& tensor, const std::filesystem::path& path, std::source_location at) {
  detail::refuse_compiling("save_npy", at);
  at_line_of_file(at, [&] {
    runtime::check_npy_dtype(tensor.state(at)->type.dtype, "the tensor for " + path.string());
    runtime::write_npy(runtime::file_to_write(path), tensor.array(at));
  });
}

TensorMap load_npz(const std::filesystem::path& path, std::source_location at) {
  detail::refuse_compiling("load_npz", at);
  return at_line_of_file(at, [&] {
    TensorMap out;
    const runtime::NpzReader reader(path);
    for (const std::string& name : reader.names()) out.emplace(name, from(reader.read(name), at));
    return out;
  });
}

void detail::save_npz_tree(TreeRef tree, const std::filesystem::path& path, Location where) {
  refuse_compiling("save_npz", where);
  at_line_of_file(where, [&] {
    const std::filesystem::path target = runtime::file_to_write(path);
    const std::filesystem::path folder = target.parent_path();
    std::error_code error;  // says no more than that there is none
    if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
      throw EnvironmentError(path.string() + ": there is no folder " + folder.string());
    }
    for (const auto& [name, wanted] : wanted_tensors(tree, where)) {
      if (wanted.any) throw UsageError("save_npz: '" + name + "' was never given a value");
      if (name.find('\0') != std::string::npos) {
        throw UsageError("save_npz: the name of '" + std::string(name.c_str()) +
                         "' goes on behind a zero byte, where names in archives end");
      }
      runtime::check_npy_dtype(wanted.type.dtype, "'" + name + "'");
    }
    const std::vector<std::pair<std::string, Tensor>> tensors = named_tensors_of(tree);
    std::vector<StatePtr> states;
    for (const auto& [name, tensor] : tensors) {
      check_readable(*tensor.state(), where);
      states.push_back(tensor.state());
    }
    RankContext::current().flush(states);
    std::vector<std::pair<std::string, Array>> arrays;
    for (const auto& [name, tensor] : tensors) arrays.emplace_back(name, tensor.array());
    runtime::write_npz(target, arrays);
  });
}

}  // namespace tutti
