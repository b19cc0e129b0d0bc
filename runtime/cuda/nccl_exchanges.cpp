// What NcclTransport does about exchanges of which each member knows its own sizes alone: NCCL
// would wait for what nobody sends.

#include <tutti/runtime/comm/uneven_exchange.h>
#include <tutti/runtime/cuda/nccl_transport.h>
#include <tutti/runtime/cuda/nccl_work.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tutti::runtime {

namespace {

// The half of a record's second word that is for it; the other one says where the places lie.
constexpr std::uint64_t kExchangeWord = 0xFFFF'FFFF;

}  // namespace

kernels::PartPlace NcclTransport::place_in_record(const GroupWork& work) const {
  kernels::PartPlace out = windows_.place_of(work);
  if (!work.call().uneven) return out;
  out.result &= ~kExchangeWord;
  out.result |= exchange_word(work.call().call(), agreement_.position());
  return out;
}

std::vector<kernels::PartPlace> NcclTransport::places_in_records(const GroupWork& work) const {
  std::vector<kernels::PartPlace> out;
  for (int member = 0; member < agreement_.size(); ++member) {
    const kernels::ArrivalRecord& record = agreement_.page().record(member, work.sequence());
    out.push_back({record.operand, record.result});
    if (work.call().uneven) out.back().result &= ~kExchangeWord;
  }
  return out;
}

// All find the same from the records. Which of them differ, they tell each other only then.
void NcclTransport::check_sizes(const GroupWork& work) {
  if (!work.call().uneven) return;
  std::uint32_t sum = 0;
  for (int member = 0; member < agreement_.size(); ++member) {
    sum += static_cast<std::uint32_t>(agreement_.page().record(member, work.sequence()).result &
                                      kExchangeWord);
  }
  if (sum == 0) return;
  const std::vector<std::int64_t> own = exchanged_sizes(work.call().call());
  const std::size_t bytes = own.size() * sizeof(std::int64_t);
  std::string text(bytes, '\0');
  std::memcpy(text.data(), own.data(), bytes);
  std::vector<std::vector<std::int64_t>> said;
  std::vector<const std::int64_t*> sizes;
  for (const std::string& each : tell_within(work, text)) {
    std::vector<std::int64_t>& numbers = said.emplace_back(own.size());
    std::memcpy(numbers.data(), each.data(), std::min(bytes, each.size()));
  }
  for (const std::vector<std::int64_t>& each : said) sizes.push_back(each.data());
  check_exchanges(agreement_, work, sizes);
}

}  // namespace tutti::runtime
