#include <tutti/ir/support/error.h>
#include <tutti/ir/support/held_over_forks.h>

#include <mutex>
#include <utility>

#include <pthread.h>

namespace tutti {

// Without destructors: locks may come and go while the process ends.
class HeldOverForks::All {
 public:
  static void add(HeldOverForks* lock) {
    const std::scoped_lock held(mutex_);
    lock->next_ = std::exchange(first_, lock);
    if (lock->next_ != nullptr) lock->next_->previous_ = lock;
  }
  static void remove(HeldOverForks* lock) {
    const std::scoped_lock held(mutex_);
    (lock->previous_ == nullptr ? first_ : lock->previous_->next_) = lock->next_;
    if (lock->next_ != nullptr) lock->next_->previous_ = lock->previous_;
  }

  static void hold() {
    mutex_.lock();
    for (HeldOverForks* each = first_; each != nullptr; each = each->next_) each->hold();
  }
  static void let_go() {
    for (HeldOverForks* each = first_; each != nullptr; each = each->next_) each->let_go();
    mutex_.unlock();
  }

 private:
  static inline std::mutex mutex_;
  static inline HeldOverForks* first_ = nullptr;
};

int HeldOverForks::register_handlers() noexcept {
  static const int out = pthread_atfork(All::hold, All::let_go, All::let_go);
  return out;
}

void HeldOverForks::begin() {
  if (register_handlers() != 0) {
    throw EnvironmentError("no memory for handlers of fork (pthread_atfork)");
  }
  All::add(this);
}

void HeldOverForks::end() { All::remove(this); }

}  // namespace tutti
