#include <tutti/ir/passes/passes.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/settings.h>

#include <map>

#include <gmock/gmock.h>

namespace tutti::runtime::settings_test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Variables = std::map<std::string, std::string>;

Settings settings(const Variables& variables) {
  return Settings([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Settings, NothingSaidGivesDefaults) {
  for (const Variables& variables : {Variables(), Variables{{"TUTTI_DUMP", ""}}}) {
    const Settings read = settings(variables);
    EXPECT_THAT(read.words("TUTTI_DUMP"), IsEmpty());
    EXPECT_EQ(read.text("TUTTI_DUMP_DIR"), "tutti-dump");
    EXPECT_EQ(read.text("TUTTI_DEVICE"), "cpu");
    EXPECT_EQ(read.number("TUTTI_THREADS"), std::nullopt);
    EXPECT_EQ(read.seconds("TUTTI_TIMEOUT"), std::nullopt);
    EXPECT_FALSE(read.flag("eager"));
    EXPECT_EQ(read.text("kernels"), "");
  }
}

TEST(Settings, ReadsEveryKind) {
  const Settings read = settings({{"TUTTI_THREADS", "3"},
                                  {"TUTTI_TIMEOUT", "0.25"},
                                  {"TUTTI_DUMP_DIR", "/tmp/a b"},
                                  {"TUTTI_SET", "eager=on, kernels = evaluate"}});
  EXPECT_EQ(read.number("TUTTI_THREADS"), 3);
  EXPECT_EQ(read.seconds("TUTTI_TIMEOUT"), milliseconds(250));
  EXPECT_EQ(read.text("TUTTI_DUMP_DIR"), "/tmp/a b");
  EXPECT_TRUE(read.flag("eager"));
  EXPECT_EQ(read.text("kernels"), "evaluate");
}

TEST(Settings, WordsComeOnceAndInTheOrderOfTheTable) {
  EXPECT_THAT(settings({{"TUTTI_DUMP", " llvm,trace,,llvm"}}).words("TUTTI_DUMP"),
              ElementsAre("trace", "llvm"));
  EXPECT_THAT(settings({{"TUTTI_DUMP", "all"}}).words("TUTTI_DUMP"),
              ElementsAre("trace", "passes", "kernels", "plan", "llvm", "asm", "cuda", "ptx"));
}

TEST(Settings, APassCanBeNamedAsItIs) {
  for (const ir::Pass& pass : ir::all_passes()) {
    EXPECT_THAT(settings({{"TUTTI_DISABLE", std::string(pass.name)}}).words("TUTTI_DISABLE"),
                ElementsAre(std::string(pass.name)));
  }
}

struct Mistake {
  std::string name;
  std::string value;
  std::string message;
};
class SettingMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(SettingMistakes, AreNamed) {
  const auto& [name, value, message] = GetParam();
  try {
    settings({{name, value}});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, SettingMistakes,
    testing::Values(
        Mistake{
            "TUTTI_DUMP", "trcae",
            R"(TUTTI_DUMP is "trcae"; it takes trace, passes, kernels, plan, llvm, asm, cuda, ptx or all; )"
            "did you mean 'trace'?"},
        Mistake{"TUTTI_DUMP", "plan,xyz",
                R"(TUTTI_DUMP is "plan,xyz"; "xyz" is none of trace, passes,)"},
        Mistake{
            "TUTTI_LOG", "recompile",
            R"(TUTTI_LOG is "recompile"; it takes recompiles, compile, cache, evaluate, copies, gpu or all; )"
            "did you mean 'recompiles'?"},
        Mistake{"TUTTI_DISABLE", "fusion", R"(TUTTI_DISABLE is "fusion"; it takes bound_sizes, )"},
        Mistake{"TUTTI_DISABLE", "all", R"(TUTTI_DISABLE is "all"; it takes bound_sizes, )"},
        Mistake{"TUTTI_SET", "kernel=llvm",
                R"(TUTTI_SET is "kernel=llvm"; "kernel" is none of kernels, )"},
        Mistake{"TUTTI_SET", "kernels",
                R"(TUTTI_SET is "kernels"; kernels needs a value: kernels=)"},
        Mistake{"TUTTI_SET", "kernels=gpu",
                R"(kernels in TUTTI_SET is "gpu"; it takes llvm or evaluate)"},
        Mistake{"TUTTI_SET", "eager=2",
                R"(eager in TUTTI_SET is "2"; it is on (1, true, yes) or off (0, false, no))"},
        Mistake{"TUTTI_THREADS", "0",
                R"(TUTTI_THREADS is "0"; it must be a whole number from 1 to 4096)"},
        Mistake{"TUTTI_THREADS", "2.5", R"(TUTTI_THREADS is "2.5"; it must be a whole number)"},
        Mistake{
            "TUTTI_TIMEOUT", "nan",
            R"(TUTTI_TIMEOUT is "nan"; it must be seconds from 0.001 to 1000000000, such as )"}),
    [](const auto& row) { return row.param.name.substr(6) + "_" + std::to_string(row.index); });

TEST(Settings, AskingForWhatTheTableDoesNotHoldIsABug) {
  const Settings read = settings({});
  EXPECT_THROW(read.flag("TUTTI_NOTHING"), InternalError);
  EXPECT_THROW(read.flag("TUTTI_THREADS"), InternalError);
}

TEST(Settings, EveryRowExplainsItself) {
  std::vector<std::string_view> names;
  for (const auto rows : {all_settings(), all_tunables()}) {
    for (const Setting& setting : rows) {
      names.push_back(setting.name);
      EXPECT_TRUE(setting.does.ends_with(".")) << setting.name;
      EXPECT_FALSE(setting.takes.empty()) << setting.name;
      EXPECT_NE(setting.initial.empty(), setting.unset.empty()) << setting.name;
      for (const SettingWord& word : setting.words) EXPECT_FALSE(word.does.empty()) << word.name;
    }
  }
  for (const Setting& setting : all_settings()) EXPECT_TRUE(setting.name.starts_with("TUTTI_"));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(Settings, ComplaintsOfOneVariable) {
  const auto row = std::ranges::find(all_settings(), "TUTTI_THREADS", &Setting::name);
  EXPECT_EQ(complaint(*row, "4"), "");
  EXPECT_EQ(complaint(*row, ""), "");
  EXPECT_THAT(complaint(*row, "many"), HasSubstr("a whole number"));
}

TEST(Settings, UnknownVariablesComeWithTheNearestName) {
  const std::string_view names[] = {"PATH", "TUTTI_DUPM", "TUTTI_LOG", "TUTTI_TEST_FOLDER",
                                    "TUTTI_WONDERFUL"};
  EXPECT_THAT(unknown_variables(names),
              ElementsAre("TUTTI_DUPM is no variable of Tutti's; did you mean 'TUTTI_DUMP'?",
                          "TUTTI_WONDERFUL is no variable of Tutti's; `tutti help env` lists those "
                          "that are"));
}

}  // namespace
}  // namespace tutti::runtime::settings_test
