#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/moment.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace tutti::runtime {

namespace {

constexpr MemoryLabel kWorkspace = {.what = "the workspace of kernels", .where = {}};

CUdeviceptr address_of(const void* place) { return reinterpret_cast<CUdeviceptr>(place); }

int attribute(const CudaStream& stream, CUdevice_attribute what) {
  int value = 0;
  stream.driver().check(stream.driver().cuDeviceGetAttribute(&value, what, stream.device()),
                        "cuDeviceGetAttribute");
  return value;
}

}  // namespace

CudaAccelerator::CudaAccelerator(const CudaDriver& driver, int index, std::size_t cache_bytes)
    : stream_(std::make_shared<CudaStream>(driver, index)),
      memory_(std::make_unique<CudaBlocks>(stream_), cache_bytes),
      member_(index, memory_),
      blocks_(stream_),
      registered_(stream_) {
  // Conversions of bf16, and minima that keep NaN, are instructions from there on.
  if (attribute(*stream_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) < 8) {
    throw EnvironmentError(device().text() + ", " + name() + ", is " + target() +
                           "; Tutti needs sm_80 (Ampere) or later");
  }
}

CudaAccelerator::~CudaAccelerator() {
  if (lane_ != nullptr) lane_->close();
  stream_->try_synchronize();  // who wanted a result has asked for it
  for (const Workspace& workspace : workspaces_) {
    blocks_.give_back(workspace.data, workspace.bytes);
  }
  blocks_.flush();
}

CudaAccelerator& CudaAccelerator::of(Accelerator& accelerator) {
  auto* const cuda = dynamic_cast<CudaAccelerator*>(&accelerator);
  if (cuda != nullptr) return *cuda;
  throw InternalError("code for CUDA was given " + accelerator.name());
}

std::string CudaAccelerator::name() const {
  const CudaDriver& driver = stream_->driver();
  std::array<char, 256> name{};
  driver.check(
      driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()), stream_->device()),
      "cuDeviceGetName");
  return name.data();
}

