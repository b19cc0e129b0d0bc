// What a rank says when a collective can't be completed.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/group_agreement.h>
#include <tutti/runtime/comm/site.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tutti::runtime {

namespace {

constexpr std::string_view kRecv = "recv ";  // how a call's description begins
constexpr std::size_t kMostLastCalls = 10;   // in one error

// What the ranks call it may take parts of different sizes, if all say which.
bool takes_sizes(std::string_view call) {
  constexpr std::array<std::string_view, 2> kOps = {"all_gather ", "gather "};
  return std::ranges::any_of(kOps, [&](std::string_view op) { return call.starts_with(op); });
}

// What the member calls, as it wrote it down.
std::string call_text(const kernels::RankPage& page, std::uint64_t recorded) {
  const kernels::FlightEntry* entry = page.recorder.find(recorded);
  return entry != nullptr ? kernels::read_line(entry->call)
                          : "something it has no record of any more";
}

}  // namespace

void GroupAgreement::compare(int member, const GroupWork& work) {
  const std::uint64_t sequence = work.sequence();
  const kernels::ArrivalRecord& theirs = page_.record(member, sequence);
  const kernels::ArrivalRecord& ours = page_.record(position_, sequence);
  const auto call_of = [&](int position) {
    return call_text(rank_page(position), page_.record(position, sequence).recorded);
  };
  const auto speaks = [&](int position) {
    return names({position}) + " calls " + call_of(position);
  };
  // In the members' order, so that it reads the same whoever notices first.
  const auto both = [&] {
    return number(sequence) + " does not match: " + speaks(std::min(member, position_)) + ", " +
           speaks(std::max(member, position_));
  };
  if (theirs.fingerprint == ours.fingerprint) {
    if (!sites_agree(work.call().call(), position_, ours.site, member, theirs.site) &&
        same_build(member)) {
      const bool one_line = call_of(member) == call_of(position_);
      fail(sequence, work.waiting(),
           both() + ": two places of the program" + (one_line ? ", in one line" : "") +
               std::string(kMendOfSites));
    }
    if (!same_order({theirs.program_set, theirs.program_order},
                    {ours.program_set, ours.program_order}) &&
        same_build(member)) {
      fail(sequence, work.waiting(), both() + std::string(kMendOfOrder));
    }
    if (!same_places({theirs.skeleton, theirs.layout}, {ours.skeleton, ours.layout})) {
      fail(sequence, work.waiting(), both() + std::string(kMendOfPlaces));
    }
    if (agree(theirs.numbers, ours.numbers)) return;
    const std::string call = number(sequence) + " (" + work.call().call().description + ") ";
    const std::string between = names({std::min(member, position_)}) + " than on " +
                                names({std::max(member, position_)}) + ": ";
    const std::string where = work.agreement().where.text();
    if (work.agreement().structure == Agreement::kSizes) {
      fail(sequence, work.waiting(),
           call + "is called with other sizes, of those that vary, on " + between + "at " + where);
    }
    fail(sequence, work.waiting(),
         call + "depends on a number that the ranks take for the same, and that is another on " +
             between + "used at " + where + "; rank_index() is the op for one that differs");
  }
  std::string text = both();
  if (takes_sizes(call_of(member)) && takes_sizes(call_of(position_))) {
    text += "; parts of different sizes are given with .sizes, the list of all members' own";
  }
  if (call_of(member) == call_of(position_)) {
    text +=
        "; they differ in what the descriptions do not show: list shapes, sizes, pairs, plans, "
        "whether results have a place, or programs_differ(), which all ranks say or none";
  }
  fail(sequence, work.waiting(), text);
}

bool GroupAgreement::same_build(int member) const {
  return rank_page(member).build.load() == rank_page(position_).build.load();
}

std::optional<std::string> GroupAgreement::why_failed(const HostGroup& group,
                                                      std::uint64_t from) const {
  const kernels::GroupPage& page = group.page;
  if (page.failed(from)) return page.failure_text();
  // Whoever aborts a group need not be a member.
  const std::int64_t writer = page.failing_rank(from);
  if (writer < 0 || fabric_->page(writer).presence.load() != kernels::RankPage::kDied) return {};
  // It may have come to its end of it before its own.
  if (page.failed(from)) return page.failure_text();
  return fabric_->describe(writer) + " died while group \"" + group.tag + "\" failed";
}

void GroupAgreement::check_parents(std::uint64_t sequence, const Waiting& waiting) const {
  for (const auto& [parent, from] : parents_) {
    if (const auto why = why_failed(*parent, from)) fail(sequence, waiting, *why);
  }
}

void GroupAgreement::check_failure(std::uint64_t sequence, const Waiting& waiting) const {
  check_parents(sequence, waiting);
  if (const auto why = why_failed(*group_, sequence)) throw CommError(*why, waiting.location);
}

void GroupAgreement::check_peers(const GroupWork& work) const {
  check_peers(work, [] { return false; });
}

// Whether it is complete is asked once the death is seen: nothing of that member's comes
// afterwards.
void GroupAgreement::check_peers(const GroupWork& work, FunctionRef<bool()> is_complete) const {
  check_failure(work.sequence(), work.waiting());
  for (int member = 0; member < size(); ++member) {
    if (died_before_its_end(member, work) && !is_complete()) fail_without(member, work);
  }
}

void GroupAgreement::check_all_live(const GroupWork& work) const {
  fabric_->look_for_deaths();
  check_failure(work.sequence(), work.waiting());
  for (int member = 0; member < size(); ++member) {
    if (rank_page(member).presence.load() == kernels::RankPage::kDied) fail_without(member, work);
  }
}

