// Runs the examples as a user would and looks at the lines they teach.

#include <tutti/tutti.h>

#include <array>
#include <cmath>
#include <sstream>

#include "tests/support/command.h"
#include "tests/support/environment_variable.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace tutti::test::examples_test {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

CommandResult run_example(const std::string& name, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), std::string(TUTTI_BINARY_DIR) + "/bin/" + name);
  return run_command(arguments);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The number behind a word of a line.
double number_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word + " ");
  if (at == std::string::npos) return NAN;
  return std::strtod(text.c_str() + at + word.size(), nullptr);
}

TEST(Examples, HelloPrintsItsProgramAndItsResult) {
  const CommandResult hello = run_example("hello");
  EXPECT_EQ(hello.status, 0) << hello.errors;
  EXPECT_THAT(hello.errors, IsEmpty());
  // Whether the sum is still in the recorded program depends on whether rank 1 waits for it
  // already.
  EXPECT_THAT(hello.output, HasSubstr("func @trace("));
  EXPECT_THAT(hello.output, HasSubstr("// 01_hello.cpp:"));
  EXPECT_THAT(hello.output, EndsWith("f32[4] [3, 3, 3, 3]\n"));
}

TEST(Examples, GradientsFindTheLine) {
  const CommandResult gradients = run_example("gradients");
  EXPECT_EQ(gradients.status, 0) << gradients.errors;
  const std::vector<std::string> lines = lines_of(gradients.output);
  ASSERT_EQ(lines.size(), 2) << gradients.output;
  EXPECT_EQ(lines[0], "at (0, 0): loss 0.835938, gradient (-0.765625, -0.625)");
  EXPECT_THAT(lines[1], HasSubstr("after 200 steps of 1 program: loss "));
  EXPECT_NEAR(number_after(lines[1], "slope"), 3, 1e-2);
  EXPECT_NEAR(number_after(lines[1], "offset"), -1, 1e-2);
}

TEST(Examples, DataParallelLossIsTheSameForAnyNumberOfRanks) {
  const CommandResult data_parallel = run_example("data_parallel");
  EXPECT_EQ(data_parallel.status, 0) << data_parallel.errors;
  const std::vector<std::string> lines = lines_of(data_parallel.output);
  ASSERT_EQ(lines.size(), 9) << data_parallel.output;
  std::array<std::array<double, 3>, 3> losses{};  // of 1, 2 and 4 ranks, at steps 0, 50 and 100
  for (std::size_t i = 0; i < 9; ++i) losses[i / 3][i % 3] = number_after(lines[i], "loss");
  for (std::size_t step = 0; step < 3; ++step) {
    // Printed with four digits, of which rounding may move the last.
    EXPECT_NEAR(losses[1][step], losses[0][step], 1.5e-4) << data_parallel.output;
    EXPECT_NEAR(losses[2][step], losses[0][step], 1.5e-4) << data_parallel.output;
  }
  EXPECT_LT(losses[0][2], losses[0][0] / 10);
}

TEST(Examples, CollectivesGiveWhatTheirCommentsSay) {
  const CommandResult collectives = run_example("collectives");
  EXPECT_EQ(collectives.status, 0) << collectives.errors;
  EXPECT_THAT(collectives.errors, IsEmpty());
  EXPECT_THAT(lines_of(collectives.output),
              ElementsAre("rank 0: all is f32[8]", "rank 1: all is f32[8]", "rank 2: all is f32[8]",
                          "rank 3: all is f32[8]", "rank 0: all f32[8] [0, 0, 1, 1, 2, 2, 3, 3]",
                          "rank 1: all f32[8] [0, 0, 1, 1, 2, 2, 3, 3]",
                          "rank 2: all f32[8] [0, 0, 1, 1, 2, 2, 3, 3]",
                          "rank 3: all f32[8] [0, 0, 1, 1, 2, 2, 3, 3]", "rank 0: part i64[1] [0]",
                          "rank 1: part i64[1] [4]", "rank 2: part i64[1] [8]",
                          "rank 3: part i64[1] [12]", "rank 0: pair + root f32[2] [3, 3]",
                          "rank 1: pair + root f32[2] [3, 3]", "rank 2: pair + root f32[2] [7, 7]",
                          "rank 3: pair + root f32[2] [7, 7]", "total 12"));
}

TEST(Examples, FilesGoesOnWhereItStopped) {
  const CommandResult files = run_example("files");
  EXPECT_EQ(files.status, 0) << files.errors;
  EXPECT_THAT(files.output, AllOf(HasSubstr("resumed at step 20\nthe next loss is the same\n"),
                                  HasSubstr("model of PyTorch's weights: f32[1,1] [[0]]\n"),
                                  HasSubstr("does not fit the tree; missing: '0.bias' f32[8]"),
                                  HasSubstr("first of 2 scores: 7.99")));
}

