#pragma once

#include <cstdlib>

#include <gtest/gtest.h>

// Skips the test for want of a tool that scripts/setup installs. Where every change is checked, the
// environment has CI, and there the test fails instead.
#define TUTTI_SKIP_FOR_WANT_OF(what)                  \
  do {                                                \
    if (std::getenv("CI") != nullptr) FAIL() << what; \
    GTEST_SKIP() << what;                             \
  } while (false)
