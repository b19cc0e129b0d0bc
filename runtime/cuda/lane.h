#pragma once

#include <tutti/runtime/buffer.h>
#include <tutti/runtime/cuda/event.h>
#include <tutti/runtime/cuda/stream.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::runtime {

// A GPU's second stream, for what ranks do together. What is on it waits for other ranks, which may
// die: so the host never waits for it in the driver, where nobody could end that, but looks, and
// looks after the ranks meanwhile. Belongs to the rank's thread; whoever calls it has entered.
class CudaLane {
 public:
  explicit CudaLane(std::shared_ptr<CudaStream> stream);
  CudaLane(const CudaLane&) = delete;
  CudaLane& operator=(const CudaLane&) = delete;
  ~CudaLane();

  // Waits for what is on it, or for the end of what was aborted, and lets go of it. The GPU is not
  // used any more.
  void close() noexcept;

  CUstream handle() const { return handle_; }
  // To be held while work is put on it, or on the GPU's own stream by a replay, until add() or
  // break_down().
  [[nodiscard]] CudaReleases::PeersWork peers_work() const {
    return CudaReleases::PeersWork(stream_);
  }

  // A place in the order in which work is put on it, which must be the same on all ranks: that of
  // the program. Given back when the work is there, or will never be.
  class Turn {
   public:
    // `opens_memory`: whether what it is for may begin to share memory with other ranks, for which
    // no stream may record.
    Turn(std::shared_ptr<CudaLane> lane, bool opens_memory)
        : lane_(std::move(lane)), number_(++lane_->last_) {
      lane_->turns_.push_back({.number = number_, .opens_memory = opens_memory});
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      std::erase_if(lane_->turns_, [this](const Place& each) { return each.number == number_; });
    }
    bool has_come() const { return lane_->turns_.front().number == number_; }

   private:
    const std::shared_ptr<CudaLane> lane_;
    const std::uint64_t number_;
  };

  // Whether some turn is still to come that may.
  bool opens_memory() const { return std::ranges::any_of(turns_, &Place::opens_memory); }

  // What is on it. `check` throws where it will not come to its end; it is called while somebody
  // waits, and once more at the end, since what was aborted ends, too. `abort` is called where any
  // check has thrown: nothing behind it would end by itself.
  struct UnderWay {
    std::shared_ptr<CudaEvent> done;
    std::function<void()> check;
    std::function<void()> abort;
    std::vector<std::shared_ptr<Buffer>> buffers;  // that it uses
  };
  void add(UnderWay work);
  // Of what may be on it, or come to it, and never be known to be over: nothing can be read any
  // more. The buffers are kept.
  void break_down(std::exception_ptr why, std::vector<std::shared_ptr<Buffer>> buffers);

  // Returns when the event has come, which may be behind what is on it. Throws what a check throws,
  // from then on always: what was computed from the results is worth nothing.
  void wait_for(CudaEvent& event);
  // The same for all that is on it.
  void wait_for_all();
  // Takes off what is done; returns whether something is left. Throws like wait_for().
  bool look();

 private:
  struct Place {
    std::uint64_t number = 0;
    bool opens_memory = false;
  };

  void fail(std::exception_ptr why);
  void wait_for_end() noexcept;

  const std::shared_ptr<CudaStream> stream_;
  CUstream handle_ = nullptr;
  std::uint64_t last_ = 0;
  std::deque<Place> turns_;
  std::deque<UnderWay> under_way_;
  std::optional<CudaReleases::PeersWork> running_;  // while something is under way
  std::exception_ptr failure_;
  // What may be in use for as long as anything runs.
  std::vector<std::shared_ptr<Buffer>> lost_;
  std::uint64_t looks_ = 0;
};

}  // namespace tutti::runtime
