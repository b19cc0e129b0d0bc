// A language model of Llama's kind goes on with a text, token by token, and keeps the keys and
// values of what it has read in a cache, which each step updates in place.
//
//   llama                                     (a tiny model of random weights)
//   llama FOLDER --tokens 1,15043 --new 40    (config.json and model.safetensors of Hugging Face's)
//
// examples/14_llama_weights.py FOLDER writes such a folder.

#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

using namespace tutti;

namespace {

struct Config {
  std::int64_t vocabulary = 64;
  std::int64_t width = 32;
  std::int64_t layers = 2;
  std::int64_t heads = 4;
  std::int64_t groups = 2;  // of heads, which share their keys and values
  std::int64_t size = 8;    // of a head
  std::int64_t hidden = 64;
  double base = 10000;  // of the rotary positions
  double epsilon = 1e-5;
};

Config read_config(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + " can't be read");
  const nlohmann::json json = nlohmann::json::parse(file);
  // Under another name in files that were written by newer versions.
  const nlohmann::json rotary = json.value("rope_parameters", json);
  if (rotary.value("rope_type", "default") != "default" ||
      !json.value("rope_scaling", nlohmann::json()).is_null()) {
    throw std::runtime_error(path.string() + ": scaled rotary positions are not supported");
  }
  if (json.value("hidden_act", "silu") != "silu") {
    throw std::runtime_error(path.string() + ": another activation than silu");
  }
  const std::int64_t width = json.at("hidden_size");
  const std::int64_t heads = json.at("num_attention_heads");
  return {.vocabulary = json.at("vocab_size"),
          .width = width,
          .layers = json.at("num_hidden_layers"),
          .heads = heads,
          .groups = json.value("num_key_value_heads", heads),
          .size = json.value("head_dim", width / heads),
          .hidden = json.at("intermediate_size"),
          .base = rotary.value("rope_theta", 10000.0),
          .epsilon = json.value("rms_norm_eps", 1e-6)};
}

// ---- The model. Matrices are [in, out].

struct Block {
  Tensor before_attention, before_mlp;  // scales of the normalisations
  Tensor q, k, v, o;
  Tensor gate, up, down;
  TUTTI_FIELDS(before_attention, before_mlp, q, k, v, o, gate, up, down)
};

struct Llama {
  Tensor tokens;
  std::vector<Block> blocks;
  Tensor norm;
  Tensor head;
  TUTTI_FIELDS(tokens, blocks, norm, head)
};

// A model whose tensors make(shape) gives.
template <class Make>
Llama make_llama(const Config& config, const Make& make) {
  const std::int64_t all = config.heads * config.size, shared = config.groups * config.size;
  Llama llama = {.tokens = make({config.vocabulary, config.width}),
                 .blocks = {},
                 .norm = make({config.width}),
                 .head = make({config.width, config.vocabulary})};
  for (std::int64_t i = 0; i < config.layers; ++i) {
    llama.blocks.push_back({.before_attention = make({config.width}),
                            .before_mlp = make({config.width}),
                            .q = make({config.width, all}),
                            .k = make({config.width, shared}),
                            .v = make({config.width, shared}),
                            .o = make({all, config.width}),
                            .gate = make({config.width, config.hidden}),
                            .up = make({config.width, config.hidden}),
                            .down = make({config.hidden, config.width})});
  }
  return llama;
}

Llama random_llama(const Config& config) {
  std::uint64_t seed = 0;
  return make_llama(config, [&](const Shape& shape) -> Tensor {
    if (shape.rank() == 1) return ones(shape);
    const bool is_table = shape[0] == config.vocabulary;
    return normal(shape, Key(++seed)) * (is_table ? 1.F : 1.F / std::sqrt(float(shape[0])));
  });
}

Llama load_llama(const Config& config, const std::filesystem::path& folder) {
  const auto index = folder / "model.safetensors.index.json";
  const bool several = std::filesystem::exists(index);
  TensorMap tensors = renamed(
      load_tensors(several ? index : folder / "model.safetensors", {.mmap = true}),
      {{.from = "model.embed_tokens.weight", .to = "tokens"},
       {.from = "model.layers.*.input_layernorm.weight", .to = "blocks.*.before_attention"},
       {.from = "model.layers.*.post_attention_layernorm.weight", .to = "blocks.*.before_mlp"},
       {.from = "model.layers.*.self_attn.*_proj.weight", .to = "blocks.*.*", .transpose = true},
       {.from = "model.layers.*.mlp.*_proj.weight", .to = "blocks.*.*", .transpose = true},
       {.from = "model.norm.weight", .to = "norm"},
       {.from = "lm_head.weight", .to = "head", .transpose = true},
       {.from = "**.rotary_emb.inv_freq", .to = ""}});
  // Some models have one table for what goes in and what comes out.
  if (tensors.contains("tokens") && !tensors.contains("head")) {
    tensors["head"] = transpose(tensors["tokens"]);
  }
  return with_tensors(make_llama(config, [](const Shape& shape) { return abstract(shape); }),
                      tensors, true);
}

// ---- A step.

// Of a block: what was read, each [groups, capacity, size]; zeros where nothing was yet.
struct Memory {
  Tensor keys, values;
  TUTTI_FIELDS(keys, values)
};

struct State {
  std::vector<Memory> memories;
  Tensor position;  // how many tokens were read: i64[]
  Tensor tokens;    // what to read next: i32[time]
  TUTTI_FIELDS(memories, position, tokens)
};

