#include <tutti/runtime/cuda/comm_words.h>

#include <memory>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::comm_words_test {
namespace {

using testing::HasSubstr;

class CommWordsTest : public FakeCudaTest {};

// As where one group is closed while another one's collective runs.
TEST_F(CommWordsTest, GoBehindWorkThatWaitsForOtherRanks) {
  const auto gpu = open();
  auto words = std::make_unique<CommWords>(gpu->stream());
  fake_.calls();
  {
    const CudaReleases::PeersWork running(gpu->stream());
    words = nullptr;
    EXPECT_EQ(fake_.calls(), "");
  }
  EXPECT_THAT(fake_.calls(), HasSubstr("cuMemFreeHost pinned"));
}

}  // namespace
}  // namespace tutti::runtime::comm_words_test
