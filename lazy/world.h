#pragma once

#include <tutti/ir/device.h>
#include <tutti/lazy/group.h>
#include <tutti/lazy/mesh.h>
#include <tutti/lazy/tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace tutti {

// This rank's place among all ranks of the program. While it lives, the thread that made it records
// for this rank. The last of its copies to go closes it.
class World {
 public:
  explicit World(std::shared_ptr<detail::RankContext> context);

  int rank() const;
  int size() const;
  // This rank's GPU, for set_default_device(world.gpu()): ranks of one host have one each, by turns
  // where there are fewer; Device::cuda(i) is GPU number i, whoever says it. Throws
  // EnvironmentError if there is no driver or no GPU.
  Device gpu() const;

  // Makes the calling thread the one that records for this rank; for the thread that did so before
  // recording is a UsageError from now on. Throws UsageError while that one is in the middle of an
  // operation.
  void attach() const;

  // Issues every recorded collective, waits for them, and tells the peers that this rank is done.
  // Throws what went wrong. Afterwards nothing can be communicated; data stays readable.
  void close();

  // The group of the ranks that give the same `color`, in the order of their `key`, then rank.
  // Every rank of the world has to call it, as often as the others (it is a collective). A negative
  // color stands for a group of this rank alone.
  Group split(int color, int key = 0, std::source_location at = std::source_location::current());

  // Frees every rank that waits for another, in all groups and on all ranks, with a CommError that
  // says why; nothing can be communicated any more. From any thread.
  void abort(const std::string& reason) const;

  // Evaluate after every op (to find a mistake's line); off by default.
  void set_eager(bool eager) const;

  const std::shared_ptr<detail::RankContext>& context() const;

 private:
  class Owner;
  std::shared_ptr<Owner> owner_;
};

struct InitOptions {
  // Threads that this rank computes with, the calling one included; 0: TUTTI_THREADS, or else its
  // share of the cores.
  int threads = 0;
  // How long a rank waits for its peers, first of all for their coming; 0: TUTTI_TIMEOUT (in
  // seconds), or else 5 minutes.
  std::chrono::milliseconds timeout{0};
  // Where new tensors lie; not said: TUTTI_DEVICE, or else the host.
  std::optional<Device> device = std::nullopt;
  // Group::programs_differ for all groups: ranks run programs of their own. All say so, or none.
  bool programs_differ = false;
};

// Joins the world that the environment describes, as `tutti launch`, torchrun, mpirun or srun set
// it up: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or OpenMPI's
// or SLURM's variables; a world of one without them. The ranks are processes of one host, which
// communicate through shared memory. Returns when all have come. Throws EnvironmentError for
// variables that make no sense and for ranks on several hosts, CommError if a rank does not come.
World init(const InitOptions& options = {},
           std::source_location at = std::source_location::current());

struct SimulateOptions {
  // Threads that one rank computes with, itself included; 0: the cores that the process may use,
  // divided.
  int threads = 0;
  // How long a rank waits for its peers.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  // Where new tensors lie; not said: TUTTI_DEVICE, or else the host.
  std::optional<Device> device = std::nullopt;
  // Group::programs_differ for all groups: ranks run programs of their own. All say so, or none.
  bool programs_differ = false;
};

// Runs `body(world)` on `ranks` ranks as threads of this process, and returns when all have ended.
// An exception on one rank aborts the others; the first by rank is rethrown, its message prefixed
// with the rank, as a CommError if it was one and with its own type where that is one of Tutti's.
void simulate(int ranks, const std::function<void(World&)>& body,
              const SimulateOptions& options = {},
              std::source_location at = std::source_location::current());

}  // namespace tutti
