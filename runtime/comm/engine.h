#pragma once

#include <tutti/runtime/comm/collective.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Communication engines of your own. An engine moves and combines data between the members of a
// group; Tutti does the rest: program order, results' memory, time-outs, errors with lines. Say
// which group uses it with Group::with_backends("cpu:my_engine"). A group's first collective waits
// until all members have come to it, so that they can tell each other where they are. Messages from
// one member to another stay the runtime's own, unless the engine says that it carries them.
namespace tutti::runtime {

// A collective that an engine has under way on one rank. It is over when its results are in place
// and nobody will read this rank's operands any more, or when it failed.
class EngineWork {
 public:
  EngineWork() = default;
  EngineWork(const EngineWork&) = delete;
  EngineWork& operator=(const EngineWork&) = delete;
  virtual ~EngineWork() = default;

  // Whether it is over. Never waits.
  virtual bool test() = 0;
  // Returns true once it is over, false when the time is up before. Throws why it failed, every
  // time again.
  virtual bool wait(std::chrono::milliseconds timeout) = 0;
  // Calls f once it is over, with why it failed or null, on any thread; at once if it is over.
  // Asked for where a rank is about to sleep.
  virtual void on_complete(std::function<void(std::exception_ptr)> f) = 0;
};

// The work that a future stands for. Its destructor waits for the future if on_complete was used.
std::shared_ptr<EngineWork> work_of(std::future<void> future);

// What an engine is told of its group.
struct EngineGroup {
  std::vector<std::int64_t> members;  // ranks of the world, in the group's order
  int position = 0;                   // of this rank among them
  std::string tag;
  // Gives what each member says, in their order: to tell each other addresses, say. Every member
  // calls it as often as the others, while the engine is being made and not later. Throws CommError
  // if a member does not come.
  std::function<std::vector<std::string>(const std::string& own)> exchange;
};

// One rank's end of one group. The rank's thread alone calls start(), one at a time.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  // No work is under way any more, or nobody waits for it.
  virtual ~Engine() = default;

  // Starts the group's next collective; several may be under way. `call` was checked, and every
  // place in it is given and stays until the work is over. What its kinds mean, and the order of
  // members in combinations, is written at TensorPart; result_elements() and gives() tell sizes.
  // A message (send_recv) is started by its two members alone, whose positions in this group are
  // pairs[0], and which are positions 0 and 1 for gives() and the like. Those of one pair are in
  // order among themselves, and in none with the group's collectives.
  // A member may have been given another call: the runtime compares them, says both lines, and
  // aborts the engine, which keeps to the places of its own call. For a peer that is gone, the work
  // fails with a CommError.
  virtual std::shared_ptr<EngineWork> start(const CollectiveCall& call) = 0;

  // Makes all works of this rank fail, now and later, with that reason. From any thread.
  virtual void abort(const std::string& reason) noexcept = 0;
};

// What an engine can do beyond collectives.
struct EngineTraits {
  // It carries messages between two members. As a group's first collective, its first message then
  // waits until all members have come to one or the other.
  bool messages = false;
};

using EngineFactory = std::function<std::unique_ptr<Engine>(const EngineGroup&)>;

// For engines that only carry bytes. All that the other members need of this rank's call: its
// fingerprint, its splits and its operands.
std::string pack_operands(const CollectiveCall& call, int position);
// Writes this rank's results, given what pack_operands() made on every member, in their order.
// Throws CommError where that is not of the same call.
void compute_results(const CollectiveCall& call, int position, std::span<const std::string> packed);

// The engines that groups can name. Thread-safe.
class EngineRegistry {
 public:
  // That of this process.
  static EngineRegistry& process();

  // Throws UsageError for a name that is taken or that is no word ([a-z0-9_]).
  void add(const std::string& name, EngineFactory factory, EngineTraits traits = {});
  bool contains(std::string_view name) const;
  std::vector<std::string> names() const;
  // Throws UsageError for an unknown name.
  EngineFactory factory(const std::string& name) const;
  EngineTraits traits(const std::string& name) const;

  // Loads a shared library, which must have been compiled for this version of Tutti and which
  // stays loaded, and lets it add its engines, once: it holds
  //   TUTTI_ENGINES(registry) { registry.add("my_engine", make_my_engine); }
  // Throws EnvironmentError if there is no such file, if it can't be loaded, or if it is no library
  // of engines of this version.
  void load(const std::string& file);

 private:
  struct Entry {
    EngineFactory factory;
    EngineTraits traits;
  };
  Entry find(const std::string& name) const;

  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> engines_;
  std::vector<std::shared_ptr<void>> libraries_;
};

// Changes whenever this header does.
inline constexpr int kEngineVersion = 4;

}  // namespace tutti::runtime

// The entry of a library of engines, see EngineRegistry::load.
#define TUTTI_ENGINES(registry)                                                    \
  extern "C" int tutti_engine_version() { return tutti::runtime::kEngineVersion; } \
  extern "C" void tutti_add_engines(tutti::runtime::EngineRegistry& registry)