// Its last stores are visible once its death is.
bool GroupAgreement::died_before_its_end(int member, const GroupWork& work) const {
  return rank_page(member).presence.load() == kernels::RankPage::kDied &&
         page_.completed_by(member) < work.sequence();
}

void GroupAgreement::check_gone(const GroupWork& work, const std::vector<int>& late) const {
  for (const int member : late) {
    // One that left says so first.
    if (rank_page(member).presence.load() == kernels::RankPage::kPresent &&
        closed_parent(member) == nullptr) {
      continue;
    }
    // What it published before it went is visible by now.
    if (!page_.arrived(member, work.sequence())) fail_without(member, work);
  }
}

void GroupAgreement::fail_without(int member, const GroupWork& work) const {
  const kernels::RankPage& page = rank_page(member);
  std::string text;
  switch (page.presence.load()) {
    case kernels::RankPage::kPresent:
      text = names({member}) + " closed group \"" + closed_parent(member)->tag + "\"";
      break;
    case kernels::RankPage::kDied:
      bury(member);
      text = fabric_->describe(members()[static_cast<std::size_t>(member)]) + " died; " +
             last_call(member);
      break;
    default:
      text = kernels::read_text(page.message);
  }
  fail(work.sequence(), work.waiting(),
       text + "; " + number(work.sequence()) + " (" + work.call().call().description +
           ") waits for it");
}

const HostGroup* GroupAgreement::closed_parent(int member) const {
  const std::int64_t rank = members()[static_cast<std::size_t>(member)];
  for (const auto& [parent, from] : parents_) {
    const auto at = std::ranges::find(parent->members, rank);
    if (at == parent->members.end()) continue;
    const auto position = static_cast<int>(at - parent->members.begin());
    if (parent->page.progress(position).done_through.load() == kernels::kLeft) return parent.get();
  }
  return nullptr;
}

// Also for one that left: it may have been killed before it could say so itself. And for one that
// closed a parent, who may never have been here.
void GroupAgreement::bury(int member) const {
  const kernels::RankPage& page = rank_page(member);
  if (page.presence.load() == kernels::RankPage::kPresent && closed_parent(member) == nullptr)
    return;
  if (page_.progress(member).done_through.load() == kernels::kLeft) return;
  group_->member_left(member);
}

void GroupAgreement::time_out(std::uint64_t sequence, const Waiting& waiting,
                              const std::string& waits_for, const std::vector<int>& late) const {
  std::string text = "time-out after " + std::to_string(timeout_of(waiting).count()) +
                     " ms: " + number(sequence) + " (" + std::string(waiting.description) +
                     ") waits " + waits_for + last_calls(late);
  if (late.size() == 1 && waiting.description.starts_with(kRecv) && receives(late[0])) {
    text +=
        "; each waits for what the other would send afterwards: let one of them send first, or "
        "start both messages together with batch_send_recv";
  }
  fail(sequence, waiting, text);
}

// Whether the last that the member did in this group was to wait for a message. It may have given
// up at this very moment, too.
bool GroupAgreement::receives(int position) const {
  const kernels::FlightRecorder& recorder = rank_page(position).recorder;
  const kernels::FlightEntry* entry = recorder.find(recorder.count());
  return entry != nullptr && entry->state.load() != kernels::FlightEntry::kCompleted &&
         kernels::read_line(entry->group).starts_with(tag()) &&
         kernels::read_line(entry->call).starts_with(kRecv);
}

// "its last collective was #3 of group "dp": all_reduce sum f32[4] (train.cpp:41)".
std::string GroupAgreement::last_call(int position) const {
  const kernels::FlightRecorder& recorder = rank_page(position).recorder;
  const kernels::FlightEntry* entry = recorder.find(recorder.count());
  if (entry == nullptr) return "it has started no collective";
  return "its last collective was #" + std::to_string(entry->sequence) + " of group \"" +
         kernels::read_line(entry->group) + "\": " + kernels::read_line(entry->call);
}

std::string GroupAgreement::last_calls(const std::vector<int>& of) const {
  std::string text;
  const std::size_t named = std::min(of.size(), kMostLastCalls);
  for (const int member : std::span(of).first(named)) {
    text += "; " + fabric_->describe(members()[static_cast<std::size_t>(member)]) + ": " +
            last_call(member);
  }
  if (named < of.size()) text += "; and " + std::to_string(of.size() - named) + " more";
  return text;
}

std::string GroupAgreement::last_calls() const {
  std::vector<int> all(members().size());
  std::iota(all.begin(), all.end(), 0);
  return last_calls(all);
}

void GroupAgreement::fail(std::uint64_t sequence, const Waiting& waiting,
                          const std::string& text) const {
  group_->fail(sequence, text);
  // Another rank's reason may have come first; one that is being written is as good as ours.
  throw CommError(page_.failed(sequence) ? page_.failure_text() : text, waiting.location);
}

std::chrono::milliseconds GroupAgreement::timeout_of(const Waiting& waiting) const {
  return std::min(waiting.timeout.count() > 0 ? waiting.timeout : timeout_, kLongestWait);
}

std::string GroupAgreement::number(std::uint64_t sequence) const {
  const std::string& name = is_in_order(tag(), members()) ? tag() : recorded_name_;
  return "collective #" + std::to_string(sequence) + " of group \"" + name + "\"";
}

std::string GroupAgreement::names(const std::vector<int>& positions) const {
  std::string text = positions.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(members()[static_cast<std::size_t>(positions[i])]);
  }
  return text;
}

}  // namespace tutti::runtime