State start(const Config& config, std::int64_t capacity, const std::vector<std::int32_t>& tokens) {
  State state;
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const std::vector<std::int64_t> shape = {config.groups, capacity, config.size};
    state.memories.push_back({.keys = zeros(shape), .values = zeros(shape)});
  }
  state.position = tensor(std::int64_t{0});
  state.tokens = from(tokens, {std::ssize(tokens)});
  return state;
}

// Each token looks at itself and at what was read before. x: f32[time, width].
Tensor attend(const Config& config, const Block& block, const Tensor& x, const Tensor& position,
              Memory& memory) {
  const std::int64_t time = x.size(0);
  const Tensor places = position + arange(time);
  const auto parts = [&](const Tensor& weight, std::int64_t heads) {  // [heads, time, size]
    return transpose(reshape(matmul(x, weight), {time, heads, config.size}), {1, 0, 2});
  };
  const Tensor zero = tensor(std::int64_t{0});
  const Tensor place = stack({zero, position, zero});
  const auto remember = [&](Tensor& all, const Tensor& now) {
    all = dynamic_update_slice(all, now, place);
  };
  remember(memory.keys, nn::rotary(parts(block.k, config.groups), places, config.base));
  remember(memory.values, parts(block.v, config.groups));

  // The heads of a group look at the same keys, as many of them as were read.
  const Tensor q = nn::rotary(parts(block.q, config.heads), places, config.base);
  const Tensor heads =
      attention(q, memory.keys, memory.values, {.causal = true, .keys = position + time});
  return matmul(reshape(transpose(heads, {1, 0, 2}), {time, -1}), block.o);
}

// Reads the state's tokens: f32[time, width].
Tensor read(const Config& config, const Llama& llama, State& state) {
  Tensor x = take(llama.tokens, state.tokens);
  for (std::size_t i = 0; i < llama.blocks.size(); ++i) {
    const Block& block = llama.blocks[i];
    x += attend(config, block, rms_norm(x, block.before_attention, config.epsilon), state.position,
                state.memories[i]);
    const Tensor normal = rms_norm(x, block.before_mlp, config.epsilon);
    x += matmul(silu(matmul(normal, block.gate)) * matmul(normal, block.up), block.down);
  }
  state.position += x.size(0);
  return rms_norm(x, llama.norm, config.epsilon);
}

// Of the token behind each place: f32[time, vocabulary].
Tensor scores(const Llama& llama, const Tensor& x) { return matmul(x, llama.head); }

Tensor likeliest(const Tensor& of_tokens) { return cast(argmax(of_tokens, -1), DType::i32); }

// ---- The program.

struct Options {
  std::filesystem::path folder;
  std::vector<std::int32_t> tokens = {1, 17, 5, 42, 9};
  std::int64_t count = 24;
};

Options options_of(int argc, char** argv) {
  Options options;
  CLI::App app("Goes on with a text, token by token.");
  app.option_defaults()->always_capture_default();
  app.add_option("folder", options.folder, "with config.json and model.safetensors")
      ->check(CLI::ExistingDirectory);
  app.add_option("--tokens", options.tokens, "what the text begins with")->delimiter(',');
  app.add_option("--new", options.count, "how many tokens to write")->check(CLI::Range(4, 100'000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

void run(const Options& options) {
  const bool is_real = !options.folder.empty();
  const Config config = is_real ? read_config(options.folder / "config.json") : Config();
  const Llama llama = is_real ? load_llama(config, options.folder) : random_llama(config);
  const std::int64_t capacity = std::ssize(options.tokens) + options.count;
  for (const std::int32_t token : options.tokens) {
    if (token < 0 || token >= config.vocabulary) {
      throw std::runtime_error("the model has no token " + std::to_string(token));
    }
  }

  // It becomes two programs: one for the tokens that are given, one for a single token.
  auto step = compile([&](const Llama& model, State state) {
    const Tensor x = read(config, model, state);
    state.tokens = likeliest(scores(model, slice(x, {{-1}})));
    return state;
  });

  State state = start(config, capacity, options.tokens);
  std::vector<std::int32_t> written;
  std::vector<double> times;
  const void* place = nullptr;
  bool stayed = true;
  while (std::ssize(written) < options.count) {
    const auto begin = std::chrono::steady_clock::now();
    state = step(llama, std::move(state));  // given up, so that the next one lies where it lay
    written.push_back(state.tokens.item<std::int32_t>());
    times.push_back(milliseconds_since(begin));
    const auto keys = state.memories.back().keys.host<float>();
    stayed = stayed && (place == nullptr || place == keys.data());
    place = keys.data();
  }
  for (const std::int32_t token : written) std::printf("%d ", token);
  std::printf("\n%zu programs", step.programs());
  if (state.position.device() == Device::cpu()) {  // else keys.data() was a copy
    std::printf("; the cache %s", stayed ? "stayed in its place" : "moved");
  }
  std::printf("\n");
  times.erase(times.begin(), times.begin() + 3);  // in these it was compiled
  std::sort(times.begin(), times.end());
  std::printf("a token takes %.3f ms\n", times[times.size() / 2]);

  // The same by reading everything once more, without what was kept.
  std::vector<std::int32_t> all = options.tokens;
  all.insert(all.end(), written.begin(), written.end() - 1);
  State anew = start(config, capacity, all);
  const Tensor again = likeliest(scores(llama, read(config, llama, anew)));
  const auto expected = slice(again, {{-options.count}}).to_vector<std::int32_t>();
  std::printf("read at once: %s\n", written == expected ? "the same tokens" : "other tokens");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(options_of(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
