#pragma once

#include <tutti/ir/device.h>
#include <tutti/runtime/buffer.h>
#include <tutti/runtime/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tutti::runtime {

// One rank's use of a device other than the host. All its work is put on one stream, in the order
// of the calls, and runs there while the host goes on; so memory that comes back to its allocator
// may be handed out again at once. Belongs to the rank's thread, but for memory(), from any thread.
//
// Failures of the device throw EnvironmentError, maybe from a later call than the one that caused
// them; what fails after that throws, too.
class Accelerator {
 public:
  // Work that was recorded once and is put on the stream as a whole.
  class Recording {
   public:
    Recording() = default;
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    virtual ~Recording() = default;
    virtual void replay() = 0;
  };

  // The same as a part of a larger recording.
  class Part {
   public:
    Part() = default;
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    virtual ~Part() = default;
  };
  // One of several parts, behind those of the numbers that it says, and beside all others.
  struct JoinedPart {
    std::shared_ptr<const Part> part;
    std::vector<std::size_t> behind;
  };
  // Parts as one recording.
  class JoinedRecording : public Recording {
   public:
    // Puts another part in the place of that number, from the next replay on. Throws
    // EnvironmentError; then it is of no use any more.
    virtual void exchange(std::size_t number, std::shared_ptr<const Part> part) = 0;
  };

  // When all that was put on the stream before it is done. Two of them tell how long what was put
  // there between them took. Whoever holds one may let it go at any time.
  class Moment {
   public:
    Moment() = default;
    Moment(const Moment&) = delete;
    Moment& operator=(const Moment&) = delete;
    virtual ~Moment() = default;
    // From now on it is behind what is on the stream now.
    virtual void mark() = 0;
    // Whether it is over. Does not wait.
    virtual bool has_come() = 0;
    // How much later it came than the other, of the same device; both have come.
    virtual std::int64_t nanoseconds_after(const Moment& earlier) const = 0;
  };

  Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  // Waits until its work is done.
  virtual ~Accelerator() = default;

  virtual Device device() const = 0;
  // "NVIDIA H200"
  virtual std::string name() const = 0;
  // What code is compiled for: "sm_90".
  virtual std::string target() const = 0;

  // Memory of the device: Buffer::data() is an address there, aligned to 256 bytes. Throws
  // OutOfMemoryError if there is no more. Buffers may outlive the accelerator.
  virtual Allocator& memory() = 0;

  // From the host. `from` may change as soon as it returns.
  virtual void copy_in(void* to, const void* from, std::size_t bytes) = 0;
  // To the host; waits until it is there.
  virtual void copy_out(void* to, const void* from, std::size_t bytes) = 0;
  // Memory of the host that the device may write to itself from now on, for the next two: while
  // what this gives lives, which keeps the memory, too. Null where that can't be had.
  virtual std::shared_ptr<const void> register_host(const std::shared_ptr<Buffer>& /*memory*/) {
    return nullptr;
  }
  // copy_out() to such memory, without a wait: it is there when finish_copies_out() has returned.
  // Does nothing and returns false where other memory lies there.
  virtual bool begin_copy_out(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) {
    return false;
  }
  // Waits for what was begun, not for what was put on the stream behind it.
  virtual void finish_copies_out() {}
  // Within the device; the places do not overlap.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;

  // Memory for the work that is put on the stream next, and for no longer. Its first
  // kCounterBytes are zero, and whoever changes them leaves them zero; the rest is uninitialised. A
  // recording may use it again at any time: what was handed out once stays.
  static constexpr std::size_t kCounterBytes = 4096;
  virtual std::byte* workspace(std::size_t bytes) = 0;

  // Calls `work`, which calls copy() and DeviceCode::launch and nothing that waits or allocates,
  // and keeps what it put on the stream instead of running it.
  virtual std::unique_ptr<Recording> record(FunctionRef<void()> work) = 0;
  virtual std::shared_ptr<const Part> record_part(FunctionRef<void()> work) = 0;
  // Of parts that this accelerator recorded; each is behind earlier ones alone.
  virtual std::unique_ptr<JoinedRecording> join(std::vector<JoinedPart> parts) = 0;

  // One that is marked.
  virtual std::unique_ptr<Moment> moment() = 0;

  // Returns when all work is done.
  virtual void synchronize() = 0;
};

// A kernel or a call of a device library, made for one kind of device and bound to its shapes.
// Immutable; many accelerators of one device may share it.
class DeviceCode {
 public:
  DeviceCode() = default;
  DeviceCode(const DeviceCode&) = delete;
  DeviceCode& operator=(const DeviceCode&) = delete;
  virtual ~DeviceCode() = default;

  // Puts it on the stream. `buffers` are addresses on the device, in the order of the code's
  // parameters.
  virtual void launch(Accelerator& accelerator, void* const* buffers) const = 0;
};

}  // namespace tutti::runtime
