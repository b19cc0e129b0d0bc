// A training that is kept in a file and goes on, and weights under other names, as PyTorch has
// them.

#include <tutti/tutti.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace tutti;

namespace {

using Model = std::vector<nn::Linear>;

// All that a training consists of; its checkpoint is one file.
struct Training {
  Model model;
  AdamW::State optimiser;
  Key key;
  int step = 0;
  TUTTI_FIELDS(model, optimiser, key, step)
};

Training start() {
  const Model model = {nn::linear(Key(1), 4, 8), nn::linear(Key(2), 8, 1)};
  return {.model = model, .optimiser = AdamW().init(model), .key = Key(3)};
}

Tensor predict(const Model& model, const Tensor& x) { return model[1](tanh(model[0](x))); }

// One step on numbers that the key and the step give.
Tensor train(Training& training) {
  static auto step = compile([](Model model, AdamW::State optimiser, const Key& key) {
    const Tensor x = normal({16, 4}, key);
    const auto loss = [&](const Model& m) {
      const Tensor error = predict(m, x) - sum(x, 1, true);
      return mean(error * error);
    };
    auto [value, gradients] = value_and_grad(loss)(model);
    auto [next, state] = AdamW().update(std::move(model), gradients, std::move(optimiser), 0.02F);
    return std::tuple(next, state, value);
  });
  Tensor loss;
  std::tie(training.model, training.optimiser, loss) =
      step(std::move(training.model), std::move(training.optimiser),
           fold_in(training.key, training.step));
  ++training.step;
  return loss;
}

// A folder of this run's own, which goes with it.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "tutti_example_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace

int main() {
  const Folder folder;
  const auto checkpoint = folder / "checkpoint.safetensors";

  Training training = start();
  while (training.step < 20) train(training);
  save(training, checkpoint);

  Training resumed = load(start(), checkpoint);
  std::cout << "resumed at step " << resumed.step << "\n";
  const bool same = train(training).item<float>() == train(resumed).item<float>();
  std::cout << "the next loss is " << (same ? "the same" : "another one") << "\n";

  // PyTorch keeps [out, in] under names of its own.
  const auto weights = folder / "torch.safetensors";
  save(TensorMap{{"encoder.0.weight", ones({8, 4})},
                 {"encoder.0.bias", zeros({8})},
                 {"encoder.1.weight", ones({1, 8})},
                 {"encoder.1.bias", zeros({1})},
                 {"encoder.version", tensor(3)}},
       weights);
  const TensorMap named =
      renamed(load_tensors(weights, {.mmap = true}),
              {{.from = "encoder.version", .to = ""},
               {.from = "encoder.*.weight", .to = "*.weight", .transpose = true},
               {.from = "encoder.*.bias", .to = "*.bias"}});
  const Model model = with_tensors(start().model, named);
  std::cout << "model of PyTorch's weights: " << predict(model, zeros({1, 4})) << "\n";

  // A large model comes as several files, and a list of what is where.
  const auto parts = folder / "parts";
  std::filesystem::create_directories(parts);
  save(TensorMap{{"0.weight", ones({4, 8})}}, parts / "part1.safetensors",
       {.metadata = {{"format", "pt"}}});
  save(TensorMap{{"0.bias", zeros({8})}}, parts / "part2.safetensors");
  std::ofstream(parts / "model.safetensors.index.json")
      << R"({"weight_map": {"0.weight": "part1.safetensors", "0.bias": "part2.safetensors"}})";
  const TensorMap both = load_tensors(parts / "model.safetensors.index.json");
  const auto texts = load_metadata(parts / "part1.safetensors");
  std::cout << both.size() << " tensors of two files, in the format " << texts.at("format") << "\n";

  // What does not fit is said at once.
  try {
    with_tensors(start().model, load_tensors(weights));
  } catch (const UsageError& error) {
    std::cout << error.what() << "\n";
  }

  const auto scores = predict(model, ones({2, 4})).host<float>();  // no copy
  std::cout << "first of " << scores.size() << " scores: " << scores[0] << "\n";

  // For NumPy, and for whoever else is in the process.
  const auto array = folder / "array.npy";
  save_npy(ones({2, 4}), array);
  const Tensor read = load_npy(array);
  const Tensor lent = from_dlpack(to_dlpack(read));  // the same memory
  std::cout << "of NumPy's file, by way of DLPack: " << sum(lent) << "\n";
  const auto archive = folder / "archive.npz";
  try {
    save_npz(training.model, archive);
    const TensorMap arrays = load_npz(archive);
    std::cout << arrays.size() << " arrays, of which 0.bias is " << arrays.at("0.bias").shape()
              << "\n";
  } catch (const EnvironmentError& error) {  // a build without libzip
    std::cout << error.what() << "\n";
  }
}
