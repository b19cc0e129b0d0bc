#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/comm/tell_each_other.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace tutti::runtime {

std::vector<std::string> tell_each_other(Communicator& group, const std::string& own) {
  return tell_each_other(group, own, [](Work& work) { work.wait(); });
}

std::vector<std::string> tell_each_other(Communicator& group, const std::string& own,
                                         FunctionRef<void(Work&)> wait) {
  const auto gather = [&](const void* data, std::int64_t size, std::vector<std::int64_t> sizes,
                          DType dtype) {
    // Peers may read it after this rank is done.
    const auto bytes = static_cast<std::size_t>(size * size_of(dtype));
    const std::shared_ptr<Buffer> operand = Allocator(0).allocate(bytes);
    if (bytes > 0) std::memcpy(operand->data(), data, bytes);
    CollectiveCall call{.kind = CollectiveKind::all_gather, .dtype = dtype};
    call.description = "setting up an engine";
    call.parts.push_back({.operand = operand->data(),
                          .elements = size,
                          .axis_size = size,
                          .sizes = std::move(sizes)});
    const std::shared_ptr<Work> work = group.start(std::move(call), {operand});
    wait(*work);
    return work->result(0);
  };
  const auto length = static_cast<std::int64_t>(own.size());
  const std::shared_ptr<Buffer> lengths = gather(&length, 1, {}, DType::i64);
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(group.size()));
  std::memcpy(sizes.data(), lengths->data(), sizes.size() * sizeof(std::int64_t));
  const std::shared_ptr<Buffer> texts = gather(own.data(), length, sizes, DType::u8);
  std::vector<std::string> out;
  std::size_t at = 0;
  for (const std::int64_t size : sizes) {
    out.emplace_back(reinterpret_cast<const char*>(texts->data()) + at,
                     static_cast<std::size_t>(size));
    at += static_cast<std::size_t>(size);
  }
  return out;
}

}  // namespace tutti::runtime
