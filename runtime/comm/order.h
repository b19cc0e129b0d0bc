#pragma once

#include <tutti/runtime/comm/backend.h>

#include <deque>
#include <exception>
#include <memory>

namespace tutti::runtime {

class ProgramOrder;

// A collective that is completed in the order in which its rank started it.
class OrderedWork : public Work {
 public:
  bool test() final;
  void wait() final;

 protected:
  explicit OrderedWork(std::shared_ptr<ProgramOrder> order) : order_(std::move(order)) {}

 private:
  friend class ProgramOrder;

  // Brings this collective to its end and returns true; false if a peer is not ready and `may_wait`
  // does not allow to wait for it. Throws where the collective failed.
  virtual bool attempt(bool may_wait) = 0;
  void rethrow_failure() const;

  std::shared_ptr<ProgramOrder> order_;
  std::exception_ptr failure_;
  bool finished_ = false;  // in success or failure
};

// What a rank has started and not yet completed, over all its groups, in program order. That
// waiting for one collective completes the earlier ones first keeps groups from waiting for each
// other in a circle. A collective that fails counts as finished: those behind it, in other groups,
// go on.
class ProgramOrder {
 public:
  void add(std::shared_ptr<OrderedWork> work) { works_.push_back(std::move(work)); }
  bool empty() const { return works_.empty(); }

  // Completes `work` and all before it, and waits where it must.
  void complete(const OrderedWork& work);
  // Completes the first one.
  void complete_first() { step(true); }
  // Completes what can be without waiting.
  void advance();
  // Completes everything; then throws the first failure that nobody has been told of.
  void complete_all();
  // Gives up: everything unfinished fails with `reason`.
  void abandon(const std::exception_ptr& reason) noexcept;

 private:
  // Tries the first one; returns whether it is finished (and gone from the list).
  bool step(bool may_wait);

  std::deque<std::shared_ptr<OrderedWork>> works_;
  std::exception_ptr untold_;  // the first failure of a work that was dropped
};

}  // namespace tutti::runtime