std::string CudaAccelerator::target() const {
  return "sm_" + std::to_string(attribute(*stream_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
         std::to_string(attribute(*stream_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

void CudaAccelerator::check_not_recording(const char* call) const {
  if (is_recording()) throw InternalError(std::string(call) + " in what is to be recorded");
}

void CudaAccelerator::copy_in(void* to, const void* from, std::size_t bytes) {
  check_not_recording("copy_in");
  const CudaStream::Entered entered = stream_->enter();
  staging().copy_in(address_of(to), static_cast<const std::byte*>(from), bytes);
}

void CudaAccelerator::copy_out(void* to, const void* from, std::size_t bytes) {
  check_not_recording("copy_out");
  const CudaStream::Entered entered = stream_->enter();
  staging().copy_out(static_cast<std::byte*>(to), address_of(from), bytes);
}

std::shared_ptr<const void> CudaAccelerator::register_host(const std::shared_ptr<Buffer>& memory) {
  check_not_recording("register_host");
  const CudaStream::Entered entered = stream_->enter();
  return registered_.add(memory);
}

bool CudaAccelerator::begin_copy_out(void* to, const void* from, std::size_t bytes) {
  check_not_recording("begin_copy_out");
  if (!registered_.holds(to, bytes)) return false;
  if (bytes == 0) return true;
  const CudaStream::Entered entered = stream_->enter();
  if (copied_out_ == nullptr) copied_out_ = std::make_unique<CudaEvent>(stream_);
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuMemcpyDtoHAsync(to, address_of(from), bytes, stream_->handle()),
               "cuMemcpyDtoHAsync");
  copied_out_->record();
  return true;
}

void CudaAccelerator::finish_copies_out() {
  if (copied_out_ == nullptr) return;
  const CudaStream::Entered entered = stream_->enter();
  wait_for(*copied_out_);
}

void CudaAccelerator::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuMemcpyDtoDAsync(address_of(to), address_of(from), bytes, stream_->handle()),
               "cuMemcpyDtoDAsync");
}

std::byte* CudaAccelerator::workspace(std::size_t bytes) {
  if (!workspaces_.empty() && workspaces_.back().bytes >= bytes) return workspaces_.back().data;
  // Grows by half at least, so that not every kernel leaves one behind.
  const std::size_t least =
      workspaces_.empty() ? std::size_t{1} << 20 : workspaces_.back().bytes / 2 * 3;
  Workspace made{.data = nullptr, .bytes = std::max({bytes, kCounterBytes, least}), .counted = {}};
  // A new block and not one of memory_'s: nothing on the stream uses it, so that it can be cleared
  // beside the stream, which may be recording: then nothing is trimmed, which would wait for it.
  made.data = static_cast<std::byte*>(is_recording() ? blocks_.take_what_is_free(made.bytes)
                                                     : blocks_.take(made.bytes));
  if (made.data == nullptr && !is_recording()) {
    memory_.trim();
    made.data = static_cast<std::byte*>(blocks_.take_again(made.bytes));
  }
  if (made.data == nullptr) {
    throw OutOfMemoryError(
        out_of_memory_text(made.bytes, kWorkspace, *memory_.use(), blocks_.describe()));
  }
  try {
    clear(made.data, kCounterBytes);
  } catch (...) {
    blocks_.give_back(made.data, made.bytes);  // at a later release: this may record
    throw;
  }
  made.counted = std::make_unique<MemoryUse::Counted>(memory_.use(), made.bytes, kWorkspace);
  return workspaces_.emplace_back(std::move(made)).data;
}

void CudaAccelerator::clear(std::byte* data, std::size_t bytes) const {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  CUstream aside = nullptr;
  driver.check(driver.cuStreamCreate(&aside, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  const CUresult put = driver.cuMemsetD8Async(address_of(data), 0, bytes, aside);
  const CUresult done = put == CUDA_SUCCESS ? driver.cuStreamSynchronize(aside) : put;
  driver.cuStreamDestroy(aside);
  driver.check(put, "cuMemsetD8Async");
  driver.check(done, "cuStreamSynchronize");
}

std::unique_ptr<CudaGraph> CudaAccelerator::capture(FunctionRef<void()> work) {
  check_not_recording("record");
  // What was let go of meanwhile, once others may wait for the stream.
  struct Flush {
    CudaReleases& releases;
    ~Flush() { releases.flush(); }
  } const flush{stream_->releases()};
  const CudaStream::Entered entered = stream_->enter();
  const std::scoped_lock lock(stream_->recording());
  auto graph = std::make_unique<CudaGraph>(stream_);
  recording_ = graph.get();
  stream_->set_records(true);
  struct End {
    CudaGraph*& recording;
    CudaStream& stream;
    ~End() {
      recording = nullptr;
      stream.set_records(false);
    }
  } const end{recording_, *stream_};
  graph->begin(stream_->handle());
  work();
  graph->end();
  return graph;
}

std::unique_ptr<Accelerator::Recording> CudaAccelerator::record(FunctionRef<void()> work) {
  const auto graph = capture(work);
  const CudaStream::Entered entered = stream_->enter();
  return std::make_unique<CudaRecording>(*graph);
}

std::shared_ptr<const Accelerator::Part> CudaAccelerator::record_part(FunctionRef<void()> work) {
  return capture(work);
}

std::unique_ptr<Accelerator::JoinedRecording> CudaAccelerator::join(std::vector<JoinedPart> parts) {
  const CudaStream::Entered entered = stream_->enter();
  return std::make_unique<JoinedCudaRecording>(stream_, std::move(parts));
}

void CudaAccelerator::keep(std::shared_ptr<const void> used) {
  if (recording_ != nullptr) recording_->keep(std::move(used));
}

std::unique_ptr<Accelerator::Moment> CudaAccelerator::moment() {
  check_not_recording("moment");
  auto made = std::make_unique<CudaMoment>(stream_);
  made->mark();
  return made;
}

void CudaAccelerator::synchronize() {
  check_not_recording("synchronize");
  if (lane_ != nullptr) {
    const CudaStream::Entered entered = stream_->enter();
    lane_->wait_for_all();
  }
  stream_->synchronize();
}

const std::shared_ptr<CudaLane>& CudaAccelerator::lane() {
  if (lane_ == nullptr) lane_ = std::make_shared<CudaLane>(stream_);
  return lane_;
}

CudaStaging& CudaAccelerator::staging() {
  if (staging_ == nullptr) {
    staging_ =
        std::make_unique<CudaStaging>(stream_, [this](CudaEvent& event) { wait_for(event); });
  }
  return *staging_;
}

void CudaAccelerator::wait_for(CudaEvent& event) {
  lane_ != nullptr ? lane_->wait_for(event) : event.wait();
}

}  // namespace tutti::runtime