TEST(Examples, CnnLearns) {
  const CommandResult cnn = run_example("cnn");
  EXPECT_EQ(cnn.status, 0) << cnn.errors;
  EXPECT_THAT(cnn.errors, IsEmpty());
  EXPECT_GT(number_after(cnn.output, "right:"), 0.8);
}

TEST(Examples, HeatIsKeptAsAPicture) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "plate.png";
  const CommandResult heat = run_example("heat", {path});
  EXPECT_EQ(heat.status, 0) << heat.errors;
  // Some has left through the cold frame.
  const double before = number_after(heat.output, "heat");
  const double after = number_after(heat.output, "before,");
  EXPECT_GT(before, 1500);
  EXPECT_LT(after, before);
  EXPECT_GT(after, 0.8 * before);
  const std::string picture = folder.read("plate.png");
  EXPECT_THAT(picture, testing::StartsWith("\x89PNG\r\n\x1a\n"));
  EXPECT_THAT(picture, EndsWith(std::string("IEND\xae\x42\x60\x82")));
  EXPECT_GT(picture.size(), 128 * 128 * 3);
}

TEST(Examples, OptionsAgreesWithTheFormulas) {
  const CommandResult options = run_example("options");
  EXPECT_EQ(options.status, 0) << options.errors;
  const std::vector<std::string> lines = lines_of(options.output);
  ASSERT_EQ(lines.size(), 4) << options.output;
  for (const std::string& line : lines) {
    const double exact = number_after(line, "exact");
    EXPECT_NEAR(number_after(line, line.substr(0, line.find(' '))), exact, 0.005 * exact) << line;
  }
}

TEST(Examples, LstmSaysWhatItHasRead) {
  const CommandResult lstm = run_example("lstm");
  EXPECT_EQ(lstm.status, 0) << lstm.errors;
  EXPECT_THAT(lstm.output, EndsWith("says: the quick brown fox jumps over the lazy dog.\n"));
}

// The tokens that it wrote, after checking that reading them at once gives the same ones.
std::string tokens_of_llama(const std::vector<std::string>& arguments) {
  const CommandResult llama = run_example("llama", arguments);
  EXPECT_EQ(llama.status, 0) << llama.errors;
  EXPECT_THAT(llama.errors, IsEmpty());
  const std::vector<std::string> lines = lines_of(llama.output);
  EXPECT_THAT(lines, ElementsAre(Not(IsEmpty()), "2 programs; the cache stayed in its place",
                                 HasSubstr("a token takes "), "read at once: the same tokens"));
  return lines.empty() ? "" : lines[0];
}

// What transformers 5 writes with these weights; the likeliest token leads by 0.006 at least.
TEST(Examples, LlamaWritesWhatHuggingFacesDoes) {
  EXPECT_EQ(tokens_of_llama({"--tokens", "3,1,4,1,5", "--new", "12"}),
            "62 50 23 39 38 20 28 50 23 39 38 41 ");
  EXPECT_EQ(tokens_of_llama({"--tokens", "2,7,1,8", "--new", "8"}), "58 39 61 40 35 31 21 35 ");
}

constexpr const char* kSmallLlama = R"({"vocab_size": 8, "hidden_size": 8, "num_hidden_layers": 1,
    "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 4})";

// Blocks that add nothing, and a table of scores, [out, in], in which each token calls for the next.
TEST(Examples, LlamaReadsWeightsByHuggingFacesNames) {
  const TemporaryFolder folder;
  folder.write("config.json", kSmallLlama);
  const std::string block = "model.layers.0.";
  save(TensorMap{{"model.embed_tokens.weight", eye(8)},
                 {block + "input_layernorm.weight", ones({8})},
                 {block + "self_attn.q_proj.weight", ones({8, 8})},
                 {block + "self_attn.k_proj.weight", ones({4, 8})},
                 {block + "self_attn.v_proj.weight", ones({4, 8})},
                 {block + "self_attn.o_proj.weight", zeros({8, 8})},
                 {block + "post_attention_layernorm.weight", ones({8})},
                 {block + "mlp.gate_proj.weight", ones({4, 8})},
                 {block + "mlp.up_proj.weight", ones({4, 8})},
                 {block + "mlp.down_proj.weight", zeros({8, 4})},
                 {"model.norm.weight", ones({8})},
                 {"lm_head.weight", roll(eye(8), 1, 0)}},
       folder.path() / "model.safetensors");
  EXPECT_EQ(tokens_of_llama({folder.path(), "--tokens", "0,3", "--new", "6"}), "4 5 6 7 0 1 ");
}

TEST(Examples, LlamaSaysWhichWeightsAreMissing) {
  const TemporaryFolder folder;
  folder.write("config.json", kSmallLlama);
  save(TensorMap{{"model.embed_tokens.weight", ones({8, 8})}}, folder.path() / "model.safetensors");
  const CommandResult llama = run_example("llama", {folder.path()});
  EXPECT_EQ(llama.status, 1);
  EXPECT_THAT(llama.errors, HasSubstr("missing: 'blocks.0.before_attention' f32[8]"));
}

