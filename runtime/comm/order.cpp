#include <tutti/runtime/comm/order.h>

#include <utility>

namespace tutti::runtime {

bool OrderedWork::test() {
  if (!finished_) order_->advance();
  rethrow_failure();
  return finished_;
}

void OrderedWork::wait() {
  if (!finished_) order_->complete(*this);
  rethrow_failure();
}

void OrderedWork::rethrow_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

bool ProgramOrder::step(bool may_wait) {
  const std::shared_ptr<OrderedWork> first = works_.front();
  try {
    if (!first->attempt(may_wait)) return false;
  } catch (...) {
    first->failure_ = std::current_exception();
    const bool dropped = first.use_count() == 2;  // ours and the list's
    if (dropped && !untold_) untold_ = first->failure_;
  }
  first->finished_ = true;
  works_.pop_front();
  return true;
}

void ProgramOrder::complete(const OrderedWork& work) {
  while (!work.finished_) step(true);
}

void ProgramOrder::advance() {
  while (!works_.empty() && step(false)) {
  }
}

void ProgramOrder::complete_all() {
  while (!works_.empty()) {
    const std::shared_ptr<OrderedWork> first = works_.front();
    step(true);
    if (first->failure_ && !untold_) untold_ = first->failure_;
  }
  if (untold_) std::rethrow_exception(std::exchange(untold_, nullptr));
}

void ProgramOrder::abandon(const std::exception_ptr& reason) noexcept {
  for (const std::shared_ptr<OrderedWork>& work : works_) {
    work->failure_ = reason;
    work->finished_ = true;
  }
  works_.clear();
}

}  // namespace tutti::runtime
