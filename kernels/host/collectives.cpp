#include <tutti/kernels/host/collectives.h>

#include <algorithm>
#include <memory>

namespace tutti::kernels {

std::size_t GroupPage::bytes(int members) {
  return sizeof(GroupHeader) + static_cast<std::size_t>(members) * sizeof(MemberPage);
}

void GroupPage::initialise(void* memory, int members) {
  const GroupPage page(memory, members);
  std::construct_at(page.header_);
  for (int member = 0; member < members; ++member) std::construct_at(page.pages_ + member);
}

GroupPage::GroupPage(void* memory, int members)
    : header_(static_cast<GroupHeader*>(memory)),
      pages_(reinterpret_cast<MemberPage*>(static_cast<std::byte*>(memory) + sizeof(GroupHeader))),
      members_(members) {}

void GroupPage::publish(int member, std::uint64_t sequence, const Arrival& arrival) const {
  ArrivalRecord& own = record(member, sequence);
  own.fingerprint = arrival.fingerprint;
  own.operand = arrival.place.operand;
  own.result = arrival.place.result;
  own.recorded = arrival.recorded;
  own.numbers = arrival.numbers;
  own.site = arrival.site;
  own.program_set = arrival.program_set;
  own.program_order = arrival.program_order;
  own.skeleton = arrival.skeleton;
  own.layout = arrival.layout;
  if (member == 0) {
    chunks(sequence).claimed.store(0, std::memory_order_relaxed);
    chunks(sequence).done.store(0, std::memory_order_relaxed);
  }
  own.epoch.store(static_cast<std::uint32_t>(sequence));
}

std::uint64_t GroupPage::done_by_all() const {
  std::uint64_t lowest = kLeft;
  for (int member = 0; member < members_; ++member) {
    lowest = std::min(lowest, progress(member).done_through.load());
  }
  return lowest;
}

std::uint64_t GroupPage::completed_by(int member) const {
  const MemberProgress& of = progress(member);
  const std::uint64_t done = of.done_through.load();
  return done == kLeft ? of.left_after.load() : done;
}

void GroupPage::leave(int member) const {
  MemberProgress& of = progress(member);
  const std::uint64_t done = of.done_through.load();
  if (done == kLeft) return;
  of.left_after.store(done);
  of.done_through.store(kLeft);
}

namespace {

std::atomic<std::uint64_t>& asked_word(RankPage& page, std::int64_t rank) {
  return page.asked[static_cast<std::uint64_t>(rank) / 64 % page.asked.size()];
}
std::uint64_t asked_bit(std::int64_t rank) {
  return std::uint64_t{1} << static_cast<std::uint64_t>(rank) % 64;
}

}  // namespace

bool ask(RankPage& own, RankPage& peer, std::int64_t peer_rank) {
  std::atomic<std::uint64_t>& word = asked_word(own, peer_rank);
  const std::uint64_t bit = asked_bit(peer_rank);
  if ((word.load() & bit) != 0) return false;
  peer.waiting_peers.fetch_add(1);  // first: what the bit says is taken away again
  word.fetch_or(bit);
  return true;
}

void stop_asking(RankPage& own, RankPage& peer, std::int64_t peer_rank) {
  asked_word(own, peer_rank).fetch_and(~asked_bit(peer_rank));
  peer.waiting_peers.fetch_sub(1);
}

void fail(Failure& failure, std::uint64_t from, std::string_view text, std::int64_t by) {
  std::uint64_t before = failure.from.load();
  while (from < before && !failure.from.compare_exchange_weak(before, from)) {
  }
  std::uint32_t expected = Failure::kNone;
  if (failure.state.compare_exchange_strong(expected, Failure::being_written_by(by))) {
    write_text(failure.text, text);
    failure.state.store(Failure::kWritten);
  }
}

}  // namespace tutti::kernels
