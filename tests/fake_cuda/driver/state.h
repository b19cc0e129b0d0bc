#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/fake_cuda/complaints.h"
#include "tests/fake_cuda/driver/control.h"
#include "tests/fake_cuda/driver/memory.h"
#include "tests/fake_cuda/driver/objects.h"
#include <sys/types.h>

namespace tutti::fake_cuda {

struct MulticastTable;

// What a call of the driver ends with when it can't be done; with a complaint where the caller did
// what must not be done.
struct Failure {
  CUresult result = CUDA_ERROR_UNKNOWN;
  std::string complaint;
};

// All that the double knows. One lock for all: it is slow where many threads use it, and simple.
class State {
 public:
  static State& get();

  std::recursive_mutex mutex;

  void reset(const FakeCudaSetup& setup);
  const FakeCudaSetup& setup() const { return setup_; }
  void isolate() { setup_.peers = false; }
  bool has_multicast() const { return setup_.multicast && setup_.peers && setup_.capability >= 90; }
  void initialise();
  // Whether calls may come: in a process that is forked off one they fail.
  bool is_initialised() const;
  bool deinitialised = false;
  Memory& memory() { return *memory_; }
  // Bytes of a device's memory that somebody has.
  std::size_t used(int device) const;
  // Memory to be mapped, by handle: there until it is neither held nor mapped.
  struct Physical {
    std::size_t bytes = 0;
    int device = 0;
    int held = 1;                                // by so many handles
    std::map<std::uintptr_t, bool> mapped = {};  // where, and whether it can be used there
    int file = -1;                               // what it lies in, which others may map
    bool shareable = false;                      // it was made to be given to others
    bool of_fabric = false;                      // and to those of other hosts
    bool imported = false;                       // it is another's
    MulticastTable* multicast = nullptr;         // of multicast memory, which has no device
  };
  std::map<unsigned long long, Physical> physical;
  unsigned long long last_physical = 0;
  // Throws the Failure if there is none.
  Physical& physical_of(unsigned long long handle);
  // Removes those that nobody has.
  void drop_unused_physical();
  // What the kernels were given that run now, and wait for those of other GPUs.
  std::set<const std::vector<CUdeviceptr>*> waiting_launches;
  std::map<std::uintptr_t, std::size_t> reserved;  // addresses
  // Mapped memory that another library works on, and how that calls it.
  std::multimap<std::uintptr_t, std::string> watched;
  std::map<std::uintptr_t, std::pair<std::size_t, std::string>> pinned;      // bytes and name
  std::set<std::uintptr_t> seen_by_kernels;                                  // of these
  std::map<std::uintptr_t, std::pair<std::size_t, std::string>> registered;  // likewise

  template <class T>
  T* make(const std::string& kind, CUctx_st* context) {
    auto object = std::make_unique<T>();
    T* const made = object.get();
    made->name = kind + std::to_string(++counts_[kind]);
    made->context = context;
    index_[made] = made;
    objects_.push_back(std::move(object));
    return made;
  }
  // One that goes with its owner.
  template <class T>
  T* make_part(Object* owner) {
    T* const made = make<T>("part", owner->context);
    made->owner = owner;
    made->name = "part of " + owner->name;
    return made;
  }
  // The object of a handle, if it has not been destroyed.
  template <class T>
  T& live(T* handle) const {
    const auto found = index_.find(static_cast<Object*>(handle));
    if (found == index_.end()) {
      throw Failure{CUDA_ERROR_INVALID_HANDLE, "a handle that the driver never gave"};
    }
    const Object& object = *found->second;
    if (object.live && (object.owner == nullptr || object.owner->live)) return *handle;
    throw Failure{CUDA_ERROR_INVALID_HANDLE, object.name + " was destroyed before"};
  }
  std::string name_of_new(const std::string& kind) {
    return kind + std::to_string(++counts_[kind]);
  }

  CUctx_st& primary_context(int device);
  // That of the calling thread, in which it may work. Throws the failure of work before.
  CUctx_st& current_context();
  // The same, and the handle is one of that context.
  template <class T>
  T& mine(T* handle) {
    CUctx_st& context = current_context();
    T& object = live(handle);
    if (object.context == &context) return object;
    throw Failure{CUDA_ERROR_INVALID_CONTEXT,
                  object.name + " belongs to another context than the thread's"};
  }

