#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/support/error.h>

#include <algorithm>

#include <gmock/gmock.h>

namespace tutti::ir::pipeline_test {
namespace {

std::vector<std::string_view> names(const std::vector<std::string>& words) {
  std::vector<std::string_view> out;
  for (const Pass* const pass : passes_named(words)) out.push_back(pass->name);
  return out;
}

TEST(Pipelines, TheFirstIsTheCompilers) {
  EXPECT_EQ(all_pipelines()[0].name, "default");
  EXPECT_EQ(all_pipelines()[0].passes, default_pipeline());
  EXPECT_TRUE(std::ranges::equal(default_pipeline(), all_passes(), {}, &Pass::name, &Pass::name));
}

TEST(Pipelines, AreNotCalledAsPassesAre) {
  for (const Pipeline& pipeline : all_pipelines()) EXPECT_EQ(find_pass(pipeline.name), nullptr);
}

TEST(PassesNamed, AreInTheirOrderAndAsOftenAsTheyAreNamed) {
  EXPECT_THAT(names({"dce", "cse", "dce"}), testing::ElementsAre("dce", "cse", "dce"));
  EXPECT_EQ(names({"default", "cse"}).size(), all_passes().size() + 1);
  EXPECT_THAT(names({"none"}), testing::IsEmpty());
}

TEST(PassesNamed, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_THAT([] { names({"fold_constant"}); },
              testing::ThrowsMessage<UsageError>(
                  "there is no pass 'fold_constant'; did you mean 'fold_constants'?"));
  EXPECT_THAT(
      [] { names({"defualt"}); },
      testing::ThrowsMessage<UsageError>("there is no pass 'defualt'; did you mean 'default'?"));
}

}  // namespace
}  // namespace tutti::ir::pipeline_test
