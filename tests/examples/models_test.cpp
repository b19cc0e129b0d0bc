// Runs the examples that are whole models, with weights of their own and from files.

#include <tutti/tutti.h>

#include <filesystem>
#include <iterator>
#include <sstream>

#include "examples/bert.h"
#include "tests/examples/run_example.h"
#include <gmock/gmock.h>

namespace tutti::test::models_test {

namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Ten patterns in noise, as files; the network is asked about some that it has not seen.
TEST(Cnn, LearnsTheDigitsOfFiles) {
  const TemporaryFolder folder;
  const Tensor labels = randint({400}, Key(1), 0, 10);
  const Tensor patterns = take(uniform({10, 8, 8}, Key(2)), labels);
  save_npy(patterns + normal({400, 8, 8}, Key(3)) * 0.1F, folder.path() / "digits_images.npy");
  save_npy(labels, folder.path() / "digits_labels.npy");
  const CommandResult cnn = run_example("cnn", {folder.path()});
  EXPECT_EQ(cnn.status, 0) << cnn.errors;
  EXPECT_THAT(cnn.output, EndsWith(" of 80\n"));
  EXPECT_GT(number_after(cnn.output, "right:"), 0.97);
}

TEST(Cnn, SaysWhichFileIsMissing) {
  const TemporaryFolder folder;
  const CommandResult cnn = run_example("cnn", {folder.path()});
  EXPECT_EQ(cnn.status, 1);
  EXPECT_THAT(cnn.errors, HasSubstr("digits_images.npy"));
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
TEST(Llama, WritesWhatHuggingFacesDoes) {
  EXPECT_EQ(tokens_of_llama({"--tokens", "3,1,4,1,5", "--new", "12"}),
            "62 50 23 39 38 20 28 50 23 39 38 41 ");
  EXPECT_EQ(tokens_of_llama({"--tokens", "2,7,1,8", "--new", "8"}), "58 39 61 40 35 31 21 35 ");
}

constexpr const char* kSmallLlama = R"({"vocab_size": 8, "hidden_size": 8, "num_hidden_layers": 1,
    "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 4})";

// Blocks that add nothing, and a table of scores, [out, in], in which each token calls for the
// next.
TEST(Llama, ReadsWeightsByHuggingFacesNames) {
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

TEST(Llama, KnowsItsTokens) {
  const CommandResult llama = run_example("llama", {"--tokens", "1,64"});
  EXPECT_EQ(llama.status, 1);
  EXPECT_THAT(llama.errors, HasSubstr("the model has no token 64"));
}

TEST(Llama, SaysWhichWeightsAreMissing) {
  const TemporaryFolder folder;
  folder.write("config.json", kSmallLlama);
  save(TensorMap{{"model.embed_tokens.weight", ones({8, 8})}}, folder.path() / "model.safetensors");
  const CommandResult llama = run_example("llama", {folder.path()});
  EXPECT_EQ(llama.status, 1);
  EXPECT_THAT(llama.errors, HasSubstr("missing: 'blocks.0.before_attention' f32[8]"));
}

// The cosines between sentences that it prints, a row a sentence.
std::vector<std::vector<double>> cosines_of_encoder(const std::vector<std::string>& arguments) {
  const CommandResult encoder = run_example("encoder", arguments);
  EXPECT_EQ(encoder.status, 0) << encoder.errors;
  std::vector<std::vector<double>> rows;
  for (const std::string& line : lines_of(encoder.output)) {
    if (line.find("sentences") != std::string::npos) continue;
    std::istringstream numbers(line);
    rows.emplace_back(std::istream_iterator<double>(numbers), std::istream_iterator<double>());
  }
  return rows;
}

TEST(Encoder, ComparesSentencesHoweverFarTheyAreFilledUp) {
  const auto cosines = cosines_of_encoder({});
  ASSERT_EQ(cosines.size(), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(cosines[i].size(), 4);
    EXPECT_EQ(cosines[i][i], 1);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_EQ(cosines[i][j], cosines[j][i]);
      EXPECT_LT(cosines[i][j], 0.95);
    }
  }
  // The third and the last, which are shorter than the others.
  const auto two = cosines_of_encoder({"101 1996 2430 2924 2992 3037 6165 2153 1012 102",
                                       "101 2073 2003 1996 7205 3345 2276 1029 102"});
  ASSERT_EQ(two.size(), 2);
  EXPECT_NEAR(two[0][1], cosines[2][3], 1.5e-4);
}

// The model of random weights, in a file with the names and the layout of Hugging Face's.
TEST(Encoder, ReadsWeightsByHuggingFacesNames) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "model.safetensors";
  save(make_bert(BertConfig(), Key(1)), file);
  TensorMap named = renamed(
      load_tensors(file),
      {{.from = "tokens", .to = "embeddings.word_embeddings.weight"},
       {.from = "places", .to = "embeddings.position_embeddings.weight"},
       {.from = "kinds", .to = "embeddings.token_type_embeddings.weight"},
       {.from = "norm.scale", .to = "embeddings.LayerNorm.weight"},
       {.from = "norm.shift", .to = "embeddings.LayerNorm.bias"},
       {.from = "blocks.*.after_attention.scale",
        .to = "encoder.layer.*.attention.output.LayerNorm.weight"},
       {.from = "blocks.*.after_attention.shift",
        .to = "encoder.layer.*.attention.output.LayerNorm.bias"},
       {.from = "blocks.*.after_mlp.scale", .to = "encoder.layer.*.output.LayerNorm.weight"},
       {.from = "blocks.*.after_mlp.shift", .to = "encoder.layer.*.output.LayerNorm.bias"},
       {.from = "blocks.*.out.weight",
        .to = "encoder.layer.*.attention.output.dense.weight",
        .transpose = true},
       {.from = "blocks.*.out.bias", .to = "encoder.layer.*.attention.output.dense.bias"},
       {.from = "blocks.*.up.weight",
        .to = "encoder.layer.*.intermediate.dense.weight",
        .transpose = true},
       {.from = "blocks.*.up.bias", .to = "encoder.layer.*.intermediate.dense.bias"},
       {.from = "blocks.*.down.weight",
        .to = "encoder.layer.*.output.dense.weight",
        .transpose = true},
       {.from = "blocks.*.down.bias", .to = "encoder.layer.*.output.dense.bias"},
       {.from = "blocks.*.*.weight",
        .to = "encoder.layer.*.attention.self.*.weight",
        .transpose = true},
       {.from = "blocks.*.*.bias", .to = "encoder.layer.*.attention.self.*.bias"}});
  named["pooler.dense.weight"] = ones({2, 2});
  save(named, file);
  folder.write("config.json",
               R"({"vocab_size": 30522, "max_position_embeddings": 128, "hidden_size": 64,
                   "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 256})");
  EXPECT_EQ(cosines_of_encoder({folder.path()}), cosines_of_encoder({}));
}

TEST(Encoder, SaysWhatIsNoSentence) {
  for (const char* text : {"no/such/folder", "101 x", "", "30522"}) {
    const CommandResult encoder = run_example("encoder", {text});
    EXPECT_EQ(encoder.status, 1) << text;
    EXPECT_THAT(lines_of(encoder.errors), SizeIs(1)) << encoder.errors;
  }
}

TEST(Serving, AnswersEveryClient) {
  const CommandResult serving = run_example("serving");
  EXPECT_EQ(serving.status, 0) << serving.errors;
  const std::vector<std::string> lines = lines_of(serving.output);
  ASSERT_EQ(lines.size(), 3) << serving.output;
  for (const std::string& line : lines) {
    EXPECT_GT(number_after(line, ":"), 0) << line;
    EXPECT_GE(number_after(line, "p99"), number_after(line, "median")) << line;
  }
  EXPECT_THAT(lines[0], EndsWith(", 3 programs"));
  EXPECT_THAT(lines[2], EndsWith(", 12 programs"));
}

TEST(Serving, TellsItsClientsThatAWorkerIsLost) {
  const TemporaryFolder folder;
  folder.write("config.json",
               R"({"vocab_size": 8, "max_position_embeddings": 128, "hidden_size": 8,
                   "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8})");
  const CommandResult serving = run_example("serving", {folder.path()});
  EXPECT_EQ(serving.status, 1);
  EXPECT_THAT(serving.errors, HasSubstr("model.safetensors: cannot be opened"));
}

}  // namespace

}  // namespace tutti::test::models_test
