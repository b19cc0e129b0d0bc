#include <tutti/ir/passes/passes.h>
#include <tutti/ir/stablehlo/find_scans.h>
#include <tutti/ir/stablehlo/import.h>
#include <tutti/ir/stablehlo/parse.h>
#include <tutti/ir/stablehlo/translate.h>
#include <tutti/ir/support/error.h>

namespace tutti::ir {

namespace {

// Without what nothing needs, such as initial values that change nothing, and without the
// constants that JAX writes again wherever it uses one. Counting loops become scans.
Graph tidied(Graph graph) {
  const Pass scans = {"find_scans", stablehlo::find_scans, "makes scans of loops that count"};
  const Pass* const cse = find_pass("cse");
  const Pass* const dce = find_pass("dce");
  const Pass* const passes[] = {cse, dce, &scans, find_pass("simplify_loops"), cse, dce};
  run_passes(graph, passes);
  return graph;
}

}  // namespace

Module import_stablehlo(std::string_view text, const std::string& file_name) {
  const stablehlo::TreeModule module = stablehlo::parse(text, file_name);
  stablehlo::Translator translator(module, text, file_name);
  Module out;
  if (const auto main = module.function_of.find("main"); main != module.function_of.end()) {
    out.functions.push_back(tidied(translator.run(module.functions[main->second])));
    return out;
  }
  for (const stablehlo::TreeFunction& function : module.functions) {
    out.functions.push_back(tidied(translator.run(function)));
  }
  if (out.functions.empty()) throw ParseError(file_name + ": no function");
  return out;
}

}  // namespace tutti::ir
