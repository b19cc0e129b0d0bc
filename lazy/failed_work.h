#pragma once

#include <tutti/runtime/comm/backend.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace tutti::detail {

// Stands for a collective that could not be started, or whose results were lost: whoever wants them
// gets the failure.
class FailedWork final : public runtime::Work {
 public:
  explicit FailedWork(std::exception_ptr failure) : failure_(std::move(failure)) {}

  bool test() override { std::rethrow_exception(failure_); }
  void wait() override { std::rethrow_exception(failure_); }
  std::uint64_t sequence() const override { return 0; }
  std::shared_ptr<runtime::Buffer> result(std::size_t /*part*/) const override { return nullptr; }
  std::span<const void* const> arrive() override { std::rethrow_exception(failure_); }
  void finish() override { std::rethrow_exception(failure_); }
  void stop_reading() override {}

 private:
  const std::exception_ptr failure_;
};

}  // namespace tutti::detail
