#include <tutti/codegen/kernel/parse_kernel.h>

#include <limits>

#include "tests/codegen/named_kernels.h"
#include "tests/support/golden.h"
#include <gtest/gtest.h>

// Kernels as text: tests/codegen/golden/*.kernel show it.
namespace tutti::codegen::kernel_text_test {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

void expect_round_trip(const Kernel& kernel) {
  const std::string text = print(kernel);
  EXPECT_EQ(print(parse_kernel(text)), text);
  EXPECT_EQ(kernel_hash(parse_kernel(text)), kernel_hash(kernel)) << text;
}

TEST(KernelText, GivesBackIndicesOfEveryKind) {
  for (const Affine& address :
       {Affine{.offset = 0, .outer = {0, 0}, .inner = {0}},
        Affine{.offset = -3, .outer = {1, -1}, .inner = {-20}},
        Affine{.offset = 0, .outer = {-1, 0}, .inner = {7}},
        Affine{.offset = kLeast, .outer = {kLeast, kLeast}, .inner = {-1}}}) {
    Kernel kernel{.name = "not a word",
                  .outer = {2, 3},
                  .inner = {4},
                  .block = kLanes,
                  .buffers = {},
                  .segments = {},
                  .value_count = 1};
    Segment& segment = kernel.segments.emplace_back();
    segment.loop = true;
    segment.body.push_back(
        {.kind = Instruction::Kind::index, .address = address, .result = 0, .type = DType::i64});
    expect_round_trip(kernel);
    EXPECT_EQ(parse_kernel(print(kernel)).segments[0].body[0].address, address);
  }
}

TEST(KernelText, GivesBackConstantsBitByBit) {
  for (const std::string constant :
       {"f32 = constant nan:0x7fc00001", "f32 = constant -inf", "f32 = constant 1e-45",
        "f64 = constant 0.1", "f64 = constant nan:0xfff8000000000000", "bool = constant true",
        "u64 = constant 18446744073709551615", "i64 = constant -9223372036854775808",
        "f32 = constant -0"}) {
    const std::string text =
        "kernel k outer [1] inner [] along outer block 16 values 1 {\n  point\n    %0: " +
        constant + "\n}\n";
    EXPECT_EQ(print(parse_kernel(text)), text);
  }
}

TEST(KernelText, GivesBackBounds) {
  const std::string text = R"(kernel k outer [4, 9] inner [5] along outer block 16 values 2 {
  b0: bf16 read
  loop
    %0: f32 = load b0[-3 + o1 + 7*i0] where o1 in 3..8, i0 in 0..4 else -0
    %1: f32 = load b0[o1]
}
)";
  EXPECT_EQ(print(parse_kernel(text)), text);
  EXPECT_EQ(parse_kernel(text).segments[0].body[0].bounds,
            (std::vector<Bound>{{.inner = false, .axis = 1, .begin = 3, .end = 8},
                                {.inner = true, .axis = 0, .begin = 0, .end = 4}}));
}

TEST(KernelText, GivesBackStarts) {
  const std::string text = R"(kernel k outer [4] inner [] along outer block 16 values 1 {
  b0: f32 read at 8*clamp(b1[2], 5) + clamp(b2[0], 0) + -3*clamp(b1[0], 7)
  b1: i32 read
  b2: u64 read
  point
    %0: f32 = load b0[o0]
}
)";
  EXPECT_EQ(print(parse_kernel(text)), text);
  EXPECT_EQ(parse_kernel(text).buffers[0].starts,
            (std::vector<Start>{{.buffer = 1, .element = 2, .most = 5, .stride = 8},
                                {.buffer = 2, .element = 0, .most = 0, .stride = 1},
                                {.buffer = 1, .element = 0, .most = 7, .stride = -3}}));
}

TEST(KernelText, GivesBackTermsOfValues) {
  const std::string text = R"(kernel k outer [4, 9] inner [] along outer block 16 values 3 {
  b0: i32 read
  b1: f32 read
  point
    %0: i32 = load b0[o0]
    %1: f32 = load b1[3 + o1 - 9*clamp(%0, 5) + clamp(%0, 0)]
    %2: f32 = load b1[64*clamp(%0, 999)] where o1 in 3..8 else 0
}
)";
  const Kernel kernel = parse_kernel(text);
  EXPECT_EQ(print(kernel), text);
  check(kernel);
  const Instruction& load = kernel.segments[0].body[1];
  EXPECT_EQ(load.operands, (std::array<ValueId, 3>{0, 0, -1}));
  EXPECT_EQ(load.terms, (std::vector<Term>{{.most = 5, .stride = -9}, {.most = 0, .stride = 1}}));
  std::string other = text;
  other.replace(other.find("999"), 3, "998");
  EXPECT_NE(kernel_hash(parse_kernel(other)), kernel_hash(kernel));
}

TEST(KernelText, GivesBackGoldenKernels) {
  for (const char* name : {"bias", "chain", "column_sum", "half", "softmax", "turned"}) {
    std::string text = test::read_test_file("codegen/golden/" + std::string(name) + ".kernel");
    // A file has the kernels of a group one after another.
    for (std::size_t end = 0; !text.empty(); text.erase(0, end + 4)) {
      end = text.find("\n}\n");
      ASSERT_NE(end, std::string::npos) << name;
      const std::string one = text.substr(text.find("kernel "), end + 3 - text.find("kernel "));
      EXPECT_EQ(print(parse_kernel(one)), one);
      if (text.substr(end + 3) == "\n") break;
    }
  }
}

TEST(KernelText, GivesBackWhatTrainingConsistsOf) {
  for (const auto& [name, kernel] : kernel_testing::named_kernels(kernel_testing::Size::small)) {
    SCOPED_TRACE(name);
    expect_round_trip(kernel);
  }
}

}  // namespace
}  // namespace tutti::codegen::kernel_text_test
