#include <tutti/runtime/comm/order.h>

#include <utility>

namespace tutti::runtime {

void OrderedWork::start_in(ProgramOrder& order, bool& told) {
  order_ = &order;
  told_ = &told;
  finished_ = false;
}

bool OrderedWork::test() {
  const OrderTurn turn(*order_);
  if (!finished_) order_->advance();
  rethrow_failure();
  return finished_;
}

void OrderedWork::wait() {
  const OrderTurn turn(*order_);
  if (!finished_) order_->complete(*this);
  rethrow_failure();
}

void OrderedWork::bring() {
  if (!finished_) order_->bring(*this);
  rethrow_failure();
}

void OrderedWork::rethrow_failure() const {
  if (!failure_) return;
  *told_ = true;
  std::rethrow_exception(failure_);
}

// The thread's copy in a process that was forked off can't be ended, nor what it holds destroyed.
void ProgramOrder::stop_progress() noexcept {
  if (progress_ == nullptr) return;
  if (progress_->is_copy()) {
    static_cast<void>(progress_.release());
    return;
  }
  progress_->stop();  // it looks at the pointer, too
  progress_.reset();
}

bool ProgramOrder::attempt(OrderedWork& work, bool may_wait) {
  work.attempted_ = true;
  try {
    work.finished_ = work.attempt(may_wait);
  } catch (...) {
    work.failure_ = std::current_exception();
    work.finished_ = true;
  }
  work.attempted_ = false;
  return work.finished_;
}

// One that is attempted stays in the list, whatever attempts others meanwhile.
bool ProgramOrder::step(bool may_wait) {
  OrderedWork& first = *works_.front();
  if (!attempt(first, may_wait)) return false;
  if (first.failure_) failed_.push_back(works_.front());
  works_.pop_front();
  return true;
}

bool ProgramOrder::advance_any() {
  bool advanced = false;
  for (std::size_t i = 0; i < works_.size();) {
    OrderedWork& work = *works_[i];
    if (!work.attempted_ && attempt(work, false)) {
      if (work.failure_) failed_.push_back(works_[i]);
      works_.erase(i);
      advanced = true;
    } else {
      ++i;
    }
  }
  return advanced;
}

void ProgramOrder::complete(const OrderedWork& work) {
  while (!work.finished_) step(true);
}

void ProgramOrder::bring(OrderedWork& work) {
  while (!work.finished_ && works_.front().get() != &work) step(true);
  if (!work.finished_) step(true);
}

void ProgramOrder::advance() {
  while (!works_.empty() && step(false)) {
  }
}

void ProgramOrder::complete_all() {
  while (!works_.empty()) step(true);
  const auto failed = std::exchange(failed_, {});
  for (const std::shared_ptr<OrderedWork>& work : failed) {
    if (!*work->told_) work->rethrow_failure();
  }
}

void ProgramOrder::abandon(const std::exception_ptr& reason) noexcept {
  for (std::size_t i = 0; i < works_.size(); ++i) {
    works_[i]->failure_ = reason;
    works_[i]->finished_ = true;
  }
  works_.clear();
  failed_.clear();  // they hold what holds this
}

}  // namespace tutti::runtime
