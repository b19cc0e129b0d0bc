#pragma once

#include <tutti/ir/support/error.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/block_cache.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::test {

// A GPU of ordinary memory. What is put on its stream is done when somebody waits for it, so that a
// wait that is missing shows. Counts what was asked of it.
class HostAccelerator final : public runtime::Accelerator {
 public:
  struct Counts {
    int launches = 0;    // put on the stream one by one
    int recordings = 0;  // made
    int replays = 0;
    int copies_in = 0;
    int copies_out = 0;
    int begun_copies_out = 0;
    int finished_copies_out = 0;  // how often somebody waited for them
    int asked_to_register = 0;
    int registered = 0;
  };

  explicit HostAccelerator(Device device) : device_(device) {}
  ~HostAccelerator() override { synchronize(); }

  Device device() const override { return device_; }
  std::string name() const override { return "a GPU of ordinary memory"; }
  std::string target() const override { return "sm_90"; }
  runtime::Allocator& memory() override { return memory_; }

  void copy_in(void* to, const void* from, std::size_t bytes) override {
    ++counts.copies_in;
    const auto* const begin = static_cast<const std::byte*>(from);
    put([to, data = std::vector<std::byte>(begin, begin + bytes)] {
      if (!data.empty()) std::memcpy(to, data.data(), data.size());
    });
  }
  void copy_out(void* to, const void* from, std::size_t bytes) override {
    ++counts.copies_out;
    synchronize();
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  std::shared_ptr<const void> register_host(
      const std::shared_ptr<runtime::Buffer>& memory) override {
    ++counts.asked_to_register;
    if (refuses_to_register) return nullptr;
    ++counts.registered;
    auto held = std::make_shared<const std::shared_ptr<runtime::Buffer>>(memory);
    registered_.push_back(held);
    return held;
  }
  bool begin_copy_out(void* to, const void* from, std::size_t bytes) override {
    const auto* const place = static_cast<const std::byte*>(to);
    for (const auto& each : registered_) {
      const auto held = each.lock();
      if (held == nullptr || place < (*held)->data() ||
          place + bytes > (*held)->data() + (*held)->bytes()) {
        continue;
      }
      ++counts.begun_copies_out;
      put([=, kept = held] { std::memcpy(to, from, bytes); });
      return true;
    }
    return false;
  }
  void finish_copies_out() override {
    ++counts.finished_copies_out;
    synchronize();
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    put([=] { std::memcpy(to, from, bytes); });
  }

  std::byte* workspace(std::size_t bytes) override {
    workspaces_.push_back(memory_.allocate(bytes));
    std::memset(workspaces_.back()->data(), 0, bytes);
    return workspaces_.back()->data();
  }

  std::unique_ptr<Recording> record(runtime::FunctionRef<void()> work) override {
    ++counts.recordings;
    if (has_no_room_to_record) throw OutOfMemoryError("there is no workspace today");
    if (refuses_to_record) throw EnvironmentError("it records nothing today");
    auto kept = std::exchange(stream_, {});
    const bool was_recording = std::exchange(recording_, true);
    work();
    recording_ = was_recording;
    return std::make_unique<Replayed>(*this, std::exchange(stream_, std::move(kept)));
  }

  std::shared_ptr<const Part> record_part(runtime::FunctionRef<void()> work) override {
    return std::make_shared<const RecordedPart>(record(work));
  }
  std::unique_ptr<JoinedRecording> join(std::vector<JoinedPart> parts) override {
    return std::make_unique<Joined>(std::move(parts));
  }

  std::unique_ptr<Moment> moment() override {
    auto made = std::make_unique<Marked>(*this);
    made->mark();
    return made;
  }

  void synchronize() override {
    if (!broken.empty()) throw EnvironmentError(broken);
    while (!stream_.empty()) {
      const auto work = std::move(stream_.front());
      stream_.pop_front();
      work();
    }
  }

  // What a DeviceCode of a test puts on the stream.
  void launch(std::function<void()> work) {
    if (!recording_) ++counts.launches;
    put([this, work = std::move(work)] {
      work();
      time_ += kLaunchTime;
    });
  }
  // Nanoseconds that each takes, as moments tell.
  static constexpr std::int64_t kLaunchTime = 1000;

  Counts counts;
  bool refuses_to_record = false;
  bool refuses_to_register = false;
  bool has_no_room_to_record = false;
  std::string broken;  // what a wait fails with; empty: it does not

 private:
  using Stream = std::deque<std::function<void()>>;

  class Replayed final : public Recording {
   public:
    Replayed(HostAccelerator& on, Stream work) : on_(on), work_(std::move(work)) {}
    void replay() override {
      ++on_.counts.replays;
      on_.stream_.insert(on_.stream_.end(), work_.begin(), work_.end());
    }

   private:
    HostAccelerator& on_;
    const Stream work_;
  };

  class Marked final : public Moment {
   public:
    explicit Marked(HostAccelerator& on) : on_(on) {}
    void mark() override {
      came_ = std::make_shared<std::optional<std::int64_t>>();
      on_.put([came = came_, &on = on_] { *came = on.time_; });
    }
    bool has_come() override { return came_->has_value(); }
    std::int64_t nanoseconds_after(const Moment& earlier) const override {
      return came_->value() - dynamic_cast<const Marked&>(earlier).came_->value();
    }

   private:
    HostAccelerator& on_;
    std::shared_ptr<std::optional<std::int64_t>> came_;
  };

  struct RecordedPart final : Part {
    explicit RecordedPart(std::unique_ptr<Recording> made) : work(std::move(made)) {}
    const std::unique_ptr<Recording> work;
  };

  class Joined final : public JoinedRecording {
   public:
    explicit Joined(std::vector<JoinedPart> parts) : parts_(std::move(parts)) {}
    void replay() override {
      for (const JoinedPart& each : parts_) {
        dynamic_cast<const RecordedPart&>(*each.part).work->replay();
      }
    }
    void exchange(std::size_t number, std::shared_ptr<const Part> part) override {
      parts_.at(number).part = std::move(part);
    }

   private:
    std::vector<JoinedPart> parts_;
  };

  void put(std::function<void()> work) { stream_.push_back(std::move(work)); }

  // Freed blocks may be in use by what is on the stream, so nobody may poison them.
  class Blocks final : public runtime::BlockSource {
   public:
    void* take(std::size_t size) override {
      constexpr std::size_t kAlignment = 256;
      return std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
    }
    void give_back(void* block, std::size_t) noexcept override { std::free(block); }
    bool is_of_host() const override { return false; }
    std::string describe() const override { return "ordinary memory"; }
  };

  const Device device_;
  runtime::Allocator memory_{std::make_unique<Blocks>(), std::size_t{1} << 30};
  std::vector<std::shared_ptr<runtime::Buffer>> workspaces_;
  std::vector<std::weak_ptr<const std::shared_ptr<runtime::Buffer>>> registered_;
  Stream stream_;
  bool recording_ = false;
  std::int64_t time_ = 0;  // of its work
};

}  // namespace tutti::test
