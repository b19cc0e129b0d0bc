#include "tests/support/complaints.h"

#include <gmock/gmock.h>

namespace tutti::test {

void expect_no_complaints(const CommandResult& result) {
  for (const char* const library : {"fake CUDA: ", "fake NCCL: "}) {
    EXPECT_THAT(result.errors, testing::Not(testing::HasSubstr(library)));
  }
}

}  // namespace tutti::test
