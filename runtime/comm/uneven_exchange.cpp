#include <tutti/ir/support/hash.h>
#include <tutti/runtime/comm/uneven_exchange.h>

#include <cstddef>
#include <string>

namespace tutti::runtime {

std::vector<std::int64_t> exchanged_sizes(const CollectiveCall& call) {
  std::vector<std::int64_t> out;
  for (const TensorPart& part : call.parts) {
    if (!is_uneven_exchange(call, part)) continue;
    out.insert(out.end(), part.sizes.begin(), part.sizes.end());
    out.insert(out.end(), part.receive_sizes.begin(), part.receive_sizes.end());
  }
  return out;
}

std::uint32_t exchange_word(const CollectiveCall& call, int position) {
  const auto own = static_cast<std::size_t>(position);
  // Of what one member sends another, the same whoever of the two says it.
  const auto word_of = [](std::size_t part, std::size_t from, std::size_t to, std::int64_t size) {
    const Hash128 hash =
        Hasher().add(part).add(from).add(to).add(static_cast<std::uint64_t>(size)).finish();
    return static_cast<std::uint32_t>(hash.low);
  };
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < call.parts.size(); ++i) {
    const TensorPart& part = call.parts[i];
    if (!is_uneven_exchange(call, part)) continue;
    for (std::size_t other = 0; other < part.sizes.size(); ++other) {
      out += word_of(i, own, other, part.sizes[other]);
      out -= word_of(i, other, own, part.receive_sizes[other]);
    }
  }
  return out;
}

void check_exchanges(const GroupAgreement& agreement, const GroupWork& work,
                     std::span<const std::int64_t* const> sizes) {
  const CollectiveCall& call = work.call().call();
  std::ptrdiff_t before = 0;  // numbers of the exchanges before
  for (const TensorPart& part : call.parts) {
    if (!is_uneven_exchange(call, part)) continue;
    for (int giver = 0; giver < agreement.size(); ++giver) {
      for (int taker = 0; taker < agreement.size(); ++taker) {
        const std::int64_t sent = sizes[static_cast<std::size_t>(giver)][before + taker];
        const std::int64_t expected =
            sizes[static_cast<std::size_t>(taker)][before + agreement.size() + giver];
        if (sent == expected) continue;
        agreement.fail(work.sequence(), work.waiting(),
                       agreement.number(work.sequence()) + " (" + call.description +
                           ") does not match: " + agreement.names({giver}) + " sends " +
                           std::to_string(sent) + " to " + agreement.names({taker}) +
                           ", which expects " + std::to_string(expected));
      }
    }
    before += 2 * agreement.size();
  }
}

}  // namespace tutti::runtime
