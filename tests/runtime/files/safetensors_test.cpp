// Headers of .safetensors files: what the format allows is read, and nothing else.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/files/safetensors.h>

#include <cstring>
#include <string>

#include "tests/support/command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::safetensors_test {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

std::string file_of(const std::string& header, const std::string& data) {
  std::uint64_t length = header.size();
  std::string out(sizeof(length), '\0');
  std::memcpy(out.data(), &length, sizeof(length));
  return out + header + data;
}

SafetensorsFile read(const std::string& bytes) {
  const TemporaryFolder folder;
  return read_safetensors(InputFile(folder.write("x.safetensors", bytes)));
}

void expect_refused(const std::string& bytes, const std::string& message) {
  SCOPED_TRACE(message);
  try {
    read(bytes);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ParseError& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.safetensors: "));
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

// One tensor with these words in its entry.
void expect_entry_refused(const std::string& entry, const std::string& message,
                          const std::string& data = std::string(8, '\0')) {
  expect_refused(file_of(R"({"a":)" + entry + "}", data), message);
}

TEST(Safetensors, TellsTypesPlacesAndMetadata) {
  const std::string header = R"({"__metadata__":{"format":"pt"},)"
                             R"("b":{"dtype":"BF16","shape":[],"data_offsets":[8,10]},)"
                             R"("a.w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                             R"("none":{"dtype":"I64","shape":[0,3],"data_offsets":[8,8]}})";
  const SafetensorsFile file = read(file_of(header, std::string(10, '\0')));
  const auto begin = static_cast<std::int64_t>(8 + header.size());
  ASSERT_EQ(file.tensors.size(), 3U);
  EXPECT_EQ(file.tensors.at("a.w").type, (ir::Type{.dtype = DType::f32, .shape = {1, 2}}));
  EXPECT_EQ(file.tensors.at("a.w").begin, begin);
  EXPECT_EQ(file.tensors.at("b").type, (ir::Type{.dtype = DType::bf16, .shape = {}}));
  EXPECT_EQ(file.tensors.at("b").begin, begin + 8);
  EXPECT_EQ(file.tensors.at("none").type.shape, Shape({0, 3}));
  EXPECT_THAT(file.metadata, testing::ElementsAre(testing::Pair("format", "pt")));
}

TEST(Safetensors, MayBeEmpty) { EXPECT_TRUE(read(file_of("{}", "")).tensors.empty()); }

TEST(Safetensors, AFileThatIsNoneIsRefused) {
  expect_refused("", "is too short");
  expect_refused("1234567", "is too short");
  expect_refused(file_of("{}", "").substr(0, 9), "or its end is missing");
  expect_refused(std::string(100, '\xFF'), "this is no .safetensors file");
  expect_refused(file_of("", ""), "its header is no JSON");
  expect_refused(file_of("{\"a\":", ""), "its header is no JSON");
  expect_refused(file_of("[]", ""), "its header is no JSON object");
  expect_refused(file_of("{\"\xFF\":1}", ""), "its header is no JSON");
  expect_refused(file_of(std::string(100'000, '['), ""), "nested more deeply");
  std::string many = "{";  // which takes no time that grows with the square of them
  for (int i = 0; i < 100'000; ++i) many += "\"t" + std::to_string(i) + "\":{},";
  expect_refused(file_of(many + "\"t7\":{}}", ""), "\"t7\" is there twice");
  // A length of 2^63 and more, which no file has.
  std::string endless = file_of("{}", "");
  endless[7] = '\x80';
  expect_refused(endless, "or its end is missing");
}

TEST(Safetensors, EntriesThatSayNothingAreRefused) {
  expect_entry_refused("1", "tensor \"a\": should be an object");
  expect_entry_refused("{}", "has no dtype");
  expect_entry_refused(R"({"dtype":1})", "has no dtype");
  expect_entry_refused(R"({"dtype":"C64","shape":[1],"data_offsets":[0,8]})",
                       "its dtype \"C64\" is none of Tutti's");
  expect_entry_refused(R"({"dtype":"F64","data_offsets":[0,8]})", "shape should be a list");
  expect_entry_refused(R"({"dtype":"F64","shape":[-1],"data_offsets":[0,8]})",
                       "shape should be a list of integers");
  expect_entry_refused(R"({"dtype":"F64","shape":[1.5],"data_offsets":[0,8]})",
                       "shape should be a list of integers");
  expect_entry_refused(R"({"dtype":"F64","shape":[18446744073709551615],"data_offsets":[0,8]})",
                       "shape should be a list of integers");
  expect_entry_refused(R"({"dtype":"F64","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,8]})", "9");
  expect_entry_refused(R"({"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,8]})",
                       "elements");
  expect_entry_refused(R"({"dtype":"F64","shape":[1]})", "data_offsets should be a list");
  expect_entry_refused(R"({"dtype":"F64","shape":[1],"data_offsets":[0]})", "[begin, end]");
  expect_entry_refused(R"({"dtype":"F64","shape":[1],"data_offsets":[8,0]})", "[begin, end]");
}

TEST(Safetensors, ElementsFillTheFile) {
  expect_entry_refused(R"({"dtype":"F64","shape":[2],"data_offsets":[0,16]})",
                       "ends at byte 16 of the data, of which the file has 8");
  expect_entry_refused(R"({"dtype":"F64","shape":[2],"data_offsets":[0,8]})",
                       "f64[2] needs 16 bytes, and has 8");
  expect_entry_refused(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})",
                       "has 4 bytes behind the last tensor");
  expect_entry_refused(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})",
                       "tensor \"a\": lies behind bytes that are no tensor's");
  expect_refused(file_of(R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},)"
                         R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                         std::string(8, '\0')),
                 "tensor \"b\": overlaps another one");
}

