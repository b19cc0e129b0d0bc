// Reads and writes .npy files through `tutti run` and a program that returns its argument.

#include "tests/support/command.h"
#include "tests/tools/npy_file.h"
#include <gmock/gmock.h>

namespace tutti::npy_test {
namespace {

using test::CommandResult;
using test::npy_array;
using test::npy_file;
using test::run_command;
using test::TemporaryFolder;
using testing::HasSubstr;

const std::string kTutti = TUTTI_BINARY_DIR "/bin/tutti";

// Runs the identity on an f32[2,3] or other type, from x.npy to out/0.npy.
CommandResult run_identity(const TemporaryFolder& folder, const std::string& type,
                           const std::string& file) {
  const std::string program =
      folder.write("identity.tutti", "func @f(%x: " + type + ") { return %x }\n");
  const std::string x = folder.write("x.npy", file);
  return run_command(
      {kTutti, "run", program, "--input", "x=" + x, "--output", folder.path() / "out"});
}

void expect_same(const std::string& type, const std::string& file) {
  const TemporaryFolder folder;
  const CommandResult result = run_identity(folder, type, file);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(folder.read("out/0.npy"), file) << type;
}

void expect_refused(const std::string& file, const std::string& message,
                    const std::string& type = "f32[2,3]") {
  const TemporaryFolder folder;
  const CommandResult result = run_identity(folder, type, file);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr(message));
  EXPECT_THAT(result.errors, HasSubstr("x.npy: "));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

const std::string kData(24, '\0');
std::string header(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

TEST(Npy, KeepsEveryDtypeBitByBit) {
  expect_same("bool[2]", npy_array<char>("|b1", "(2,)", {1, 0}));
  expect_same("u8[2]", npy_array<std::uint8_t>("|u1", "(2,)", {1, 255}));
  expect_same("u16[1]", npy_array<std::uint16_t>("<u2", "(1,)", {0xABCD}));
  expect_same("u32[1]", npy_array<std::uint32_t>("<u4", "(1,)", {0xDEADBEEF}));
  expect_same("u64[1]", npy_array<std::uint64_t>("<u8", "(1,)", {UINT64_MAX}));
  expect_same("i8[1]", npy_array<std::int8_t>("|i1", "(1,)", {-128}));
  expect_same("i16[1]", npy_array<std::int16_t>("<i2", "(1,)", {-2}));
  expect_same("i32[1]", npy_array<std::int32_t>("<i4", "(1,)", {INT32_MIN}));
  expect_same("i64[1]", npy_array<std::int64_t>("<i8", "(1,)", {INT64_MIN}));
  expect_same("f16[2]", npy_array<std::uint16_t>("<f2", "(2,)", {0x7E01, 0x8000}));
  expect_same("f32[2]", npy_array<std::uint32_t>("<f4", "(2,)", {0x7F800001, 0x80000000}));
  expect_same("f64[1]", npy_array<double>("<f8", "(1,)", {0.1}));
}

TEST(Npy, KeepsEveryShape) {
  expect_same("f32[]", npy_array<float>("<f4", "()", {1}));
  expect_same("f32[2,3]", npy_array<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6}));
  expect_same("f32[0]", npy_array<float>("<f4", "(0,)", {}));
  expect_same("f32[2,0,3]", npy_array<float>("<f4", "(2, 0, 3)", {}));
}

TEST(Npy, ReadsOtherSpellings) {
  const TemporaryFolder folder;
  const std::string data(24, '\x3F');
  for (const std::string text :
       {"{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}",
        "{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3,), }  \n "}) {
    const CommandResult result = run_identity(folder, "f32[2,3]", npy_file(text, data));
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(folder.read("out/0.npy"), npy_file(header("<f4", "(2, 3)"), data));
  }
  // Format 2.0 has a longer length.
  std::string file = npy_file(header("<f4", "(2, 3)"), data);
  file[6] = 2;
  file.insert(10, std::string(2, '\0'));
  EXPECT_EQ(run_identity(folder, "f32[2,3]", file).status, 0);
}

TEST(Npy, RefusesOtherDtypes) {
  expect_refused(npy_file(header(">f4", "(2, 3)"), kData),
                 "big endian; save it with astype('<f4')");
  expect_refused(npy_file(header("<V2", "(2, 3)"), kData),
                 "(bfloat16 is saved so); save it as f32");
  expect_refused(npy_file(header("|V1", "(2, 3)"), kData),
                 "(floats of 8 bits are saved so); save it as f32");
  expect_refused(npy_file(header("<c8", "(2, 3)"), kData), "the dtype '<c8' is none of");
  expect_refused(npy_file(header("|O", "(2, 3)"), kData), "the dtype '|O' is none of");
  expect_refused(npy_file(header("<f8", "(3,)"), kData),
                 "%x of @f is f32[2,3], but the file holds f64[3]");
  expect_refused(npy_array<char>("|b1", "(2,)", {1, 2}), "a bool that is neither 0 nor 1",
                 "bool[2]");
}

TEST(Npy, RefusesBfloat16BothWays) {
  const TemporaryFolder folder;
  const std::string narrow =
      folder.write("in.tutti", "func @f(%x: bf16[1]) { %0 = cast(%x) {dtype = f32}\nreturn %0 }\n");
  const std::string x = folder.write("x.npy", npy_array<std::uint16_t>("<u2", "(1,)", {1}));
  const CommandResult in = run_command({kTutti, "run", narrow, "--input", "x=" + x});
  EXPECT_EQ(in.status, 1);
  EXPECT_THAT(in.errors, HasSubstr(".npy files have no bf16: take f32 and cast in the program"));
  const std::string program =
      folder.write("out.tutti", "func @f() { %0 = constant() {value = bf16[] 1}\nreturn %0 }\n");
  const CommandResult out =
      run_command({kTutti, "run", program, "--output", folder.path() / "new"});
  EXPECT_EQ(out.status, 1);
  EXPECT_THAT(out.errors,
              HasSubstr("result 0 is bf16, which .npy files cannot hold; cast it to f32"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "new"));
}

TEST(Npy, RefusesBadHeaders) {
  const std::string good = npy_file(header("<f4", "(2, 3)"), kData);
  expect_refused("", "this is no .npy file");
  expect_refused("not a npy file at all", "this is no .npy file");
  expect_refused(good.substr(0, 60), "the file ends inside its header");
  std::string version = good;
  version[6] = 3;
  expect_refused(version, ".npy format 3.0 is not supported; 1.0 and 2.0 are");
  expect_refused(std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12), "is too long");
  const auto refuse = [](const std::string& text, const std::string& message) {
    expect_refused(npy_file(text, kData), message);
  };
  refuse("", "'{' at its start");
  refuse("{'descr': '<f4', 'shape': (2, 3)}", "the header needs descr, fortran_order and shape");
  refuse("{'descr': '<f4', 'descr': '<f4'}", "two descr fields");
  refuse("{'colour': 'red'}", "an unknown field 'colour'");
  refuse("{'descr': '<f4}", "a text in quotes");
  refuse("{'descr' '<f4'}", "':' after a field's name");
  refuse(header("<f4", "(2, 3)") + "}", "the header goes on after its '}'");
  refuse("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", "Fortran order");
  refuse("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }", "True or False");
  for (const std::string shape : {"(2, x)", "(2, 99999999999999999999)", "(1,1,1,1,1,1,1,1,1)"}) {
    refuse(header("<f4", shape), "the shape should be up to 8 integers");
  }
  refuse(header("<f4", "(6)"), "should be written (n,)");
  refuse(header("<f4", "[2, 3]"), "a shape in parentheses");
  refuse(header("<f4", "(-2, 3)"), "a negative size");
  refuse(header("<f4", "(1152921504606846976,)"), "2^60 elements or more");
}

TEST(Npy, RefusesShortAndLongFiles) {
  const std::string good = npy_file(header("<f4", "(2, 3)"), kData);
  expect_refused(good.substr(0, good.size() - 1),
                 "f32[2,3] needs 24 bytes of data, but the file has 23");
  expect_refused(good + "x", "but the file has 25");
  expect_refused(npy_file(header("<f4", "(1000000000000,)"), kData), "needs 4000000000000 bytes");
}

}  // namespace
}  // namespace tutti::npy_test
