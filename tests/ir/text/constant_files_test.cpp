#include <tutti/ir/builder.h>
#include <tutti/ir/parse/parse.h>

#include <filesystem>

#include "tests/support/command.h"
#include <gmock/gmock.h>

// Large constants beside the text.
namespace tutti::ir::constant_files_test {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

namespace fs = std::filesystem;

Array counting(DType dtype, const Shape& shape) {
  Array out(dtype, shape);
  std::uint8_t next = 0;
  for (std::byte& byte : out.bytes())
    byte = static_cast<std::byte>(dtype == DType::boolean ? 1 : next++);
  return out;
}

Graph with_constants(const std::vector<Array>& arrays) {
  Graph graph;
  graph.name = "f";
  Builder builder(graph);
  std::vector<Value> results;
  for (const Array& array : arrays) results.push_back(builder.constant(array));
  graph.set_results(results);
  return graph;
}

std::size_t files_in(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ConstantFiles, AreReadBackWithTheirText) {
  const TemporaryFolder folder;
  std::vector<Array> arrays;
  for (int i = 0; i < kDTypeCount; ++i) arrays.push_back(counting(static_cast<DType>(i), {5, 13}));
  const Graph graph = with_constants(arrays);
  const StoreConstant store = store_constants_beside(folder.path());
  const std::string text = print(graph, store);
  EXPECT_THAT(text, HasSubstr("{value = bf16[5,13] file(\"constants/"));
  EXPECT_LT(text.size(), arrays.size() * 150);
  const Module read = parse(text, "p.tutti", load_constants_beside(folder.path()));
  EXPECT_TRUE(structurally_equal(read.functions[0], graph));
  EXPECT_EQ(print(read, store), text);
  EXPECT_EQ(files_in(folder.path() / "constants"), arrays.size());
}

TEST(ConstantFiles, SmallConstantsStayInTheText) {
  const TemporaryFolder folder;
  const StoreConstant store = store_constants_beside(folder.path());
  const Graph small = with_constants({counting(DType::f32, {kMostInline})});
  EXPECT_EQ(print(small, store), print(small));
  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST(ConstantFiles, EqualOnesAreOneFile) {
  const TemporaryFolder folder;
  const Array array = counting(DType::i32, {100});
  print(with_constants({array, array}), store_constants_beside(folder.path()));
  print(with_constants({array}), store_constants_beside(folder.path()));
  EXPECT_EQ(files_in(folder.path() / "constants"), 1U);
}

TEST(ConstantFiles, AFileThatWasCutIsWrittenAgain) {
  const TemporaryFolder folder;
  const Graph graph = with_constants({counting(DType::i32, {100})});
  const StoreConstant store = store_constants_beside(folder.path());
  const std::string text = print(graph, store);
  for (const auto& entry : fs::directory_iterator(folder.path() / "constants")) {
    fs::resize_file(entry.path(), 8);
  }
  EXPECT_THROW(parse(text, "p.tutti", load_constants_beside(folder.path())), ParseError);
  print(graph, store);
  EXPECT_NO_THROW(parse(text, "p.tutti", load_constants_beside(folder.path())));
}

std::string error_of(const std::string& text, const LoadConstant& load) {
  try {
    parse(text, "p.tutti", load);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "taken";
}

TEST(ConstantFiles, MistakesAreNamedWithTheirPlace) {
  TemporaryFolder folder;
  folder.write("data.bin", "12345678");
  const LoadConstant load = load_constants_beside(folder.path());
  const auto program = [](const std::string& value) {
    return "func @f() {\n  %0 = constant() {value = " + value + "}\n  return %0\n}\n";
  };
  EXPECT_EQ(error_of(program("f32[2] file(\"data.bin\")"), load), "taken");
  EXPECT_THAT(error_of(program("f32[2] file(\"data.bin\")"), {}),
              HasSubstr("p.tutti:2:40: this constant lies in a file, and the text was read without "
                        "the files beside it"));
  EXPECT_THAT(error_of(program("f32[3] file(\"data.bin\")"), load),
              HasSubstr("data.bin: has 8 bytes, not the 12 of f32[3]"));
  EXPECT_THAT(error_of(program("f32[3] file(\"none.bin\")"), load),
              HasSubstr("none.bin: cannot be read: No such file"));
  EXPECT_THAT(error_of(program("bool[8] file(\"data.bin\")"), load),
              HasSubstr("data.bin: has bytes that are no bool"));
  EXPECT_THAT(error_of(program("f32[3] file(none)"), load),
              HasSubstr("expected the name of a file in quotes, not 'none'"));
}

TEST(ConstantFiles, LieInTheFolderOfTheText) {
  TemporaryFolder folder;
  const std::string data = folder.write("data.bin", "12345678");
  const LoadConstant load = load_constants_beside(folder.path());
  EXPECT_NO_THROW(load("data.bin", DType::f32, {2}));
  const std::string beside = "../" + fs::path(folder.path()).filename().string() + "/data.bin";
  for (const std::string& name :
       {data, beside, std::string("./../data.bin"), std::string("data.bin\0", 9)}) {
    try {
      load(name, DType::f32, {2});
      ADD_FAILURE() << name << " was read";
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("a file in the text's folder"));
    }
  }
}

// Those of functions that nodes run, too.
TEST(ConstantFiles, FunctionsInsideHaveTheirsInFiles) {
  TemporaryFolder folder;
  std::string elements;
  for (int i = 0; i < 100; ++i) elements += (i == 0 ? "" : ", ") + std::to_string(i);
  const Graph graph =
      parse(
          "private func @inner(%i: i32[100]) {\n"
          "  %0 = constant() {value = i32[100] [" +
          elements +
          "]}\n"
          "  %1 = add(%i, %0)\n"
          "  return %1\n"
          "}\n"
          "private func @outer(%i: i32[100]) {\n"
          "  %0 = scan(%i) {body = @inner, carries = 1, sequences = 0, length = 2}\n"
          "  return %0\n"
          "}\n"
          "func @f(%i: i32[100]) {\n"
          "  %0 = scan(%i) {body = @outer, carries = 1, sequences = 0, length = 2}\n"
          "  return %0\n"
          "}\n")
          .functions.at(0);
  const std::string text = print(graph, store_constants_beside(folder.path()));
  EXPECT_THAT(text, HasSubstr("{value = i32[100] file(\"constants/"));
  EXPECT_EQ(files_in(fs::path(folder.path()) / "constants"), 1U);
  const Module read = parse(text, "p.tutti", load_constants_beside(folder.path()));
  EXPECT_TRUE(structurally_equal(read.functions.at(0), graph));
}

TEST(ConstantFiles, AFolderThatCannotBeWrittenIsAnError) {
  TemporaryFolder folder;
  folder.write("constants", "a file where the folder should be");
  const Graph graph = with_constants({counting(DType::i32, {100})});
  EXPECT_THROW(print(graph, store_constants_beside(folder.path())), EnvironmentError);
}

}  // namespace
}  // namespace tutti::ir::constant_files_test