TEST(Safetensors, NothingIsThereTwice) {
  expect_refused(file_of(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                         R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
                         ""),
                 "\"a\" is there twice");
  expect_refused(
      file_of(R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", ""),
      "\"dtype\" is there twice");
}

TEST(Safetensors, NothingWithoutANameIsThereTwice) {
  expect_refused(file_of(R"({"":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                         R"("":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}})",
                         ""),
                 "\"\" is there twice");
}

TEST(Safetensors, MetadataAreTexts) {
  expect_refused(file_of(R"({"__metadata__":[]})", ""), "its __metadata__ is no object");
  expect_refused(file_of(R"({"__metadata__":{"a":1}})", ""), "has no text for \"a\"");
}

TEST(Safetensors, WhatIsWrittenIsAlignedAndReadBack) {
  const std::vector<NamedType> tensors = {{"small", {.dtype = DType::u8, .shape = {3}}},
                                          {"half", {.dtype = DType::f16, .shape = {3}}},
                                          {"large", {.dtype = DType::f64, .shape = {}}},
                                          {"\"\n\u00e9", {.dtype = DType::u8, .shape = {0}}}};
  const SafetensorsHead head = safetensors_head(tensors, {{"key", "a \"text\""}});
  EXPECT_EQ(head.bytes.size() % 64, 0U);
  EXPECT_THAT(head.order, testing::ElementsAre(2, 1, 0, 3));
  const SafetensorsFile file = read(head.bytes + std::string(8 + 6 + 3, '\0'));
  const auto begin = static_cast<std::int64_t>(head.bytes.size());
  for (const auto& [name, type] : tensors) {
    EXPECT_EQ(file.tensors.at(name).type, type);
    EXPECT_EQ(file.tensors.at(name).begin % size_of(type.dtype), 0);
  }
  EXPECT_EQ(file.tensors.at("large").begin, begin);
  EXPECT_EQ(file.tensors.at("half").begin, begin + 8);
  EXPECT_EQ(file.tensors.at("small").begin, begin + 14);
  EXPECT_EQ(file.metadata.at("key"), "a \"text\"");
}

TEST(Safetensors, NamesThatAFileCannotHaveAreRefused) {
  const ir::Type type{.dtype = DType::u8, .shape = {}};
  EXPECT_THROW(safetensors_head({{"a", type}, {"a", type}}, {}), UsageError);
  EXPECT_THROW(safetensors_head({{"__metadata__", type}}, {}), UsageError);
  EXPECT_THROW(safetensors_head({{"\xFF", type}}, {}), UsageError);
  EXPECT_THROW(safetensors_head({}, {{"a", "\xFF"}}), UsageError);
}

TEST(Safetensors, NoHeaderIsWrittenThatNobodyReads) {
  constexpr std::size_t kMost = 100'000'000;
  try {
    safetensors_head({}, {{"a", std::string(kMost, 'x')}});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("belong in tensors"));
  }
}

TEST(SafetensorsIndex, TellsWhichFileHasWhat) {
  const TemporaryFolder folder;
  const auto index = [&](const std::string& text) {
    return read_safetensors_index(InputFile(folder.write("index.json", text)));
  };
  EXPECT_THAT(index(R"({"metadata":{},"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})"),
              testing::ElementsAre(testing::Pair("a", "1.safetensors"),
                                   testing::Pair("b", "2.safetensors")));
  EXPECT_THROW(index("{}"), ParseError);
  EXPECT_THROW(index("not"), ParseError);
  EXPECT_THROW(index(R"({"weight_map":{"a":1}})"), ParseError);
  for (const char* const path : {"../x", "/etc/passwd", "", ".."}) {
    EXPECT_THROW(index(R"({"weight_map":{"a":")" + std::string(path) + "\"}}"), ParseError) << path;
  }
}

TEST(InputFile, IsAFileThatIsThere) {
  const TemporaryFolder folder;
  EXPECT_THROW(InputFile(folder.path() / "none"), EnvironmentError);
  EXPECT_THROW(InputFile(folder.path()), EnvironmentError);
  EXPECT_THROW(InputFile("/dev/null"), EnvironmentError);
}

TEST(InputFile, SaysThatItBecameShorter) {
  const TemporaryFolder folder;
  const InputFile file(folder.write("x", "12345678"));
  folder.write("x", "123");
  std::array<std::byte, 8> bytes{};
  EXPECT_THROW(file.read(0, bytes), EnvironmentError);
}

TEST(InputFile, AMappingOutlivesTheFileAndItsName) {
  const TemporaryFolder folder;
  std::shared_ptr<std::byte> mapping;
  {
    const InputFile file(folder.write("x", "text"));
    mapping = file.map();
    std::filesystem::remove(folder.path() / "x");
  }
  EXPECT_EQ(std::memcmp(mapping.get(), "text", 4), 0);
}

}  // namespace
}  // namespace tutti::runtime::safetensors_test
