#include "tests/ir/verify/spmd_programs.h"

#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>

namespace tutti::test {

using namespace ir;

SpmdReport compare_files(const std::vector<std::string>& files) {
  std::vector<Module> modules;
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    modules.push_back(parse(files[rank], "rank" + std::to_string(rank)));
  }
  std::vector<RankProgram> programs;
  for (const Module& module : modules) {
    RankProgram& program = programs.emplace_back();
    for (const Graph& function : module.functions) {
      verify(function);
      program.push_back(&function);
    }
  }
  return verify_spmd(programs);
}

SpmdReport compare(const std::string& groups, const std::vector<std::string>& bodies) {
  std::vector<std::string> files;
  for (const std::string& body : bodies) files.push_back(spmd_file(groups, body));
  return compare_files(files);
}

std::string spmd_file(const std::string& groups, const std::string& body) {
  return groups + "\nfunc @f(%x: f32[4], %y: i32[4]) {\n" + body + "\nreturn\n}\n";
}

std::string send(const std::string& to, const std::string& line) {
  return "send(%x) {to = " + to + ", group = @pp} // a.cpp:" + line + "\n";
}
std::string receive(const std::string& name, const std::string& from, const std::string& line,
                    const std::string& shape) {
  return name + " = recv() {dtype = f32, shape = " + shape + ", from = " + from +
         ", group = @pp} // a.cpp:" + line + "\n";
}
std::string use(const std::string& name) {
  return name + "w = wait(" + name + ")\n" + name + "n = neg(" + name + "w)\n";
}

}  // namespace tutti::test
