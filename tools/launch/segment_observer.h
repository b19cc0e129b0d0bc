#pragma once

#include <tutti/runtime/comm/shm/rendezvous.h>

#include <optional>
#include <string>

#include "tools/launch/observer.h"

namespace tutti::tools {

// Makes the memory that the ranks share and hands it out, so that it outlives them: after a failure
// it tells what each of them did last.
class SegmentObserver final : public LaunchObserver {
 public:
  // Writes the ranks' flight records to `record` after a failure, unless that is empty.
  SegmentObserver(std::size_t ranks, std::string record);

  void before_start(Environment& environment) override;
  int descriptor() const override { return server_->descriptor(); }
  void handle() override { server_->serve(); }
  void rank_ended(std::size_t rank) override;
  std::string after_failure(std::size_t first_failed_rank) override;

 private:
  const std::size_t ranks_;
  const std::string record_;
  runtime::Segment segment_;
  std::optional<runtime::SegmentServer> server_;
};

}  // namespace tutti::tools
