#include "tests/codegen/device_cases.h"

#include <tutti/codegen/cuda/library.h>
#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <stdexcept>
#include <utility>

#include "tests/support/cuda/emulator.h"
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace tutti::test {

namespace {

// Memory that no kernel may leave: behind it lies a page that can't be accessed. It is aligned as
// the widest accesses need, and what that leaves over at its end has to stay as it is.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes)
      : bytes_(bytes),
        padded_((bytes + kAlignment - 1) / kAlignment * kAlignment),
        mapped_((padded_ + 2 * kPage - 1) / kPage * kPage) {
    void* const pages =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::runtime_error("no memory for a buffer of a test");
    pages_ = static_cast<std::byte*>(pages);
    mprotect(pages_ + mapped_ - kPage, kPage, PROT_NONE);
    std::memset(data(), kGarbage, padded_);
  }
  explicit DeviceMemory(std::span<const std::byte> bytes) : DeviceMemory(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data());
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { munmap(pages_, mapped_); }

  std::byte* data() { return pages_ + mapped_ - kPage - padded_; }
  std::span<const std::byte> bytes() { return {data(), bytes_}; }
  bool overrun() {
    return std::any_of(data() + bytes_, data() + padded_,
                       [](std::byte b) { return b != std::byte{kGarbage}; });
  }

 private:
  static constexpr std::size_t kAlignment = 16;
  static constexpr std::size_t kPage = 4096;
  static constexpr unsigned char kGarbage = 0xA5;

  std::size_t bytes_;
  std::size_t padded_;
  std::size_t mapped_;
  std::byte* pages_ = nullptr;
};

}  // namespace

Seen seen(ir::Array array) {
  codegen::View view{.base = {},
                     .dtype = array.dtype(),
                     .shape = array.shape(),
                     .strides = array.shape().strides()};
  return {std::move(array), view};
}

Seen seen(ir::Array array, const Shape& shape, const std::vector<std::int64_t>& strides,
          std::int64_t offset) {
  Seen out = seen(std::move(array));
  out.view.shape = shape;
  out.view.offset = offset;
  out.view.strides = {};
  std::copy(strides.begin(), strides.end(), out.view.strides.begin());
  return out;
}

ir::Array dense(const Seen& seen) {
  ir::Array out(seen.view.dtype, seen.view.shape);
  const auto size = static_cast<std::size_t>(size_of(seen.view.dtype));
  std::byte* to = out.bytes().data();
  for_each_index(seen.view.shape, [&](std::span<const std::int64_t> index) {
    std::int64_t at = seen.view.offset;
    for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * seen.view.strides[d];
    std::memcpy(to, seen.storage.bytes().data() + at * size_of(seen.view.dtype), size);
    to += size;
  });
  return out;
}

namespace {

struct OneNode {
  ir::Graph graph;
  ir::NodeId id = 0;
  std::vector<codegen::View> views;

  OneNode(ir::Op op, const std::vector<Seen>& operands, std::vector<ir::Attribute> attributes) {
    std::vector<ir::Value> values;
    for (const Seen& operand : operands) {
      values.push_back(graph.add_parameter("x" + std::to_string(values.size()),
                                           {operand.view.dtype, operand.view.shape}));
      views.push_back(operand.view);
      views.back().base = values.back();
    }
    ir::Builder builder(graph);
    const ir::Value result = builder.add(op, values, std::move(attributes));
    id = graph.producer(result);
    graph.set_results({result});
  }
};

}  // namespace

codegen::cuda::Source source_of(ir::Op op, const std::vector<Seen>& operands,
                                std::vector<ir::Attribute> attributes) {
  const OneNode node(op, operands, std::move(attributes));
  return codegen::cuda::device_library_call(node.graph, node.id, node.views);
}

void DeviceCases::add(codegen::cuda::Source source, const std::vector<Seen>& operands,
                      ir::Array expected, std::string what) {
  add(std::move(source), operands, std::move(expected), std::move(what),
      [](const ir::Array& result, const ir::Array& wanted) { return result == wanted; });
}

void DeviceCases::add(codegen::cuda::Source source, const std::vector<Seen>& operands,
                      ir::Array expected, std::string what,
                      std::function<bool(const ir::Array&, const ir::Array&)> same) {
  cases_.push_back(
      {std::move(source), operands, std::move(expected), std::move(what), std::move(same)});
}

void DeviceCases::add_in_place(ir::Op op, const std::vector<Seen>& operands,
                               std::vector<ir::Attribute> attributes, const std::string& what) {
  add(op, operands, std::move(attributes), what + " in place");
  cases_.back().in_place = true;
}

void DeviceCases::add(ir::Op op, const std::vector<Seen>& operands,
                      std::vector<ir::Attribute> attributes, const std::string& what) {
  const OneNode node(op, operands, std::move(attributes));
  std::vector<ir::Array> values;
  for (const Seen& operand : operands) values.push_back(dense(operand));
  add(codegen::cuda::device_library_call(node.graph, node.id, node.views), operands,
      ir::interpret(node.graph, values)[0], what);
}

namespace {

// The part of a text that is the kernel's own, behind the hand-written functions.
std::string own_text(const codegen::cuda::Source& source) {
  const std::size_t at = source.text.rfind("\n// " + source.name + " ");
  return source.text.substr(at == std::string::npos ? 0 : at);
}

}  // namespace

void DeviceCases::run() const {
  std::vector<std::string> texts;
  for (const Case& one : cases_) texts.push_back(one.source.text);
  const cuda::EmulatedModule module(texts);
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const Case& one = cases_[i];
    for (const auto order :
         {cuda::RunOptions::Order::ascending, cuda::RunOptions::Order::shuffled}) {
      std::deque<DeviceMemory> memory;
      for (const Seen& operand : one.operands) memory.emplace_back(operand.storage.bytes());
      if (!one.in_place) memory.emplace_back(one.expected.bytes().size());
      DeviceMemory& made = one.in_place ? memory.front() : memory.back();
      std::vector<void*> buffers;
      for (DeviceMemory& buffer : memory) buffers.push_back(buffer.data());
      if (one.in_place) buffers.push_back(made.data());
      std::vector<void*> arguments;
      for (void*& buffer : buffers) arguments.push_back(&buffer);
      try {
        module.launch(i, one.source.name, one.source.grid, one.source.block, arguments.data(),
                      {.order = order, .seed = 7});
      } catch (const std::exception& error) {
        ADD_FAILURE() << one.what << ": " << error.what() << own_text(one.source);
        break;
      }
      ir::Array result(one.expected.dtype(), one.expected.shape());
      std::copy(made.bytes().begin(), made.bytes().end(), result.bytes().begin());
      EXPECT_FALSE(made.overrun()) << one.what << " writes behind its result";
      if (!one.same(result, one.expected)) {
        ADD_FAILURE() << one.what << " has a wrong result" << own_text(one.source);
        break;
      }
    }
  }
}

}  // namespace tutti::test
