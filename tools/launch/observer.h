#pragma once

#include <cstddef>
#include <string>

#include "tools/launch/environment.h"

namespace tutti::tools {

// Looks at a launch from inside the launcher.
class LaunchObserver {
 public:
  LaunchObserver() = default;
  LaunchObserver(const LaunchObserver&) = delete;
  LaunchObserver& operator=(const LaunchObserver&) = delete;
  virtual ~LaunchObserver() = default;

  // Before the first rank starts, with the variables that all ranks will get; it may add some.
  virtual void before_start(Environment& environment) = 0;
  // Readable when handle() has something to do; -1: never.
  virtual int descriptor() const = 0;
  virtual void handle() = 0;
  // A rank's process has ended.
  virtual void rank_ended(std::size_t rank) = 0;
  // After a failure, when no rank is left: lines to print below the summary, or nothing.
  virtual std::string after_failure(std::size_t first_failed_rank) = 0;
};

}  // namespace tutti::tools
