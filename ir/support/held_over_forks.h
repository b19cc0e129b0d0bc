#pragma once

namespace tutti {

// The base of locks that whoever forks holds meanwhile, so that the process that is forked off
// finds them free, and what they guard whole. Each is held for a moment only, and is the last lock
// that its thread takes, so that their order does not matter here; nor is one made or destroyed
// while another is held.
class HeldOverForks {
 public:
  HeldOverForks(const HeldOverForks&) = delete;
  HeldOverForks& operator=(const HeldOverForks&) = delete;

  // So that they are let go of before handlers are called that are registered later
  // (pthread_atfork); void if they are registered. Returns what pthread_atfork() does.
  static int register_handlers() noexcept;

 protected:
  HeldOverForks() = default;
  ~HeldOverForks() = default;

  // The last that a lock's constructor does, and the first that its destructor does: whoever forks
  // meanwhile calls hold() and let_go() of a lock that is whole. Throws EnvironmentError if the
  // system has no memory for it.
  void begin();
  void end();

 private:
  class All;  // of this process

  virtual void hold() = 0;
  // Also in the process that was forked off.
  virtual void let_go() = 0;

  HeldOverForks* previous_ = nullptr;
  HeldOverForks* next_ = nullptr;
};

}  // namespace tutti
