#include "tests/support/random/stored_program.h"

#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>

#include <fstream>
#include <sstream>

namespace tutti::test {

std::string text_of(const RandomProgram& program) {
  ir::Module module{.functions = {program.graph}};
  module.functions[0].name = "program";
  for (std::size_t rank = 0; rank < program.inputs.size(); ++rank) {
    ir::Graph& arguments = module.functions.emplace_back("arguments_" + std::to_string(rank));
    arguments.mesh = program.graph.mesh;
    ir::Builder builder(arguments);
    std::vector<ir::Value> results;
    for (const Array& array : program.inputs[rank]) results.push_back(builder.constant(array));
    arguments.set_results(std::move(results));
  }
  return ir::print(module);
}

RandomProgram program_of(const std::string& text, const std::string& file_name) {
  ir::Module module = ir::parse(text, file_name);
  RandomProgram out{.graph = module.functions.at(0), .inputs = {}};
  ir::verify(out.graph);
  const std::size_t ranks = module.functions.size() - 1;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    out.inputs.push_back(ir::interpret(module.functions[rank + 1], RankArrays(ranks))[rank]);
  }
  return out;
}

RandomProgram read_program(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return program_of(text.str(), file.string());
}

}  // namespace tutti::test
