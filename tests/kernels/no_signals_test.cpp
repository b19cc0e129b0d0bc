#include <tutti/kernels/host/no_signals.h>

#include <csignal>

#include <gtest/gtest.h>

namespace tutti::kernels::no_signals_test {
namespace {

bool waits(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

TEST(NoSignals, NoneWaitsBeforeTheStart) {
  const NoSignals unused;
  EXPECT_FALSE(waits(SIGALRM));
}

TEST(NoSignals, SignalsFromOutsideWaitUntilItsEnd) {
  {
    NoSignals none;
    none.start();
    EXPECT_TRUE(waits(SIGALRM));
    EXPECT_TRUE(waits(SIGINT));
    EXPECT_FALSE(waits(SIGSEGV));
    EXPECT_FALSE(waits(SIGFPE));
  }
  EXPECT_FALSE(waits(SIGALRM));
}

TEST(NoSignals, TheOutermostEndsTheWait) {
  {
    const NoSignals around;
    for (int piece = 0; piece < 2; ++piece) {
      NoSignals none;
      none.start();
      EXPECT_TRUE(waits(SIGALRM));
    }
    EXPECT_TRUE(waits(SIGALRM));
  }
  EXPECT_FALSE(waits(SIGALRM));
}

TEST(NoSignals, WhatWaitedBeforeWaitsAfterwards) {
  sigset_t own;
  sigset_t before;
  sigemptyset(&own);
  sigaddset(&own, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &own, &before);
  {
    NoSignals none;
    none.start();
  }
  EXPECT_TRUE(waits(SIGUSR1));
  EXPECT_FALSE(waits(SIGALRM));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace tutti::kernels::no_signals_test
