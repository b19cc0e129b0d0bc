// What engines that only carry bytes need besides.

#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/collective_run.h>
#include <tutti/runtime/comm/engine.h>
#include <tutti/runtime/comm/group_call.h>

#include <cstddef>
#include <cstring>

namespace tutti::runtime {

namespace {

void append(std::string& out, const void* data, std::size_t bytes) {
  if (bytes > 0) out.append(static_cast<const char*>(data), bytes);
}

// Kernels read the operands where they lie in a message. What allocates it aligns it as much.
constexpr std::size_t kAlignment = alignof(std::max_align_t);

constexpr std::size_t padded_to_alignment(std::size_t at) {
  return (at + kAlignment - 1) & ~(kAlignment - 1);
}

// How many elements a member's operand of a part has.
std::int64_t operand_elements(const CollectiveCall& call, const TensorPart& part, int member) {
  const bool own = call.kind == CollectiveKind::all_gather || call.kind == CollectiveKind::gather;
  if (!own || part.sizes.empty()) return part.elements;
  return part.outer * part.sizes[static_cast<std::size_t>(member)] * part.inner;
}

// Reads a member's message from its beginning.
class DataReader {
 public:
  DataReader(const std::string& packed, int member) : packed_(packed), member_(member) {}

  const char* take(std::size_t bytes) {
    if (bytes > packed_.size() - at_) {
      throw CommError("what member " + std::to_string(member_) + " sent is too short");
    }
    at_ += bytes;
    return packed_.data() + at_ - bytes;
  }
  const char* take_aligned(std::size_t bytes) {
    take(padded_to_alignment(at_) - at_);
    return take(bytes);
  }
  std::vector<std::int64_t> numbers(std::size_t count) {
    std::vector<std::int64_t> out(count);
    if (count > 0)
      std::memcpy(out.data(), take(count * sizeof(std::int64_t)), count * sizeof(std::int64_t));
    return out;
  }

 private:
  const std::string& packed_;
  const int member_;
  std::size_t at_ = 0;
};

}  // namespace

std::string pack_operands(const CollectiveCall& call, int position) {
  std::string out;
  const std::uint64_t agreed = fingerprint(call);
  append(out, &agreed, sizeof(agreed));
  for (const TensorPart& part : call.parts) {
    if (!is_uneven_exchange(call, part)) continue;
    append(out, part.sizes.data(), part.sizes.size() * sizeof(std::int64_t));
    append(out, part.receive_sizes.data(), part.receive_sizes.size() * sizeof(std::int64_t));
  }
  if (!gives(call, position)) return out;
  for (const TensorPart& part : call.parts) {
    out.resize(padded_to_alignment(out.size()));
    append(out, part.operand, static_cast<std::size_t>(part.elements * size_of(call.dtype)));
  }
  return out;
}

void compute_results(const CollectiveCall& call, int position,
                     std::span<const std::string> packed) {
  const int members = static_cast<int>(packed.size());
  std::vector<DataReader> readers;
  for (int member = 0; member < members; ++member) {
    readers.emplace_back(packed[static_cast<std::size_t>(member)], member);
    std::uint64_t agreed = 0;
    std::memcpy(&agreed, readers.back().take(sizeof(agreed)), sizeof(agreed));
    // The runtime says what differs; here it is what follows that could not be read.
    if (agreed == fingerprint(call)) continue;
    throw CommError("member " + std::to_string(member) + " of the group calls something else");
  }
  if (call.kind == CollectiveKind::barrier) return;
  std::vector<kernels::PartShape> shapes;
  for (const TensorPart& part : call.parts) {
    shapes.push_back({part.elements, part.outer, part.axis_size, part.inner, part.sizes});
  }
  kernels::CollectiveRun run;
  run.reset(call.kind, call.reduction, call.dtype, call.root, call.pairs, members, shapes,
            call.scan);
  std::vector<std::vector<std::vector<std::int64_t>>> sent(call.parts.size());
  for (std::size_t part = 0; part < call.parts.size(); ++part) {
    if (!is_uneven_exchange(call, call.parts[part])) continue;
    const auto count = static_cast<std::size_t>(members);
    std::vector<std::vector<std::int64_t>> expected;
    for (int member = 0; member < members; ++member) {
      DataReader& reader = readers[static_cast<std::size_t>(member)];
      sent[part].push_back(reader.numbers(count));
      expected.push_back(reader.numbers(count));
      run.split(member, part, sent[part].back(), expected.back());
    }
    for (std::size_t giver = 0; giver < count; ++giver) {
      for (std::size_t taker = 0; taker < count; ++taker) {
        if (sent[part][giver][taker] == expected[taker][giver]) continue;
        throw CommError("member " + std::to_string(giver) + " sends " +
                        std::to_string(sent[part][giver][taker]) + " to member " +
                        std::to_string(taker) + ", which expects " +
                        std::to_string(expected[taker][giver]));
      }
    }
  }
  for (int member = 0; member < members; ++member) {
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      const TensorPart& part = call.parts[i];
      std::int64_t elements = operand_elements(call, part, member);
      if (!sent[i].empty()) {
        elements = 0;
        for (const std::int64_t size : sent[i][static_cast<std::size_t>(member)]) elements += size;
        elements *= part.outer * part.inner;
      }
      const void* operand = nullptr;
      if (gives(call, member)) {
        operand = readers[static_cast<std::size_t>(member)].take_aligned(
            static_cast<std::size_t>(elements * size_of(call.dtype)));
      }
      run.place(member, i, operand, member == position ? part.result : nullptr);
    }
  }
  run.compute_for(position);
}

}  // namespace tutti::runtime
