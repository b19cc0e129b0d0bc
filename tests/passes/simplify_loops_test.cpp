#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// What loops give counts as the same on the same ranks, whatever is computed before them or
// together with them.
namespace tutti::ir::simplify_loops_test {
namespace {

// Runs the pass over a program of two ranks that takes f32, and compares what comes out; says how
// many loops are left.
std::size_t loops_left(const std::string& text) {
  const Module module = parse("// tutti ir 1\nmesh (dp = 2)\n" + text);
  const Graph& before = module.functions.back();
  verify(before);
  Graph after = before;
  simplify_loops(after);
  verify(after);
  std::vector<std::vector<Array>> inputs(2);
  for (const Parameter& parameter : before.parameters()) {
    const Type& type = before.type(parameter.value);
    for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
      Array array(type.dtype, type.shape);
      const bool varies = type.replication.dimensions == 0;
      std::ranges::fill(array.data<float>(), varies ? 2.F + static_cast<float>(rank) : 0.5F);
      inputs[rank].push_back(std::move(array));
    }
  }
  EXPECT_EQ(interpret(before, inputs), interpret(after, inputs)) << print(after);
  std::size_t loops = 0;
  for (NodeId id = 0; id < after.node_count(); ++id) loops += after.node(id).op == Op::scan ? 1 : 0;
  return loops;
}

TEST(SimplifyLoops, ComputesNothingBeforeThatIsTheSameOnFewerRanksThanTheParameters) {
  EXPECT_EQ(loops_left(R"(group @dp = {ranks = [0, 1], stride = 2}
private func @body(%h: f32[64] rep(dp), %w: f32[64] rep(dp)) {
  %0 = rank_index() {group = @dp}
  %1 = cast(%0) {dtype = f32}
  %2 = vary(%w) {dimensions = "dp"}
  %3 = mul(%2, %1)
  %4 = add(%h, %w)
  %5 = constant() {value = f32[] 1}
  return %4, %3, %5
}
func @f(%h: f32[64] rep(dp), %w: f32[64] rep(dp)) {
  %0, %1, %2 = scan(%h, %w) {body = @body, carries = 1, sequences = 0, length = 3}
  return %0, %1, %2
}
)"),
            1U);
}

TEST(SimplifyLoops, MergesLoopsThatTakeANumberAsTheSameOnDifferentRanks) {
  EXPECT_EQ(loops_left(R"(
private func @a(%h: f32[2], %c: f32[2]) {
  %0 = add(%h, %h)
  %1 = mul(%h, %c)
  return %0, %1
}
private func @b(%h: f32[2], %v: f32[2] rep(dp), %c: f32[2] rep(dp)) {
  %0 = add(%h, %h)
  %1 = mul(%v, %c)
  return %0, %1
}
func @f(%h: f32[2], %v: f32[2] rep(dp)) {
  %c = constant() {value = f32[2] [1, 2]}
  %0, %1 = scan(%h, %c) {body = @a, carries = 1, sequences = 0, length = 3}
  %2, %3 = scan(%h, %v, %c) {body = @b, carries = 1, sequences = 0, length = 3}
  return %0, %1, %3
}
)"),
            1U);
}

TEST(SimplifyLoops, KeepsLoopsApartWhoseNumbersCountAsTheSameOnDifferentRanks) {
  EXPECT_EQ(loops_left(R"(
private func @a(%h: f32[2] rep(dp)) {
  %0 = add(%h, %h)
  %1 = constant() {value = f32[] 1}
  return %0, %1
}
private func @b(%h: f32[2] rep(dp), %x: f32[2]) {
  %0 = add(%h, %h)
  %1 = mul(%x, %x)
  return %0, %1
}
func @f(%h: f32[2] rep(dp), %x: f32[2]) {
  %0, %1 = scan(%h) {body = @a, carries = 1, sequences = 0, length = 3}
  %2, %3 = scan(%h, %x) {body = @b, carries = 1, sequences = 0, length = 3}
  return %0, %1, %2, %3
}
)"),
            2U);
}

}  // namespace
}  // namespace tutti::ir::simplify_loops_test
