#include <tutti/ir/support/error.h>
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
  joined();
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
  dropped_.clear();
}

// Code of a user's that runs here may take turns of its own.
void ProgramOrder::drop() {
  auto dropped = std::exchange(dropped_, {});
  dropped.clear();
  if (dropped_.capacity() < dropped.capacity()) dropped_.swap(dropped);
}

void ProgramOrder::make_room() {
  works_.reserve_more(1);
  const std::size_t unfinished = works_.size() + 1;
  if (failed_.capacity() < failed_.size() + unfinished) {
    failed_.reserve(2 * (failed_.size() + unfinished));
  }
  if (progress_ == nullptr) return;
  // A work and the signal that the thread slept on meanwhile.
  if (dropped_.capacity() < dropped_.size() + 2 * unfinished + 2) {
    dropped_.reserve(2 * (dropped_.size() + 2 * unfinished + 2));
  }
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
  if (first.attempted_) {
    // What is attempted ends behind this call alone.
    if (!may_wait) return false;
    throw UsageError(
        "a release of memory waits for a collective while one is being completed; "
        "wait for it elsewhere");
  }
  if (!attempt(first, may_wait)) return false;
  if (first.failure_) failed_.push_back(works_.front());
  works_.pop_front();
  return true;
}

bool ProgramOrder::attempt_at(std::size_t place) {
  OrderedWork& work = *works_[place];
  if (work.attempted_ || !attempt(work, false)) return false;
  // Others before it may have been completed meanwhile.
  while (place >= works_.size() || works_[place].get() != &work) --place;
  if (work.failure_) failed_.push_back(works_[place]);
  if (is_in_background()) drop_later(works_[place]);
  works_.erase(place);
  return true;
}

void ProgramOrder::advance_any() {
  for (std::size_t i = 0; i < works_.size();) {
    if (!attempt_at(i)) ++i;
  }
}

bool ProgramOrder::advance_one() {
  for (std::size_t i = 0; i < works_.size(); ++i) {
    if (attempt_at(i)) return true;
  }
  return false;
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
