#include "tools/launch/segment_observer.h"

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/flight_record.h>
#include <tutti/runtime/comm/shm/layout.h>
#include <tutti/runtime/comm/shm/shm.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::tools {

namespace {

constexpr std::size_t kShownCollectives = 3;  // of each rank

}  // namespace

SegmentObserver::SegmentObserver(std::size_t ranks, std::string record)
    : ranks_(ranks),
      record_(std::move(record)),
      segment_(runtime::Segment::create(runtime::ShmOptions().segment_bytes)) {
  runtime::SegmentLayout::initialise(segment_.data(), segment_.bytes(),
                                     static_cast<std::int64_t>(ranks_));
}

void SegmentObserver::before_start(Environment& environment) {
  server_.emplace(environment.at("TUTTI_RENDEZVOUS"), segment_, static_cast<std::int64_t>(ranks_));
  if (!server_->listening()) throw EnvironmentError("another job has this job's name");
}

// Those that wait for a rank to come need not wait any longer.
void SegmentObserver::rank_ended(std::size_t rank) {
  kernels::RankPage& page =
      runtime::SegmentLayout(segment_.data()).page(static_cast<std::int64_t>(rank));
  std::uint32_t present = kernels::RankPage::kPresent;
  if (page.process.load() == 0) {
    page.presence.compare_exchange_strong(present, kernels::RankPage::kDied);
  }
}

std::string SegmentObserver::after_failure(std::size_t /*first_failed_rank*/) {
  const runtime::SegmentLayout layout(segment_.data());
  std::vector<runtime::RecordedCollective> collectives;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const auto number = static_cast<std::int64_t>(rank);
    const auto last = runtime::read_recorder(number, layout.page(number).recorder);
    collectives.insert(collectives.end(), last.begin(), last.end());
  }
  std::string text;
  if (!collectives.empty()) text = runtime::diagnose(collectives, kShownCollectives);
  if (const std::string strangers = server_->strangers(); !strangers.empty()) {
    text += "tutti launch: " + strangers.substr(2) + "\n";
  }
  if (!record_.empty()) {
    try {
      runtime::write_file(record_, collectives);
      text += "tutti launch: the last collectives of all ranks are in " + record_ +
              "; tutti diagnose " + record_ + " explains them\n";
    } catch (const EnvironmentError& error) {
      text += std::string("tutti launch: ") + error.what() + "\n";
    }
  }
  return text;
}

}  // namespace tutti::tools