TEST(Examples, LayersShowsEveryLayer) {
  const CommandResult layers = run_example("layers");
  EXPECT_EQ(layers.status, 0) << layers.errors;
  for (const char* part : {"trace", "decompose", "fuse", "kernel", "plan", "run", "two ranks",
                           "mismatch", "gradient"}) {
    EXPECT_THAT(layers.output, HasSubstr("\n==== " + std::string(part) + "\n"));
  }
}

// ---- train_char_gpt

// Of three steps, by the command with the options of the program added.
std::vector<double> losses_of_training(std::vector<std::string> command) {
  const TemporaryFolder folder;
  const std::string json = folder.path() / "losses.json";
  command.insert(command.end(), {"--steps", "3", "--sample", "0", "--json", json});
  const CommandResult training = run_command(command);
  EXPECT_EQ(training.status, 0) << training.errors;
  EXPECT_THAT(training.output, HasSubstr("final: step 3 loss "));
  if (training.status != 0) return {};
  return nlohmann::json::parse(folder.read("losses.json")).at("loss").get<std::vector<double>>();
}

TEST(TrainCharGpt, OneRankTwoThreadsAndTwoProcessesAgree) {
  const std::string bin = std::string(TUTTI_BINARY_DIR) + "/bin/";
  const std::string program = bin + "train_char_gpt";
  const std::vector<double> one = losses_of_training({program});
  const std::vector<double> threads = losses_of_training({program, "--ranks", "2"});
  const std::vector<double> processes =
      losses_of_training({bin + "tutti", "launch", "-n", "2", "--", program});
  ASSERT_EQ(one.size(), 3);
  ASSERT_EQ(threads.size(), 3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(one[i], threads[i], 1e-4) << "step " << i;
  }
  EXPECT_EQ(processes, threads);
  EXPECT_LT(one[2], one[0]);
}

TEST(TrainCharGpt, RefusesATextItCannotRead) {
  const CommandResult training = run_example("train_char_gpt", {"--text", "no/such/text"});
  EXPECT_NE(training.status, 0);
  EXPECT_THAT(training.output, IsEmpty());
  EXPECT_THAT(lines_of(training.errors),
              ElementsAre(AllOf(HasSubstr("cannot read"), HasSubstr("no/such/text"))));
}

TEST(TrainCharGpt, RefusesATextThatIsTooShort) {
  const TemporaryFolder folder;
  const CommandResult training =
      run_example("train_char_gpt", {"--text", folder.write("short", "abc")});
  EXPECT_NE(training.status, 0);
  EXPECT_THAT(lines_of(training.errors), ElementsAre(HasSubstr("shorter than the context")));
}

class WrongOptions : public testing::TestWithParam<std::vector<std::string>> {};

// The parser's message, and perhaps its hint at --help.
TEST_P(WrongOptions, AreRefusedByName) {
  const CommandResult training = run_example("train_char_gpt", GetParam());
  EXPECT_NE(training.status, 0);
  EXPECT_THAT(training.output, IsEmpty());
  const std::vector<std::string> lines = lines_of(training.errors);
  ASSERT_THAT(lines, Not(IsEmpty()));
  EXPECT_THAT(lines[0], HasSubstr(GetParam()[0]));
  EXPECT_LE(lines.size(), 2) << training.errors;
}

INSTANTIATE_TEST_SUITE_P(TrainCharGpt, WrongOptions,
                         testing::Values(std::vector<std::string>{"--ranks", "three"},
                                         std::vector<std::string>{"--steps", "0"},
                                         std::vector<std::string>{"--steps", "many"},
                                         std::vector<std::string>{"--sample", "-1"},
                                         std::vector<std::string>{"--no-such-option"}));

#if TUTTI_HAS_CUDA
class OnADoubledGpu : public testing::Test {
  EnvironmentVariable libraries_{"TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda"};
  EnvironmentVariable device_{"TUTTI_DEVICE", "cuda"};
};

// Its work is done as late as it may: some when the process ends.
TEST_F(OnADoubledGpu, LayersRun) {
  const CommandResult result = run_example("layers");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("on cuda:0"));
}

// As it is, by its environment alone; its ranks are threads.
TEST_F(OnADoubledGpu, CollectivesOverNcclGiveWhatTheHostsMemoryDoes) {
  const EnvironmentVariable options("TUTTI_TEST_FAKE_CUDA", "devices=4");
  const auto output = [](const std::string& backends) {
    const EnvironmentVariable backends_variable("TUTTI_BACKENDS", backends);
    const CommandResult result = run_example("data_parallel");
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    return result.output;
  };
  EXPECT_EQ(output("cuda:nccl"), output("cuda:shm"));
}
#endif

}  // namespace

}  // namespace tutti::test::examples_test
