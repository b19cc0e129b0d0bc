#include <tutti/ir/names.h>
#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/support/error.h>

#include <algorithm>

namespace tutti::ir {

namespace {

std::vector<std::string_view> names_of_passes() {
  std::vector<std::string_view> out;
  for (const Pass& pass : all_passes()) out.push_back(pass.name);
  return out;
}

}  // namespace

std::vector<const Pass*> default_pipeline() {
  std::vector<const Pass*> out;
  for (const Pass& pass : all_passes()) out.push_back(&pass);
  return out;
}

std::vector<Pipeline> all_pipelines() {
  return {
      {"default", "all passes, in the compiler's order", default_pipeline()},
      {"none", "no pass: the program is checked and printed as it is", {}},
  };
}

std::vector<const Pass*> passes_named(std::span<const std::string> words) {
  const std::vector<Pipeline> pipelines = all_pipelines();
  std::vector<const Pass*> out;
  for (const std::string& word : words) {
    if (const Pass* const pass = find_pass(word); pass != nullptr) {
      out.push_back(pass);
      continue;
    }
    const auto pipeline = std::ranges::find(pipelines, word, &Pipeline::name);
    if (pipeline == pipelines.end()) {
      std::vector<std::string_view> names = names_of_passes();
      for (const Pipeline& known : pipelines) names.push_back(known.name);
      throw UsageError("there is no pass '" + word + "'" + suggestion(word, names));
    }
    out.insert(out.end(), pipeline->passes.begin(), pipeline->passes.end());
  }
  return out;
}

void check_disabled(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (find_pass(name) != nullptr) continue;
    throw UsageError("there is no pass '" + name + "' to disable" +
                     suggestion(name, names_of_passes()));
  }
}

}  // namespace tutti::ir
