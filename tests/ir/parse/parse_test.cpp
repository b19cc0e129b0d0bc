#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>

#include <filesystem>
#include <random>

#include "tests/support/golden.h"
#include "tests/support/random/random_program.h"
#include <gmock/gmock.h>

namespace tutti::ir::parse_test {
namespace {

using test::read_test_file;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The .tutti files of a folder under tests/, by path under tests/.
std::vector<std::string> programs_in(const std::string& folder) {
  const std::filesystem::path root = std::filesystem::path(TUTTI_SOURCE_DIR) / "tests";
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
    if (entry.path().extension() != ".tutti") continue;
    out.push_back(folder + "/" + entry.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string name_of_program(const testing::TestParamInfo<std::string>& program) {
  return std::filesystem::path(program.param).stem().string();
}

// The only function of a text that holds just its body's lines.
Graph body(const std::string& lines) {
  Module module = parse("func @f(%x: f32[2,3], %y: f32[2,3]) {\n" + lines + "return\n}\n");
  return std::move(module.functions.at(0));
}

// The first attribute of the body's first node.
Attribute attribute(const std::string& line) { return body(line + "\n").node(2).attributes.at(0); }

void expect_refused(const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { parse(text, "f.tutti"); }, ThrowsMessage<ParseError>(HasSubstr(message)));
}

void expect_refused_line(const std::string& line, const std::string& message) {
  EXPECT_THAT([&] { body(line + "\n"); }, ThrowsMessage<ParseError>(HasSubstr(message)));
}

class Canonical : public testing::TestWithParam<std::string> {};

TEST_P(Canonical, PrintsAsItWasRead) {
  const Module module = parse(read_test_file(GetParam()), GetParam());
  EXPECT_TRUE(test::matches_golden(print(module), GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Ir, Canonical, testing::ValuesIn(programs_in("ir/golden")),
                         name_of_program);

// One mistake, one file: what is wrong stands in its comment `// error: <part of the message>`.
class Refused : public testing::TestWithParam<std::string> {};

TEST_P(Refused, WithItsMessage) {
  const std::string text = read_test_file(GetParam());
  const std::string mark = "// error: ";
  const std::size_t begin = text.find(mark) + mark.size();
  ASSERT_GE(begin, mark.size()) << "no '" << mark << "' in the file";
  const std::string expected = text.substr(begin, text.find('\n', begin) - begin);
  try {
    for (const Graph& function : parse(text).functions) verify(function);
    FAIL() << "the program was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(Ir, Refused, testing::ValuesIn(programs_in("errors/ir")), name_of_program);

TEST(Parse, EveryOpHasALineInTheGoldenProgram) {
  std::vector<bool> seen(kOpCount);
  for (const Graph& function : parse(read_test_file("ir/golden/every_op.tutti")).functions) {
    for (NodeId id = 0; id < function.node_count(); ++id) {
      seen[static_cast<std::size_t>(function.node(id).op)] = true;
    }
  }
  for (const Definition& entry : definitions()) {
    EXPECT_TRUE(seen[static_cast<std::size_t>(entry.op)])
        << "add a line with '" << entry.name << "' to tests/ir/golden/every_op.tutti";
  }
}

TEST(Parse, GivesBackWhatWasPrinted) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto mesh = seed % 2 == 0 ? test::mesh_of_four() : nullptr;
    const Graph graph = test::random_program(seed, {.nodes = 30, .mesh = mesh}).graph;
    const std::string text = print(graph);
    const Module module = parse(text);
    ASSERT_EQ(module.functions.size(), 1U);
    EXPECT_TRUE(structurally_equal(module.functions[0], graph)) << text;
    EXPECT_EQ(structural_hash(module.functions[0]), structural_hash(graph));
    EXPECT_EQ(print(module), text);
  }
}

TEST(Parse, FreeText) {
  const Module module = parse(R"(
    // No header, comments anywhere, any layout, attributes in any order, types left out.
    func @f(%x:f32[2,3],//the input
            %0: f32[3]){
      %a.b = sum(%x){keepdims=true,axes=[0]}
      %7 = add(%0, %a.b) : f32[1,3]  // model.cpp:12
      return %7, %x }
    func @g() -> () { return })");
  ASSERT_EQ(module.functions.size(), 2U);
  EXPECT_EQ(module.functions[0].node(3).location, Location("model.cpp", 12));
  EXPECT_FALSE(module.functions[0].node(2).location.known());
  EXPECT_EQ(print(module), R"(// tutti ir 1

func @f(%x: f32[2,3], %_0: f32[3]) -> (f32[1,3], f32[2,3]) {
  %0 = sum(%x) {axes = [0], keepdims = true} : f32[1,3]
  %1 = add(%_0, %0) : f32[1,3]                                          // model.cpp:12
  return %1, %x
}

func @g() -> () {
  return
}
)");
}

TEST(Parse, Attributes) {
  EXPECT_EQ(std::get<std::int64_t>(attribute("%0 = softmax(%x) {axis = 1}")), 1);
  EXPECT_EQ(std::get<std::string>(attribute(R"(%0 = gelu(%x) {approximate = "\x74anh"})")), "tanh");
  const Graph norm = body(
      "%0 = constant() {value = f32[3] [1, 2, 3]}\n"
      "%1 = layer_norm(%x, %0, %0) {epsilon = 1e-3}\n");
  EXPECT_EQ(std::get<double>(norm.node(3).attributes[0]), 1e-3);
  EXPECT_EQ(std::get<DType>(attribute("%0 = cast(%x) {dtype = bf16}")), DType::bf16);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(attribute("%0 = sum(%x) {axes = [0, 1]}")),
            (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(attribute("%0 = sum(%x) {axes = []}")),
            std::vector<std::int64_t>());
  EXPECT_EQ(*std::get<ArrayPtr>(attribute("%0 = constant() {value = i8[] -7}")),
            Array::scalar(std::int8_t{-7}));
  EXPECT_EQ(body("%0 = neg(%x) {fusion = 12}\n").node(2).fusion, 12);
}

TEST(Parse, GroupsInAllForms) {
  const auto group = [](const std::string& top, const std::string& fields) {
    const Module module = parse(top + "\nfunc @f() {\n barrier() {" + fields + "}\n return\n}\n");
    return *module.functions.at(0).attributes(0).group("group");
  };
  const Group pairs{.tag = "dp", .ranks = {0, 2, 1, 3}, .stride = 2};
  EXPECT_EQ(group("group @dp = {ranks = [0, 2, 1, 3], stride = 2}", "group = @dp"), pairs);
  EXPECT_EQ(group("group @g = {tag = \"dp\", stride = 2, ranks = [0, 2, 1, 3]}", "group = @g"),
            pairs);
  EXPECT_EQ(group("group @dp = mesh(dp = 2, tp = 2).dp", "group = @dp"), pairs);
  EXPECT_EQ(group("", "tag = \"dp\", ranks = [0, 2, 1, 3], stride = 2"), pairs);
  EXPECT_EQ(group("group @dp = mesh(pp = 2, dp = 2, tp = 2).dp.tp", "group = @dp"),
            (Group{.tag = "dp", .ranks = {0, 1, 2, 3, 4, 5, 6, 7}, .stride = 4}));
  EXPECT_EQ(group("group @all = {ranks = [0..4]}", "group = @all"),
            (Group{.tag = "all", .ranks = {0, 1, 2, 3}, .stride = 4}));
  EXPECT_EQ(group("", "ranks = [4..6, 0, 1]"),
            (Group{.tag = "", .ranks = {4, 5, 0, 1}, .stride = 4}));
  EXPECT_EQ(group("", "ranks = [4, 5], algorithm = \"two_shot\""),
            (Group{.tag = "", .ranks = {4, 5}, .stride = 2, .algorithm = Algorithm::two_shot}));
}

TEST(Parse, NodesOfOneNamedGroupShareIt) {
  const Module module = parse(
      "group @g = {ranks = [0, 1]}\nfunc @f() {\n"
      "barrier() {group = @g}\nbarrier() {group = @g}\nreturn\n}\n");
  EXPECT_EQ(module.functions[0].attributes(0).group("group"),
            module.functions[0].attributes(1).group("group"));
}

TEST(Parse, MessagesShowThePlace) {
  EXPECT_THAT([] { parse("func @f(%x: f32[2]) {\n\t%0 = nek(%x)\n  return\n}\n", "a/b.tutti"); },
              ThrowsMessage<ParseError>("a/b.tutti:2:7: unknown op 'nek'; did you mean 'neg'?\n"
                                        " %0 = nek(%x)\n"
                                        "      ^"));
}

TEST(Parse, MessagesOfLongLinesAreShort) {
  const std::string text = "func @f() {" + std::string(1'000'000, ' ') + "nek()" +
                           std::string(1'000'000, ' ') + "return\n}\n";
  try {
    parse(text);
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_LT(std::string(error.what()).size(), 400U);
    EXPECT_THAT(error.what(), HasSubstr("nek()"));
  }
}

TEST(Parse, RefusesNumbersThatDoNotFit) {
  const auto constant = [](const std::string& value) {
    return "%0 = constant() {value = " + value + "}";
  };
  expect_refused_line(constant("i8[] 128"), "128 does not fit in i8");
  expect_refused_line(constant("u8[] -1"), "'-1' is no integer of type u8");
  expect_refused_line(constant("i64[] 9223372036854775808"), "does not fit in i64");
  expect_refused_line(constant("f32[] 1e39"), "1e39 does not fit in f32");
  expect_refused_line(constant("f16[] 65520"), "65520 does not fit in f16");
  expect_refused_line(constant("f8_e4m3fn[] 465"), "465 does not fit in f8_e4m3fn");
  expect_refused_line(constant("f8_e4m3fn[] -inf"), "f8_e4m3fn has no infinity");
  expect_refused_line(constant("i32[] 1.5"), "'1.5' is no integer of type i32");
  expect_refused_line(constant("f32[] 1.5.2"), "'1.5.2' is no number of type f32");
  expect_refused_line(constant("f32[] infinity"), "expected a number of type f32");
  expect_refused_line(constant("f32[] -infinity"), "'-infinity' is no number");
  expect_refused_line(constant("f32[] 0x10"), "'0x10' is no number");
  expect_refused_line(constant("f32[] nan(0x7f800000)"), "these bits are no NaN");
  expect_refused_line(constant("f16[] nan(0x17e00)"), "does not fit in f16");
  expect_refused_line(constant("bool[] 1"), "expected true or false");
}

TEST(Parse, RefusesWhatAsksForTooMuch) {
  const std::string large = "1152921504606846976";  // 2^60
  expect_refused("func @f(%x: f32[" + large + "]) { return }", "has 2^60 elements or more");
  expect_refused("func @f(%x: f32[0," + large + "]) { return }", "has 2^60 elements or more");
  expect_refused("func @f(%x: f32[1,1,1,1,1,1,1,1,1]) { return }", "at most 8 are supported");
  expect_refused_line("%0 = constant() {value = f32[1000000000000] [1, 2]}", "expected ','");
  expect_refused("group @g = {ranks = [0..1000000000]}", "too many ranks");
  expect_refused("group @g = {ranks = [0, 1], algorithm = \"ring\"}", "an algorithm is \"auto\"");
  expect_refused("mesh (a = 1024, b = 1025)", "at most 1048576 ranks");
  expect_refused("mesh (\"a,b\" = 2)", "has no commas");
  expect_refused("mesh (\"\" = 2)", "is not empty");
  std::string groups;
  for (int i = 0; i < 5; ++i)
    groups += "group @g" + std::to_string(i) + " = {ranks = [0..1048576]}\n";
  expect_refused(groups, "f.tutti:5:");
  const std::string many = "9223372036854775807";
  expect_refused_line("%0 = constant() {value = f32[] 0}\n%1 = pad(%x, %0) {low = [" + many +
                          ", 0], high = [1, 0], interior = [0, 0]}",
                      "the paddings are too large");
  EXPECT_EQ(body("%0 = slice(%x) {start = [0, 0], stop = [2, 3], step = [" + many + ", 1]}\n")
                .type(Value{2})
                .shape,
            Shape({1, 3}));
}

// Texts of a few 100 kB that a careless parser or type rule would chew on for minutes.
TEST(Parse, TakesLinearTime) {
  const auto repeated = [](const std::string& part, int count = 100'000) {
    std::string out;
    for (int i = 0; i < count; ++i) out += part;
    return out;
  };
  expect_refused(repeated("("), "expected");
  expect_refused_line("%0 = constant() {value = f32[2] " + repeated("["), "expected");
  expect_refused_line("%0 = sum(%x) {axes = [0" + repeated(", 0") + "]}", "increasing");
  expect_refused_line("%0 = expand_dims(%x) {axes = [0" + repeated(", 0") + "]}", "at most 8");
  expect_refused_line("%0 = reshape(%x) {shape = [1" + repeated(", 1") + "]}", "at most 8");
  expect_refused_line("%0 = " + repeated("a") + "(%x)", "unknown op");
  expect_refused_line("%0 = neg(%x) {" + repeated("a") + " = 1}", "has no attribute");
  expect_refused_line("%0 = concat(%x" + repeated(", %x") + ") {axis = 7}", "axis 7");
  // Many nodes with large groups, some of them taking turns.
  std::string text = "mesh (dp = 20000)\n";
  for (int g = 0; g < 10; ++g) text += "group @g" + std::to_string(g) + " = {ranks = [0..20000]}\n";
  text += "func @f(%x: f32[2]) {\n";
  for (int i = 0; i < 3'000; ++i) {
    text += "%" + std::to_string(i) + " = all_reduce(%x) {op = \"sum\", group = @g" +
            std::to_string(i % 10) + "}\n";
  }
  const Module module = parse(text + "return\n}\n");
  verify(module.functions[0]);
  EXPECT_GT(print(module).size(), text.size());
}

// Whatever is done to a program's text, it is read or refused with a ParseError.
TEST(Parse, NeverCrashesOnDamagedText) {
  std::vector<std::string> texts = {read_test_file("ir/golden/literals.tutti"),
                                    read_test_file("ir/golden/names.tutti")};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {  // short ones, so that damage has consequences
    const auto mesh = seed % 2 == 0 ? test::mesh_of_four() : nullptr;
    texts.push_back(
        print(test::random_program(
                  seed, {.nodes = 8, .shapes = {{2}, {}}, .most_elements = 4, .mesh = mesh})
                  .graph));
  }
  // And every op on a line of its own.
  const std::string every_op = read_test_file("ir/golden/every_op.tutti");
  const std::size_t structured = every_op.find("func @structured");
  const std::size_t body = every_op.find(") {\n", structured) + 4;
  const std::string signature =
      every_op.substr(structured, every_op.find("\n) ->", structured) - structured) + "\n) {\n";
  for (std::size_t at = body; every_op.compare(at, 8, "  return") != 0;) {
    const std::size_t end = every_op.find('\n', at) + 1;
    texts.push_back(signature + every_op.substr(at, end - at) + "return\n}\n");
    at = end;
  }
  const std::vector<std::string> pieces = {"{",
                                           "}",
                                           "(",
                                           ")",
                                           "[",
                                           "]",
                                           "%",
                                           "@",
                                           "\"",
                                           "..",
                                           "->",
                                           "-",
                                           "9223372036854775807",
                                           "0",
                                           "rep(",
                                           "async ",
                                           "nan(",
                                           "\n",
                                           "//",
                                           "\\",
                                           std::string(1, '\0'),
                                           "\xFF",
                                           "*",
                                           "f32[",
                                           "e",
                                           ", ",
                                           " = ",
                                           "return",
                                           "mesh (a = 2)\n"};
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  int taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = texts[below(texts.size())];
    for (std::size_t damage = below(3) + 1; damage > 0 && !text.empty(); --damage) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text.erase(at, below(4) + 1);
          break;
        case 1:
          text.insert(at, pieces[below(pieces.size())]);
          break;
        case 2:
          text[at] = static_cast<char>(below(256));
          break;
        default:
          std::swap(text[at], text[below(text.size())]);
          break;
      }
    }
    try {
      const Module module = parse(text);
      const std::string printed = print(module);
      ASSERT_EQ(print(parse(printed)), printed) << text;
      for (const Graph& function : module.functions) verify(function);
      ++taken;
    } catch (const ParseError&) {
    } catch (const VerifyError&) {
    }
  }
  EXPECT_GT(taken, 500);
}

}  // namespace
}  // namespace tutti::ir::parse_test
