// Structs that Python's packages hand out, kept byte for byte (tests/reference/dlpack_structs.py),
// are read as what they stand for.

#include <charconv>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/dtype_named.h"
#include <nlohmann/json.hpp>

namespace tutti::test::dlpack_structs_test {
namespace {

using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;
using Json = nlohmann::json;
using Sizes = std::vector<std::int64_t>;

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(&hex[i], &hex[i] + 2, value, 16);
    if (error != std::errc{} || end != &hex[i] + 2) throw std::runtime_error("no bytes: " + hex);
    out.push_back(static_cast<std::byte>(value));
  }
  return out;
}

// The struct as another process had it, with addresses of this one.
template <class Managed>
class Restored {
 public:
  explicit Restored(const Json& kept)
      : memory_(bytes_of(kept.at("memory"))),
        shape_(kept.at("shape").get<Sizes>()),
        strides_(kept.at("strides").get<Sizes>()) {
    const std::vector<std::byte> raw = bytes_of(kept.at("struct"));
    if (raw.size() != sizeof(Managed)) throw std::runtime_error("a struct of another size");
    std::memcpy(static_cast<void*>(&managed_), raw.data(), raw.size());
    const DType dtype = dtype_named(kept.at("dtype").get<std::string>());
    const auto first = kept.at("first").get<std::int64_t>() * size_of(dtype);
    memory_.resize(std::max<std::size_t>(memory_.size(), 1));
    // Its offset is counted from the address.
    managed_.tensor.data =
        memory_.data() + first - static_cast<std::int64_t>(managed_.tensor.byte_offset);
    managed_.tensor.shape = shape_.data();
    managed_.tensor.strides = kept.at("strides_null").get<bool>() ? nullptr : strides_.data();
    managed_.owner = this;
    managed_.deleter = [](Managed* self) {
      static_cast<Restored*>(self->owner)->given_back_ = true;
    };
  }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

  Managed* managed() { return &managed_; }
  bool given_back() const { return given_back_; }

 private:
  std::vector<std::byte> memory_;
  Sizes shape_;
  Sizes strides_;
  Managed managed_;
  bool given_back_ = false;
};

template <class Managed>
void expect_read(const Json& kept) {
  Restored<Managed> restored(kept);
  {
    const Tensor x = from_dlpack(restored.managed());
    EXPECT_EQ(x.dtype(), dtype_named(kept.at("dtype").get<std::string>()));
    EXPECT_EQ(x.shape(), Shape(kept.at("shape").get<Sizes>()));
    const std::vector<std::byte> values = bytes_of(kept.at("values"));
    const ir::Array array = x.array();
    EXPECT_TRUE(std::ranges::equal(array.bytes(), values));
  }
  EXPECT_TRUE(restored.given_back());
}

TEST(DlpackStructs, OfOthersAreReadAsWhatTheyStandFor) {
  std::ifstream lines(TUTTI_SOURCE_DIR "/tests/reference/data/dlpack_structs.jsonl");
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const Json kept = Json::parse(line);
    SCOPED_TRACE(kept.at("by").get<std::string>() + " " + kept.at("dtype").get<std::string>() +
                 kept.at("shape").dump());
    if (kept.at("versioned").get<bool>()) {
      expect_read<ManagedTensorVersioned>(kept);
    } else {
      expect_read<ManagedTensor>(kept);
    }
  }
  EXPECT_GE(count, 70);
}

}  // namespace
}  // namespace tutti::test::dlpack_structs_test
