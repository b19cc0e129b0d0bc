#include <tutti/runtime/cuda/releases.h>

#include <memory>
#include <string>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::releases_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class CudaReleasesTest : public FakeCudaTest {};

TEST_F(CudaReleasesTest, WhatIsLeftIsCalledBeforeTheStreamGoes) {
  auto stream = std::make_shared<CudaStream>(fake_.driver(), 0);
  fake_.calls();
  std::string before;
  stream->releases().release_later([&] { before = fake_.calls(); });
  stream = nullptr;
  EXPECT_THAT(before, HasSubstr("cuStreamSynchronize stream1\n"));
  EXPECT_THAT(before, Not(HasSubstr("cuStreamDestroy")));
  EXPECT_THAT(fake_.calls(), HasSubstr("cuStreamDestroy stream1\n"));
}

TEST_F(CudaReleasesTest, WaitForTheLastOfWhatWaitsForOtherRanks) {
  const auto gpu = open();
  bool called = false;
  {
    const CudaReleases::PeersWork first(gpu->stream());
    {
      const CudaReleases::PeersWork second(gpu->stream());
      gpu->stream()->releases().release([&] { called = true; });
    }
    EXPECT_FALSE(called);
  }
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace tutti::runtime::releases_test