  void enqueue(CUstream_st& stream, Operation operation);
  // Runs what is queued up to a position. What waits for another rank is waited for, with a
  // complaint: whoever waits in the driver can't end it when that one dies.
  void run(CUstream_st& stream, std::uint64_t position);
  // The same, as far as it goes without waiting; whether that is all.
  bool advance(CUstream_st& stream, std::uint64_t position);

  // Nanoseconds of devices' work: each operation takes kOperationTime, so that what tests see of
  // times does not hang on the machine.
  static constexpr std::uint64_t kOperationTime = 10'000;
  std::uint64_t device_time = 0;

  // From now on what waits for other ranks goes on though nobody asks for it, as on a GPU; all else
  // is done as late as it may.
  void let_go_on();

  // To free memory or code the driver waits for all that runs in the context: complains where that
  // waits for another rank.
  void complain_of_waits(const CUctx_st& context, const std::string& call);

  // Whether a stream of the context records.
  bool is_recording(const CUctx_st* context) const;

  // What a call of that name fails with because a test wants it to.
  CUresult injected(const std::string& function);
  void inject(const std::string& function, int nth, CUresult result);

  void log_call(const std::string& line);
  void complain(const std::string& line);
  std::string take_calls() { return std::exchange(calls_, {}); }
  std::string take_operations() { return std::exchange(operations_, {}); }
  std::string take_complaints() { return complaints_.take(); }
  // At the end of the process.
  void tell_complaints() { complaints_.tell_the_rest(); }
  std::string left() const;
  std::string left_in(const CUctx_st& context) const;

 private:
  State();
  // Streams where something waits for other ranks, as far as they go; whether there is one.
  bool advance_those_that_wait();
  static void hold_over_forks();
  void check(const Operation& operation, int device);
  void run(Operation& operation, CUctx_st& context);
  // Of events that the stream has come to.
  void note_times(CUstream_st& stream) const;

  FakeCudaSetup setup_{};
  pid_t process_ = 0;     // that initialised it; 0: none did
  bool goes_on_ = false;  // see let_go_on()
  std::unique_ptr<Memory> memory_;
  std::vector<std::unique_ptr<Object>> objects_;
  std::unordered_map<const Object*, const Object*> index_;
  std::vector<CUctx_st*> primaries_;
  std::map<std::string, std::size_t> counts_;
  std::map<std::string, std::pair<int, CUresult>> failures_;
  std::string calls_;
  std::string operations_;
  Complaints complaints_{"fake CUDA"};
};

// The context of the calling thread, and those below it on its stack. Without a destructor: static
// objects of programs use the driver to their end.
extern thread_local CUctx_st* current;
struct ContextStack {
  std::array<CUctx_st*, 64> contexts;
  std::size_t count;
};
extern thread_local ContextStack pushed;

std::string name_of(CUresult result);

// One call of a function of the driver, while it runs: what its line in the log will say.
class Call {
 public:
  explicit Call(const char* name) : name_(name) {}

  template <class T>
  Call& operator<<(const T& argument) {
    text_ << " " << argument;
    return *this;
  }
  void gives(const std::string& result) { result_ = result; }
  const std::string& name() const { return name_; }
  // "cuMemAlloc 4096"
  std::string text() const { return name_ + text_.str(); }
  std::string line(CUresult result) const {
    if (result != CUDA_SUCCESS) return text() + " = " + name_of(result);
    return text() + (result_.empty() ? "" : ": " + result_);
  }

 private:
  std::string name_;
  std::ostringstream text_;
  std::string result_;
};

// Does what a function of the driver does, with all that they have in common around it. `body`
// takes the Call and throws a Failure for every end but success.
template <class Body>
CUresult driver_call(const char* name, Body&& body, bool before_init = false) noexcept {
  State& state = State::get();
  const std::scoped_lock lock(state.mutex);
  Call call(name);
  CUresult result = state.deinitialised                       ? CUDA_ERROR_DEINITIALIZED
                    : !state.is_initialised() && !before_init ? CUDA_ERROR_NOT_INITIALIZED
                                                              : state.injected(name);
  if (result == CUDA_SUCCESS) {
    try {
      body(state, call);
    } catch (const Failure& failure) {
      result = failure.result;
      if (!failure.complaint.empty()) state.complain(call.text() + ": " + failure.complaint);
    } catch (const std::exception& error) {
      result = CUDA_ERROR_UNKNOWN;
      state.complain(call.text() + ": " + error.what());
    }
  }
  state.log_call(call.line(result));
  return result;
}

}  // namespace tutti::fake_cuda
