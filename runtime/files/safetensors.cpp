#include <tutti/ir/support/error.h>
#include <tutti/runtime/files/safetensors.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#if TUTTI_HAS_JSON
#include <nlohmann/json.hpp>
#endif

namespace tutti::runtime {

#if TUTTI_HAS_JSON

namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are");

using Json = nlohmann::json;

constexpr std::int64_t kMostHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::size_t kHeadAlignment = 64;
constexpr std::string_view kMetadata = "__metadata__";

// Tutti's dtypes in the format's words.
constexpr std::pair<DType, std::string_view> kDTypes[] = {
    {DType::boolean, "BOOL"},    {DType::u8, "U8"},
    {DType::u16, "U16"},         {DType::u32, "U32"},
    {DType::u64, "U64"},         {DType::i8, "I8"},
    {DType::i16, "I16"},         {DType::i32, "I32"},
    {DType::i64, "I64"},         {DType::f16, "F16"},
    {DType::bf16, "BF16"},       {DType::f32, "F32"},
    {DType::f64, "F64"},         {DType::f8_e4m3fn, "F8_E4M3"},
    {DType::f8_e5m2, "F8_E5M2"},
};
static_assert(std::size(kDTypes) == kDTypeCount);

// A text of a file's, in quotes and not too long for a message.
std::string shown(const std::string& text) {
  constexpr std::size_t kMost = 200;
  const std::string quoted =
      Json(text.substr(0, kMost)).dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > kMost ? quoted + "..." : quoted;
}

// Goes over JSON and looks for objects that have a key twice. (A callback of Json::parse goes over
// all members of an object before at the end of each one.)
class KeyCheck : public nlohmann::json_sax<Json> {
 public:
  static constexpr std::size_t kMostLevels = 16;

