#pragma once

// Groups in which nothing happens, for tests that look at what is asked of them.

#include <tutti/runtime/comm/backend.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tutti::test {

// The end of its first member, which carries nothing out.
class IdleGroup : public runtime::Communicator {
 public:
  IdleGroup(std::vector<std::int64_t> members, std::string tag)
      : members_(std::move(members)), tag_(std::move(tag)) {}

  std::shared_ptr<const runtime::PreparedCall> prepare(runtime::CollectiveCall) override {
    throw std::logic_error("nothing is prepared");
  }
  std::shared_ptr<runtime::Work> start(const std::shared_ptr<const runtime::PreparedCall>&,
                                       std::span<const std::shared_ptr<runtime::Buffer>>,
                                       const runtime::StartOptions&) override {
    throw std::logic_error("nothing is started");
  }
  std::shared_ptr<runtime::Work> start(runtime::CollectiveCall,
                                       std::vector<std::shared_ptr<runtime::Buffer>>) override {
    throw std::logic_error("plans prepare their calls");
  }
  bool released(std::uint64_t) override { return true; }
  void wait_released(std::uint64_t, const Location&) override {}
  std::shared_ptr<runtime::SymmetricMemory> symmetric_memory(std::size_t,
                                                             runtime::Accelerator*) override {
    return nullptr;
  }
  std::shared_ptr<runtime::SymmetricMemory> common_memory(std::size_t) override { return nullptr; }
  std::shared_ptr<runtime::RecordedCalls> record_calls(
      std::vector<std::shared_ptr<const runtime::PreparedCall>>, runtime::Accelerator&) override {
    return nullptr;
  }
  void abort(const std::string&) override {}
  void abandon(const std::string&) override {}
  void close() override {}
  void set_timeout(std::chrono::milliseconds) override {}
  const std::string& tag() const override { return tag_; }
  const std::vector<std::int64_t>& members() const override { return members_; }
  int position() const override { return 0; }

 private:
  const std::vector<std::int64_t> members_;
  const std::string tag_;
};

// Rank 0 of two, whose groups the test makes.
class BackendOfIdleGroups : public runtime::Backend {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t ranks() const override { return 2; }
  std::shared_ptr<runtime::Communicator> messages(std::vector<std::int64_t>, std::string,
                                                  const runtime::Communicator&) override {
    throw std::logic_error("no messages");
  }
  void close(const std::vector<std::int64_t>&, const std::string&) override {}
  std::shared_ptr<runtime::Buffer> allocate(std::size_t, const runtime::MemoryLabel&) override {
    throw std::logic_error("nothing lies on the host");
  }
  std::shared_ptr<runtime::MemoryUse> memory_use() const override { return memory_use_; }
  bool peer_waits() const override { return false; }
  void finish() override {}
  void leave(const std::string&) noexcept override {}
  void abort(const std::vector<std::int64_t>&, const std::string&, const std::string&) override {}
  void abort(const std::string&) override {}

 private:
  const std::shared_ptr<runtime::MemoryUse> memory_use_ = std::make_shared<runtime::MemoryUse>();
};

}  // namespace tutti::test
