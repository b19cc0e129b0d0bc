#include <tutti/kernels/host/no_signals.h>

#include <csignal>
#include <initializer_list>

namespace tutti::kernels {

namespace {

struct WaitingSignals {
  int scopes = 0;  // of NoSignals, one inside another
  bool wait = false;
  sigset_t before;  // what was blocked before, if they wait
};
constinit thread_local WaitingSignals own_signals{};

}  // namespace

NoSignals::NoSignals() { ++own_signals.scopes; }

NoSignals::~NoSignals() {
  if (--own_signals.scopes > 0 || !own_signals.wait) return;
  own_signals.wait = false;
  pthread_sigmask(SIG_SETMASK, &own_signals.before, nullptr);
}

void NoSignals::start() {
  if (own_signals.wait) return;
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&blocked, own);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &own_signals.before);
  own_signals.wait = true;
}

}  // namespace tutti::kernels
