#include "tests/fake_cuda/driver/state.h"

// Streams, which do nothing before somebody waits for them, and events.

using tutti::fake_cuda::Call;
using tutti::fake_cuda::driver_call;
using tutti::fake_cuda::Failure;
using tutti::fake_cuda::Operation;
using tutti::fake_cuda::State;

namespace {

// Throws where a stream records and the call would spoil that.
void check_not_recording(CUstream_st& stream) {
  if (stream.capture == nullptr) return;
  stream.capture_is_spoilt = true;
  throw Failure{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, stream.name + " is recording"};
}

void wait(State& state, CUstream_st& stream, std::uint64_t position) {
  state.run(stream, position);
  if (stream.context->sticky != CUDA_SUCCESS) throw Failure{stream.context->sticky, ""};
}

}  // namespace

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return driver_call("cuStreamCreate", [&](State& state, Call& call) {
    if ((flags & CU_STREAM_NON_BLOCKING) != 0) call << "non-blocking";
    *stream = state.make<CUstream_st>("stream", &state.current_context());
    call.gives((*stream)->name);
  });
}

CUresult cuStreamDestroy(CUstream handle) {
  return driver_call("cuStreamDestroy", [&](State& state, Call& call) {
    CUstream_st& stream = state.live(handle);
    call << stream.name;
    check_not_recording(stream);
    state.run(stream, stream.position());
    stream.live = false;
  });
}

CUresult cuStreamSynchronize(CUstream handle) {
  return driver_call("cuStreamSynchronize", [&](State& state, Call& call) {
    CUstream_st& stream = state.mine(handle);
    call << stream.name;
    check_not_recording(stream);
    wait(state, stream, stream.position());
  });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return driver_call("cuEventCreate", [&](State& state, Call& call) {
    if ((flags & CU_EVENT_DISABLE_TIMING) != 0) call << "without-time";
    *event = state.make<CUevent_st>("event", &state.current_context());
    (*event)->has_time = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    call.gives((*event)->name);
  });
}

CUresult cuEventDestroy(CUevent handle) {
  return driver_call("cuEventDestroy", [&](State& state, Call& call) {
    CUevent_st& event = state.live(handle);
    call << event.name;
    event.live = false;
  });
}

CUresult cuEventRecord(CUevent handle, CUstream on) {
  return driver_call("cuEventRecord", [&](State& state, Call& call) {
    CUevent_st& event = state.mine(handle);
    CUstream_st& stream = state.mine(on);
    call << event.name << stream.name;
    check_not_recording(stream);
    event.stream = &stream;
    event.position = stream.position();
    if (!event.has_time) return;
    if (stream.queue.empty()) {
      event.time = state.device_time;
    } else {
      stream.timed.emplace_back(event.position, &event);
    }
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent first, CUevent second) {
  return driver_call("cuEventElapsedTime", [&](State& state, Call& call) {
    CUevent_st& earlier = state.mine(first);
    CUevent_st& later = state.mine(second);
    call << earlier.name << later.name;
    for (const CUevent_st* const event : {&earlier, &later}) {
      if (!event->has_time) {
        throw Failure{CUDA_ERROR_INVALID_HANDLE, event->name + " was made without-time"};
      }
      if (event->stream == nullptr) {
        throw Failure{CUDA_ERROR_INVALID_HANDLE, event->name + " was never recorded"};
      }
      if (event->stream->done < event->position) throw Failure{CUDA_ERROR_NOT_READY, ""};
    }
    constexpr double kMillisecond = 1e6;
    *milliseconds = static_cast<float>(
        (static_cast<double>(later.time) - static_cast<double>(earlier.time)) / kMillisecond);
  });
}

CUresult cuEventSynchronize(CUevent handle) {
  return driver_call("cuEventSynchronize", [&](State& state, Call& call) {
    CUevent_st& event = state.mine(handle);
    call << event.name;
    if (event.stream != nullptr) wait(state, *event.stream, event.position);
  });
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent on, unsigned /*flags*/) {
  return driver_call("cuStreamWaitEvent", [&](State& state, Call& call) {
    CUstream_st& stream = state.mine(handle);
    CUevent_st& event = state.mine(on);
    call << stream.name << event.name;
    check_not_recording(stream);
    CUstream_st* const other = event.stream;
    if (other == nullptr || other == &stream) return;
    Operation operation;
    operation.text = call.text();
    operation.is_ready = [&state, other, position = event.position] {
      return state.advance(*other, position);
    };
    operation.run = [] {};
    state.enqueue(stream, std::move(operation));
  });
}

CUresult cuEventQuery(CUevent handle) {
  return driver_call("cuEventQuery", [&](State& state, Call& call) {
    CUevent_st& event = state.mine(handle);
    call << event.name;
    if (event.stream == nullptr || state.advance(*event.stream, event.position)) return;
    throw Failure{CUDA_ERROR_NOT_READY, ""};
  });
}