  const std::optional<std::string>& twice() const { return twice_; }
  bool is_deep() const { return is_deep_; }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return true; }
  bool string(std::string& /*value*/) override { return true; }
  bool binary(Json::binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return begin(); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t /*elements*/) override { return begin(); }
  bool end_array() override { return end(); }
  bool key(std::string& value) override {
    if (!levels_.back().insert(value).second) twice_ = value;
    return true;
  }
  // What is wrong, the parser says.
  bool parse_error(std::size_t /*position*/, const std::string& /*last*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

 private:
  bool begin() {
    levels_.emplace_back();
    is_deep_ = is_deep_ || levels_.size() > kMostLevels;
    return !is_deep_;
  }
  bool end() {
    levels_.pop_back();
    return true;
  }

  std::vector<std::unordered_set<std::string>> levels_;  // the keys of the objects around
  std::optional<std::string> twice_;
  bool is_deep_ = false;
};

// Throws ParseError for anything but JSON whose objects have no key twice.
Json parse_json(const InputFile& file, std::int64_t begin, std::int64_t bytes) {
  if (bytes > kMostHeaderBytes) {
    throw ParseError(file.path().string() + ": a header of " + std::to_string(bytes) +
                     " bytes is longer than 100 MB");
  }
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.read(begin, std::as_writable_bytes(std::span(text)));
  try {
    KeyCheck check;
    if (Json::sax_parse(text, &check) && check.twice()) {
      throw ParseError(file.path().string() + ": " + shown(*check.twice()) + " is there twice");
    }
    if (check.is_deep()) {
      throw ParseError(file.path().string() +
                       ": its header is nested more deeply than headers are");
    }
    Json out = Json::parse(text);
    if (!out.is_object()) throw ParseError(file.path().string() + ": its header is no JSON object");
    return out;
  } catch (const Json::exception& error) {
    throw ParseError(file.path().string() + ": its header is no JSON: " + error.what());
  }
}

class HeaderReader {
 public:
  explicit HeaderReader(const InputFile& file) : file_(file) {}

  SafetensorsFile read() {
    std::uint64_t length = 0;
    if (file_.bytes() < std::ssize(std::as_bytes(std::span(&length, 1)))) fail("is too short");
    file_.read(0, std::as_writable_bytes(std::span(&length, 1)));
    constexpr auto kLengthBytes = static_cast<std::int64_t>(sizeof(length));
    if (length > static_cast<std::uint64_t>(file_.bytes() - kLengthBytes)) {
      fail("this is no .safetensors file, or its end is missing: a header of " +
           std::to_string(length) + " bytes does not fit in it");
    }
    data_ = kLengthBytes + static_cast<std::int64_t>(length);
    SafetensorsFile out;
    const Json header = parse_json(file_, kLengthBytes, static_cast<std::int64_t>(length));
    for (const auto& [name, entry] : header.items()) {
      if (name == kMetadata) {
        out.metadata = read_metadata(entry);
      } else {
        out.tensors.emplace(name, read_entry(name, entry));
      }
    }
    check_order(out.tensors);
    return out;
  }

 private:
  using Entries = std::map<std::string, SafetensorsFile::Entry>;

  [[noreturn]] void fail(const std::string& what) const {
    throw ParseError(file_.path().string() + ": " + what);
  }
  [[noreturn]] void fail_in(const std::string& name, const std::string& what) const {
    fail("tensor " + shown(name) + ": " + what);
  }

  std::map<std::string, std::string> read_metadata(const Json& entry) const {
    std::map<std::string, std::string> out;
    if (!entry.is_object()) fail("its __metadata__ is no object");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) fail("its __metadata__ has no text for " + shown(key));
      out.emplace(key, value.get<std::string>());
    }
    return out;
  }

  // The list of integers of that name.
  std::vector<std::int64_t> integers(const std::string& name, const Json& entry,
                                     const char* key) const {
    const auto found = entry.find(key);
    std::vector<std::int64_t> out;
    const auto is_size = [](const Json& each) {
      return each.is_number_unsigned() && std::in_range<std::int64_t>(each.get<std::uint64_t>());
    };
    if (found == entry.end() || !found->is_array() || !std::ranges::all_of(*found, is_size)) {
      fail_in(name, std::string(key) + " should be a list of integers");
    }
    for (const Json& each : *found) out.push_back(each.get<std::int64_t>());
    return out;
  }

  SafetensorsFile::Entry read_entry(const std::string& name, const Json& entry) const {
    if (!entry.is_object()) fail_in(name, "should be an object");
    const auto dtype = entry.find("dtype");
    if (dtype == entry.end() || !dtype->is_string()) fail_in(name, "has no dtype");
    const std::string word = dtype->get<std::string>();
    const auto* const known = std::ranges::find(kDTypes, std::string_view(word),
                                                &std::pair<DType, std::string_view>::second);
    if (known == std::end(kDTypes))
      fail_in(name, "its dtype " + shown(word) + " is none of Tutti's");
    SafetensorsFile::Entry out;
    out.type.dtype = known->first;
    try {
      out.type.shape = Shape(integers(name, entry, "shape"));
    } catch (const TypeError& error) {
      fail_in(name, error.message());
    }
    const std::vector<std::int64_t> ends = integers(name, entry, "data_offsets");
    if (ends.size() != 2 || ends[0] > ends[1]) fail_in(name, "data_offsets should be [begin, end]");
    if (ends[1] > file_.bytes() - data_) {
      fail_in(name, "ends at byte " + std::to_string(ends[1]) +
                        " of the data, of which the file has " +
                        std::to_string(file_.bytes() - data_));
    }
    if (ends[1] - ends[0] != out.type.bytes()) {
      fail_in(name, out.type.text() + " needs " + std::to_string(out.type.bytes()) +
                        " bytes, and has " + std::to_string(ends[1] - ends[0]));
    }
    out.begin = data_ + ends[0];
    return out;
  }

  void check_order(const Entries& entries) const {
    std::vector<const Entries::value_type*> order;
    for (const auto& each : entries) order.push_back(&each);
    std::ranges::stable_sort(order, {}, [](const Entries::value_type* each) {
      return std::pair(each->second.begin, each->second.type.bytes());
    });
    std::int64_t end = data_;
    for (const auto* const each : order) {
      if (each->second.begin < end) fail_in(each->first, "overlaps another one");
      if (each->second.begin > end) fail_in(each->first, "lies behind bytes that are no tensor's");
      end += each->second.type.bytes();
    }
    if (end != file_.bytes()) {
      fail("has " + std::to_string(file_.bytes() - end) + " bytes behind the last tensor");
    }
  }

  const InputFile& file_;
  std::int64_t data_ = 0;  // where the elements begin
};

std::string json_text(const Json& json, const std::string& what) {
  try {
    return json.dump();
  } catch (const Json::exception&) {
    throw UsageError(what + " is no UTF-8, as .safetensors files need it");
  }
}

}  // namespace

SafetensorsFile read_safetensors(const InputFile& file) { return HeaderReader(file).read(); }

SafetensorsHead safetensors_head(const std::vector<NamedType>& tensors,
                                 const std::map<std::string, std::string>& metadata) {
  SafetensorsHead head;
  head.order.resize(tensors.size());
  std::iota(head.order.begin(), head.order.end(), std::size_t{0});
  std::ranges::stable_sort(head.order, std::ranges::greater(),
                           [&](std::size_t i) { return size_of(tensors[i].type.dtype); });
  std::string text = "{";
  if (!metadata.empty()) {
    text += "\"" + std::string(kMetadata) + "\":" + json_text(metadata, "a text of the metadata");
  }
  std::set<std::string_view> names;
  std::int64_t end = 0;
  for (const std::size_t i : head.order) {
    const auto& [name, type] = tensors[i];
    if (name == kMetadata) throw UsageError("a tensor in a file can't be called " + shown(name));
    if (!names.insert(name).second) {
      throw UsageError("two tensors cannot both be called " + shown(name) + " in a file");
    }
    const auto* const dtype =
        std::ranges::find(kDTypes, type.dtype, &std::pair<DType, std::string_view>::first);
    const std::int64_t begin = std::exchange(end, end + type.bytes());
    const Json entry = {{"dtype", dtype->second},
                        {"shape", std::vector(type.shape.begin(), type.shape.end())},
                        {"data_offsets", {begin, end}}};
    if (text.size() > 1) text += ",";
    text += json_text(name, "the name " + shown(name)) + ":" + entry.dump();
  }
  text += "}";
  std::uint64_t length = text.size();
  while ((sizeof(length) + length) % kHeadAlignment != 0) ++length;
  if (std::cmp_greater(length, kMostHeaderBytes)) {
    throw UsageError("names, numbers and texts beside the tensors take a header of " +
                     std::to_string(length) +
                     " bytes, of which readers take 100 MB; long lists of numbers belong in "
                     "tensors");
  }
  text.resize(length, ' ');
  head.bytes.resize(sizeof(length));
  std::memcpy(head.bytes.data(), &length, sizeof(length));
  head.bytes += text;
  return head;
}

std::map<std::string, std::string> read_safetensors_index(const InputFile& file) {
  const Json index = parse_json(file, 0, file.bytes());
  const auto fail = [&](const std::string& what) {
    throw ParseError(file.path().string() + ": " + what);
  };
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object())
    fail("has no weight_map that says which file has what");
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : map->items()) {
    if (!value.is_string()) fail("has no file for " + shown(name));
    std::string path = value.get<std::string>();
    // Not one that lies anywhere on the machine.
    if (path.empty() || path == "." || path == ".." || path.find('/') != path.npos ||
        path.find('\0') != path.npos) {
      fail("the file of " + shown(name) + " should be the name of one in the same folder, not " +
           shown(path));
    }
    out.emplace(name, std::move(path));
  }
  return out;
}

#else

namespace {
[[noreturn]] void refuse_without_json(const std::string& what) {
  throw EnvironmentError(what +
                         ": this build of tutti has no nlohmann-json, which .safetensors "
                         "files need");
}
}  // namespace

SafetensorsFile read_safetensors(const InputFile& file) {
  refuse_without_json(file.path().string());
}
SafetensorsHead safetensors_head(const std::vector<NamedType>& /*tensors*/,
                                 const std::map<std::string, std::string>& /*metadata*/) {
  refuse_without_json("saving");
}
std::map<std::string, std::string> read_safetensors_index(const InputFile& file) {
  refuse_without_json(file.path().string());
}

#endif

}  // namespace tutti::runtime
