// Hot paths in their steady state, for a test that counts their instructions: those of measured().
//   counts_program PATH...    prints for each how many operations measured() has done
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/tutti.h>

#include <cstdio>
#include <functional>
#include <iostream>
#include <string>

#include "bench/small_function.h"

using namespace tutti;
using namespace tutti::bench;

// What the test counts. Not inlined, so that callgrind knows it by its name.
extern "C" [[gnu::noinline]] void measured(const std::function<void()>& path) { path(); }

namespace {

// The first times fill caches; then the same is counted.
void count(int times, int operations, const std::function<void()>& once) {
  const auto repeat = [&] {
    for (int i = 0; i < times; ++i) once();
  };
  repeat();
  measured(repeat);
  std::printf("%d\n", times * operations);
}

// A line written `count` times, with its number for every #.
std::string lines(int count, const std::string& line) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    for (const char c : line) out += c == '#' ? std::to_string(i) : std::string(1, c);
    out += '\n';
  }
  return out;
}

// Texts that have much of one thing; each is read and printed.
std::string program_with(const std::string& much, int count) {
  const auto function = [](const std::string& body, const std::string& parameters = "%x: f32[2]") {
    return "func @f(" + parameters + ") {\n" + body + "return %x }\n";
  };
  if (much == "values") return function("%v0 = neg(%x)\n" + lines(count, "%w# = neg(%v0)"));
  if (much == "parameters") return function("", lines(count, "%p#: f32[2],") + "%x: f32[2]");
  if (much == "functions") return lines(count, "func @f#(%x: f32[2]) { return %x }");
  if (much == "groups") {
    return lines(count, "group @g# = {ranks = [#]}") +
           function(lines(count, "%r# = rank_index() {group = @g#}"));
  }
  if (much == "ranks") return "group @g = {ranks = [" + lines(count, "#,") + "1000000]}\n";
  if (much == "numbers") {
    return function("%c = constant() {value = f32[" + std::to_string(count + 1) + "] [" +
                    lines(count, "#,") + "7]}\n");
  }
  if (much == "nesting") {
    return function("%c = constant() {value = f32[" + std::to_string(count) + ",1,1,1,1,1,1,1] [" +
                    lines(count - 1, "[[[[[[[#]]]]]]],") + "[[[[[[[0]]]]]]]]}\n");
  }
  if (much == "comments") return lines(count, "// #") + function("");
  if (much == "text") {
    std::string text;
    for (int i = 0; i < count; ++i) text += "\\n\\x01";
    return "func @\"" + text + "\"() { return }\n";
  }
  return {};
}

std::string plan_with(const std::string& much, int count) {
  const auto plan = [](const std::string& body) {
    return "plan @f rank 0 arena 0 bytes {\n" + body + "return\n}\n";
  };
  if (much == "buffers") return plan(lines(count, "b# = input #: f32[2], 8 bytes"));
  if (much == "steps") return plan("b0 = comm, 8 bytes\n" + lines(count, "#: free b0"));
  if (much == "kernels") {
    return plan("") +
           lines(count, "k# = kernel k# outer [] inner [] along outer block 16 values 0 {}");
  }
  if (much == "instructions") {
    return plan("") + "k0 = kernel k outer [9] inner [] along outer block 16 values " +
           std::to_string(count) + " { point\n" + lines(count, "%#: i64 = index o0") + "}\n";
  }
  return {};
}

// Whether there is such a path.
bool run(const std::string& path) {
  if (path == "trace/30_ops") {
    count(20, 30, [] { trace_small_function(10); });
  } else if (path == "trace/999_ops") {
    count(2, 999, [] { trace_small_function(333); });
  } else if (path == "trace/lazy") {
    const Tensor a = tensor({1.0F, 2.0F});
    count(2, 999, [&] { small_function(a, 333); });
  } else if (path == "call/30_ops_16_elements") {
    auto f = compile([](Tensor a) { return small_function(a, 10); });
    const Tensor a = from(std::vector<float>(16), {16});
    count(100, 1, [&] { f(a); });
  } else if (path.starts_with("read/")) {
    // read/WHAT/COUNT
    const std::string much = path.substr(5, path.rfind('/') - 5);
    const int each = std::stoi(path.substr(path.rfind('/') + 1));
    const std::string program = program_with(much, each);
    const std::string plan = plan_with(much, each);
    if (program.empty() == plan.empty()) throw UsageError("no text with many " + much);
    count(1, each, [&] {
      if (!program.empty()) ir::print(ir::parse(program));
      if (!plan.empty()) print(codegen::parse_plan(plan));
    });
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw UsageError("takes paths to count");
  for (int i = 1; i < argc; ++i) {
    if (!run(argv[i])) {
      std::cerr << "counts_program: no such path: \"" << argv[i] << "\"\n";
      return 1;
    }
  }
} catch (const std::exception& error) {
  std::cerr << "counts_program: " << error.what() << "\n";
  return 1;
}
