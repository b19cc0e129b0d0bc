#include <array>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/fake_cuda/driver/multicast.h"
#include "tests/fake_cuda/driver/state.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

// Memory of several GPUs at one address. What all processes know of it lies in a file that they
// share; whose memory is bound, in the files of the members' processes.

namespace tutti::fake_cuda {

struct MulticastTable {
  static constexpr std::size_t kMost = 8;
  struct Member {
    std::atomic<int> device;  // + 1; 0: none
    std::atomic<pid_t> process;
    std::atomic<int> file;  // + 1, of that process; 0: nothing is bound
  };
  std::atomic<unsigned> gpus;
  std::atomic<std::size_t> bytes;  // of each member
  std::atomic<unsigned> added;
  std::array<Member, kMost> members;

  Member& member(int device) {
    for (Member& each : members) {
      if (each.device == device + 1) return each;
    }
    throw Failure{CUDA_ERROR_INVALID_DEVICE, "the device was not added"};
  }
  void require_all() const {
    if (added == gpus) return;
    throw Failure{CUDA_ERROR_INVALID_VALUE, "the driver waits for devices that were not added"};
  }
};

namespace {

MulticastTable* map_table(int file) {
  void* const place =
      mmap(nullptr, sizeof(MulticastTable), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (place == MAP_FAILED) throw std::runtime_error("no table of multicast memory");
  return static_cast<MulticastTable*>(place);
}

// Where such memory is mapped, for kernels, which run beside the driver's calls.
struct MappedMulticast {
  std::uintptr_t begin;
  std::size_t bytes;
  MulticastTable* table;
  std::array<std::byte*, MulticastTable::kMost>
      places{};  // of the members' memory, once it was used
};
std::mutex mapped_mutex;
std::vector<MappedMulticast> all_mapped;

std::byte* map_member(const MulticastTable::Member& member, std::size_t bytes) {
  const std::string path =
      "/proc/" + std::to_string(member.process) + "/fd/" + std::to_string(member.file - 1);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return place == MAP_FAILED ? nullptr : static_cast<std::byte*>(place);
}

}  // namespace

int find_multicast(const void* address, void** places) {
  const std::scoped_lock lock(mapped_mutex);
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  for (MappedMulticast& mapped : all_mapped) {
    if (number < mapped.begin || number - mapped.begin >= mapped.bytes) continue;
    const unsigned count = mapped.table->gpus;
    for (std::size_t i = 0; i < count; ++i) {
      const MulticastTable::Member& member = mapped.table->members[i];
      if (mapped.places[i] == nullptr && member.file != 0) {
        mapped.places[i] = map_member(member, mapped.bytes);
      }
      if (mapped.places[i] == nullptr) return 0;
      places[i] = mapped.places[i] + (number - mapped.begin);
    }
    return static_cast<int>(count);
  }
  return 0;
}

void map_multicast(std::uintptr_t begin, const State::Physical& physical) {
  physical.multicast->require_all();
  const std::scoped_lock lock(mapped_mutex);
  all_mapped.push_back({.begin = begin, .bytes = physical.bytes, .table = physical.multicast});
}

void unmap_multicast(std::uintptr_t begin) {
  const std::scoped_lock lock(mapped_mutex);
  std::erase_if(all_mapped, [=](const MappedMulticast& mapped) {
    if (mapped.begin != begin) return false;
    for (std::byte* const place : mapped.places) {
      if (place != nullptr) munmap(place, mapped.bytes);
    }
    return true;
  });
}

void require_in_multicast(const State::Physical& physical, int device) {
  physical.multicast->member(device);
}

MulticastTable* import_multicast(int file) { return map_table(file); }

std::size_t multicast_bytes(const MulticastTable& table) { return table.bytes; }

void forget_multicast(MulticastTable* table) { munmap(table, sizeof(MulticastTable)); }

}  // namespace tutti::fake_cuda

using tutti::fake_cuda::Call;
using tutti::fake_cuda::driver_call;
using tutti::fake_cuda::Failure;
using tutti::fake_cuda::MulticastTable;
using tutti::fake_cuda::State;

namespace {

State::Physical& physical_of(State& state, unsigned long long handle, bool multicast) {
  State::Physical& found = state.physical_of(handle);
  if ((found.multicast != nullptr) == multicast) return found;
  throw Failure{CUDA_ERROR_INVALID_VALUE,
                multicast ? "no multicast memory" : "multicast memory has none of its own"};
}

void require_range(std::size_t bytes, std::size_t all, std::size_t offset) {
  if (offset == 0 && bytes == all) return;
  throw Failure{CUDA_ERROR_INVALID_VALUE, "it is bound whole"};
}

// What is made and bound while a stream records may be in what that replays, and is not there yet.
void complain_of_recording(State& state, const Call& call) {
  if (state.is_recording(tutti::fake_cuda::current)) {
    state.complain(call.text() + ": a stream records meanwhile");
  }
}

}  // namespace

CUresult cuMulticastGetGranularity(std::size_t* unit, const CUmulticastObjectProp* /*wanted*/,
                                   CUmulticastGranularity_flags which) {
  return driver_call("cuMulticastGetGranularity", [&](State& state, Call&) {
    const std::size_t least = state.setup().multicast_unit;
    *unit = which == CU_MULTICAST_GRANULARITY_MINIMUM ? least : 256 * least;
  });
}

CUresult cuMulticastCreate(CUmemGenericAllocationHandle* handle,
                           const CUmulticastObjectProp* wanted) {
  return driver_call("cuMulticastCreate", [&](State& state, Call& call) {
    call << wanted->numDevices << wanted->size;
    if (!state.has_multicast()) throw Failure{CUDA_ERROR_NOT_SUPPORTED, ""};
    complain_of_recording(state, call);
    const bool fits = wanted->numDevices > 0 && wanted->numDevices <= MulticastTable::kMost &&
                      wanted->size > 0 && wanted->size % state.setup().multicast_unit == 0;
    if (!fits) throw Failure{CUDA_ERROR_INVALID_VALUE, "no such multicast memory"};
    const int file = memfd_create(tutti::fake_cuda::kMulticastFile, MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, sizeof(MulticastTable)) != 0) {
      throw std::runtime_error("no table of multicast memory");
    }
    MulticastTable* const table = tutti::fake_cuda::import_multicast(file);
    table->gpus = wanted->numDevices;
    table->bytes = wanted->size;
    *handle = ++state.last_physical;
    state.physical[*handle] = {
        .bytes = wanted->size,
        .file = file,
        .shareable = wanted->handleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .multicast = table};
    call.gives("multicast" + std::to_string(*handle));
  });
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device) {
  return driver_call("cuMulticastAddDevice", [&](State& state, Call& call) {
    call << handle << device;
    state.primary_context(device);
    MulticastTable& table = *physical_of(state, handle, true).multicast;
    if (!state.has_multicast()) throw Failure{CUDA_ERROR_NOT_SUPPORTED, ""};
    for (const MulticastTable::Member& each : table.members) {
      if (each.device == device + 1) {
        throw Failure{CUDA_ERROR_INVALID_VALUE, "the device was added before"};
      }
    }
    const unsigned place = table.added++;
    if (place >= table.gpus) throw Failure{CUDA_ERROR_INVALID_VALUE, "more devices than it is for"};
    table.members[place].device = device + 1;
  });
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle handle, std::size_t offset,
                            CUmemGenericAllocationHandle memory, std::size_t memory_offset,
                            std::size_t bytes, unsigned long long /*flags*/) {
  return driver_call("cuMulticastBindMem", [&](State& state, Call& call) {
    call << handle << memory << bytes;
    complain_of_recording(state, call);
    if (bytes % state.setup().multicast_unit != 0) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "the size is no multiple of the granularity"};
    }
    State::Physical& multicast = physical_of(state, handle, true);
    const State::Physical& own = physical_of(state, memory, false);
    MulticastTable::Member& member = multicast.multicast->member(own.device);
    multicast.multicast->require_all();
    require_range(bytes, multicast.bytes, offset);
    if (memory_offset != 0 || bytes > own.bytes || own.imported) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "a member binds its own memory"};
    }
    if (member.file != 0) throw Failure{CUDA_ERROR_INVALID_VALUE, "memory was bound before"};
    member.process = getpid();
    member.file = fcntl(own.file, F_DUPFD_CLOEXEC, 3) + 1;
  });
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device, std::size_t offset,
                           std::size_t bytes) {
  return driver_call("cuMulticastUnbind", [&](State& state, Call& call) {
    call << handle << device << bytes;
    const State::Physical& multicast = physical_of(state, handle, true);
    require_range(bytes, multicast.bytes, offset);
    MulticastTable::Member& member = multicast.multicast->member(device);
    if (member.file == 0 || member.process != getpid()) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "nothing of this process is bound"};
    }
    if (!state.waiting_launches.empty())
      state.complain(call.text() + ": a kernel runs that may use it");
    close(member.file - 1);
    member.file = 0;
  });
}
