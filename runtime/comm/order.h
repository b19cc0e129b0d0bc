#pragma once

#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/comm/progress_thread.h>
#include <tutti/runtime/ring.h>

#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::runtime {

class ProgramOrder;

// A collective that is completed in the order in which its rank started it. Used again and again.
class OrderedWork : public Work {
 public:
  bool test() final;
  void wait() final;

 protected:
  OrderedWork() = default;
  // For a new collective. `told`: whether the rank knows that collectives of this one's group fail.
  // Both live as long as the collective.
  void start_in(ProgramOrder& order, bool& told);
  // Brings it as far as it comes on its own, behind all before it: to where it is to be read, or to
  // its end. Throws where it failed.
  void bring();
  // What a failed one keeps; to be called when the collective is over and nobody holds it.
  void forget_failure() { failure_ = nullptr; }

 private:
  friend class ProgramOrder;

  // Brings this collective to its end and returns true; false if a peer is not ready and `may_wait`
  // does not allow to wait for it. Throws where the collective failed.
  virtual bool attempt(bool may_wait) = 0;
  // Somebody has waited for it, who goes on with its results; each time.
  virtual void joined() {}
  // What whoever this waits for notifies.
  virtual std::shared_ptr<kernels::Signal> signal() const = 0;
  void rethrow_failure() const;

  ProgramOrder* order_ = nullptr;
  bool* told_ = nullptr;
  std::exception_ptr failure_;
  bool finished_ = false;   // in success or failure
  bool attempted_ = false;  // right now
};

// What a rank has started and not yet completed, over all its groups, in program order. That
// waiting for one collective completes the earlier ones first keeps groups from waiting for each
// other in a circle. A collective that fails counts as finished: those behind it, in other groups,
// go on.
class ProgramOrder {
 public:
  ProgramOrder() = default;
  ProgramOrder(const ProgramOrder&) = delete;
  ProgramOrder& operator=(const ProgramOrder&) = delete;
  ~ProgramOrder() { stop_progress(); }

  // From here to there a thread advances it, too; whatever its rank's own thread does with it or
  // with what is in it has to be in an OrderTurn.
  void start_progress() { progress_ = std::make_unique<ProgressThread>(*this); }
  void stop_progress() noexcept;
  // Whether it is that thread which asks.
  bool is_in_background() const {
    return progress_ != nullptr && progress_->has_turn() && !progress_->is_copy();
  }

  void add(std::shared_ptr<OrderedWork> work) {
    works_.push_back() = std::move(work);
    if (progress_ != nullptr) progress_->added();
  }
  // Makes sure that add() needs no memory, nor what becomes of the work.
  void make_room();
  bool empty() const { return works_.empty(); }

  // Completes `work` and all before it, and waits where it must.
  void complete(const OrderedWork& work);
  // Completes all before `work`, and attempts it once.
  void bring(OrderedWork& work);
  // Completes the first one.
  void complete_first() { step(true); }
  // Completes what can be without waiting.
  void advance();
  // Completes whatever can be without waiting, wherever it stands; what waits calls it, since peers
  // may wait for that. Works of one group see to their own order.
  void advance_any();
  // The same for the progress thread: one of them, whose end the rank's thread sees to. Returns
  // whether there was one.
  bool advance_one();
  // Of that thread: the rank's own drops it in its next turn.
  void drop_later(std::shared_ptr<const void> held) { dropped_.push_back(std::move(held)); }
  // Completes everything; then throws the first failure in a group of which nobody has been told
  // that it fails.
  void complete_all();
  // Gives up: everything unfinished fails with `reason`.
  void abandon(const std::exception_ptr& reason) noexcept;
  // That of the first one; null if there is none.
  std::shared_ptr<kernels::Signal> signal() const {
    return works_.empty() ? nullptr : works_.front()->signal();
  }

 private:
  friend class OrderTurn;
  // Tries the first one; returns whether it is finished (and gone from the list). Throws UsageError
  // where it would wait for one that is attempted already: a user's code is called from there.
  bool step(bool may_wait);
  // Returns whether it is finished.
  bool attempt(OrderedWork& work, bool may_wait);
  // Tries a work that stands anywhere, without waiting; returns whether it is finished, and gone.
  bool attempt_at(std::size_t place);
  void drop();

  Ring<std::shared_ptr<OrderedWork>> works_;
  std::vector<std::shared_ptr<OrderedWork>> failed_;
  std::vector<std::shared_ptr<const void>> dropped_;  // see drop_later()
  std::unique_ptr<ProgressThread> progress_;
};

// The turn of the rank's own thread, where its order has a progress thread; they may nest.
class OrderTurn {
 public:
  explicit OrderTurn(ProgramOrder& order)
      : thread_(order.progress_ != nullptr && !order.progress_->is_copy() ? order.progress_.get()
                                                                          : nullptr) {
    if (thread_ == nullptr) return;
    thread_->enter();
    if (!order.dropped_.empty()) order.drop();
  }
  OrderTurn(const OrderTurn&) = delete;
  OrderTurn& operator=(const OrderTurn&) = delete;
  ~OrderTurn() {
    if (thread_ != nullptr) thread_->leave();
  }

 private:
  ProgressThread* const thread_;
};

}  // namespace tutti::runtime
