#pragma once

#include <string>
#include <vector>

#include "tests/support/command.h"

namespace tutti::test {

// Runs `tutti show` on a program, which lies in the folder as p.tutti.
inline CommandResult show(const TemporaryFolder& folder, const std::string& program,
                          std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(),
                   {TUTTI_BINARY_DIR "/bin/tutti", "show", folder.write("p.tutti", program)});
  return run_command(arguments);
}

// Of one rank of two: kernels, a composite, a collective, source lines.
inline const std::string kTrainingStep = R"(mesh (dp = 2)
group @dp = {ranks = [0, 1], stride = 2}

func @step(%x: f32[64,784], %t: f32[64,10], %w: f32[784,10] rep(dp), %b: f32[10]) {
  %vw = vary(%w) {dimensions = "dp"}  // train.cpp:40
  %y = matmul(%x, %vw)  // train.cpp:41
  %z = add(%y, %b)  // train.cpp:41
  %p = softmax(%z) {axis = 1}  // train.cpp:42
  %d = sub(%p, %t)  // train.cpp:43
  %xt = transpose(%x) {permutation = [1, 0]}  // train.cpp:44
  %g = matmul(%xt, %d)  // train.cpp:44
  %sum = all_reduce(%g) {op = "mean", group = @dp}  // train.cpp:45
  %rate = constant() {value = f32[] 0.1}
  %done = wait(%sum)  // train.cpp:46
  %change = mul(%done, %rate)  // train.cpp:46
  %new = sub(%w, %change)  // train.cpp:46
  return %new
}
)";

// A product that is there before a loop of one step's addition, in it and behind it.
inline const std::string kLoop = R"(private func @step(%h: f32[32,32], %w: f32[32,32]) {
  %0 = add(%h, %w)
  return %0
}

func @f(%x: f32[32,32]) {
  %w = matmul(%x, %x)  // loop.cpp:3
  %h = scan(%x, %w) {body = @step, carries = 1, sequences = 0, length = 100}
  %p = softmax(%h) {axis = 1}
  %r = mul(%p, %w)
  return %r
}
)";

// Two functions, one of them with names that no language of output may trip over.
inline const std::string kStrangeNames =
    "group @g = {tag = \"</script>\\x80\\\"\", ranks = [0]}\n"
    "func @\"</script><b>\\\" \\\\ \xC3\xA4\xFF\"(%x: f32[4]) {\n"
    "  %0 = all_reduce(%x) {op = \"sum\", group = @g}\n"
    "  %1 = wait(%0)\n"
    "  %2 = softmax(%1) {axis = 0}\n"
    "  return %2\n"
    "}\n"
    "func @empty() {\n"
    "  return\n"
    "}\n";

// So many nodes, one line of a program for every hundred.
inline std::string long_program(int nodes) {
  std::string out = "func @long(%x: f32[256,64], %w: f32[64,64]) {\n";
  std::string last = "%x";
  for (int i = 0; i < nodes; ++i) {
    const std::string name = "%" + std::to_string(i);
    const std::string far = i < 50 ? "%x" : "%" + std::to_string(i - 50);
    out += "  " + name + " = ";
    if (i % 5 == 0) {
      out += "matmul(" + last + ", %w)";
    } else if (i % 5 == 1) {
      out += "softmax(" + last + ") {axis = 1}";
    } else {
      out += "add(" + last + ", " + far + ")";
    }
    out += "  // model.cpp:" + std::to_string(i / 100 + 1) + "\n";
    last = name;
  }
  return out + "  return " + last + "\n}\n";
}

}  // namespace tutti::test
