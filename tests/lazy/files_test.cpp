#include <tutti/runtime/files/safetensors.h>

#include <limits>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/command.h"
#include "tests/support/golden.h"
#include <unistd.h>

// Trees in .safetensors files.
namespace tutti::test::files_test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

enum class Kind : std::uint8_t { first, second };

struct Training {
  std::map<std::string, Tensor> model;
  std::pair<Tensor, std::vector<Tensor>> state;
  Key key;
  int step = 0;
  double rate = 0;
  bool done = false;
  Kind kind = Kind::first;
  std::string name;
  TUTTI_FIELDS(model, state, key, step, rate, done, kind, name)
};

Training training() {
  return {.model = {{"w", tensor({{1.F, 2.F}, {3.F, 4.F}})}, {"b.c", tensor({true, false})}},
          .state = {tensor({1.5, -0.0}), {tensor(std::int8_t{-1}), zeros({0, 3})}},
          .key = Key(7),
          .step = -3,
          .rate = 0.1,
          .done = true,
          .kind = Kind::second,
          .name = "größe \"x\""};
}

// Names and types of a training alone.
Training like_training() {
  Training out = training();
  out = map([](const Tensor& x) { return abstract(x.shape(), x.dtype()); }, out);
  out.step = 0;
  out.rate = 0;
  out.done = false;
  out.kind = Kind::first;
  out.name.clear();
  return out;
}

void expect_equal(const Training& a, const Training& b) {
  const auto leaves_a = leaves(a);
  const auto leaves_b = leaves(b);
  ASSERT_EQ(leaves_a.size(), leaves_b.size());
  for (std::size_t i = 0; i < leaves_a.size(); ++i) {
    EXPECT_EQ(leaves_a[i].second.array(), leaves_b[i].second.array()) << leaves_a[i].first;
  }
  EXPECT_EQ(std::tie(a.step, a.rate, a.done, a.kind, a.name),
            std::tie(b.step, b.rate, b.done, b.kind, b.name));
}

TEST(Files, KeepATreeAsItIs) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "training.safetensors";
  save(training(), path);
  expect_equal(load(like_training(), path), training());
  expect_equal(load(like_training(), path, {.mmap = true}), training());
}

TEST(Files, KeepEveryDtypeBitByBit) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "all.safetensors";
  TensorMap all;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    Array array(dtype, {3});
    std::uint8_t next = 0x7B;
    for (std::byte& byte : array.bytes()) {
      byte = static_cast<std::byte>(dtype == DType::boolean ? next & 1 : next);
      next = static_cast<std::uint8_t>(next * 5 + 3);
    }
    all.emplace(std::string(name_of(dtype)), from(array));
  }
  save(all, path);
  for (const bool mmap : {false, true}) {
    const TensorMap read = load_tensors(path, {.mmap = mmap});
    ASSERT_EQ(read.size(), all.size());
    for (const auto& [name, tensor] : all) EXPECT_EQ(read.at(name).array(), tensor.array()) << name;
  }
}

TEST(Files, AreThoseOfThePackage) {
  const fs::path folder = TUTTI_SOURCE_DIR "/tests/reference/data/safetensors";
  const TensorMap tensors = load_tensors(folder / "python.safetensors");
  EXPECT_EQ(tensors.at("f32").to_vector<float>(), Floats({1, -2.5, 1e-30F}));
  EXPECT_EQ(tensors.at("i64").to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 5}));
  EXPECT_EQ(tensors.at("bool").to_vector<bool>(), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(cast(tensors.at("bf16"), DType::f32).to_vector<float>(), Floats({1.5, -3}));
  EXPECT_EQ(cast(tensors.at("f8_e4m3"), DType::f32).to_vector<float>(), Floats({1, -448}));
  EXPECT_EQ(cast(tensors.at("f8_e5m2"), DType::f32).to_vector<float>(), Floats({1, -57344}));
  EXPECT_EQ(cast(tensors.at("f16"), DType::f32).to_vector<float>(), Floats({0.5, -65504}));
  EXPECT_EQ(tensors.at("scalar").shape(), Shape());
  EXPECT_EQ(tensors.at("none").shape(), Shape({0, 2}));
  EXPECT_EQ(tensors.at("matrix").to_vector<std::uint8_t>(),
            (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(load_metadata(folder / "python.safetensors"),
              testing::ElementsAre(testing::Pair("format", "pt")));

  // The package has read this one.
  const TemporaryFolder own;
  const TensorMap written = {{"matrix", tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}})},
                             {"flags", tensor({true, false, true})},
                             {"\"größe\"", tensor({std::int64_t{-1}})},
                             {"bf16", cast(tensor({1.5F, -3.F}), DType::bf16)},
                             {"none", zeros({0, 2})}};
  save(written, own.path() / "tutti.safetensors", {.metadata = {{"format", "pt"}}});
  EXPECT_TRUE(matches_golden(own.read("tutti.safetensors"),
                             "reference/data/safetensors/tutti.safetensors"));
}

// What is mapped is the file, and lies where it lies.
TEST(Files, MappedTensorsAreNotCopiedAndNeverDonated) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.safetensors";
  save(TensorMap{{"x", tensor({1.F, 2.F, 3.F})}}, path);
  Tensor x = load_tensors(path, {.mmap = true}).at("x");
  EXPECT_FALSE(x.state()->buffer->is_private());
  auto step = compile([](const Tensor& y) { return y * 2.F; });
  for (int i = 0; i < 3; ++i) x = step(std::move(x));
  EXPECT_EQ(x.to_vector<float>(), Floats({8, 16, 24}));
  EXPECT_EQ(load_tensors(path).at("x").to_vector<float>(), Floats({1, 2, 3}));
}

TEST(Files, AFileThatIsReplacedStaysAsItWasForThoseWhoMapIt) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.safetensors";
  save(TensorMap{{"x", tensor({1.F})}}, path);
  const Tensor before = load_tensors(path, {.mmap = true}).at("x");
  save(TensorMap{{"x", tensor({2.F})}}, path);
  EXPECT_EQ(before.item<float>(), 1);
  EXPECT_EQ(load_tensors(path).at("x").item<float>(), 2);
}

TEST(Files, UnalignedTensorsAreCopiedAndSaidSo) {
  const TemporaryFolder folder;
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  bytes += header;
  bytes.append(1, '\7').append("\0\0\x80\x3F", 4);
  const std::string path = folder.write("x.safetensors", bytes);
  testing::internal::CaptureStderr();
  const TensorMap tensors = load_tensors(path, {.mmap = true});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("1 of 2 tensors of " + path + " do not lie at a multiple"));
  EXPECT_EQ(tensors.at("b").item<float>(), 1);
}

TEST(Files, TheModelOfSeveralFilesIsRead) {
  const TemporaryFolder folder;
  save(TensorMap{{"a", tensor({1.F})}}, folder.path() / "1.safetensors");
  save(TensorMap{{"b", tensor({2.F})}, {"c", tensor({3.F})}}, folder.path() / "2.safetensors");
  const std::string index = folder.write(
      "model.safetensors.index.json",
      R"({"weight_map":{"a":"1.safetensors","b":"2.safetensors","c":"2.safetensors"}})");
  const TensorMap like = {{"a", zeros({1})}, {"b", zeros({1})}, {"c", zeros({1})}};
  EXPECT_EQ(load(like, index).at("c").item<float>(), 3);
  const std::string wrong = folder.write("wrong.json", R"({"weight_map":{"b":"1.safetensors"}})");
  expect_error<ParseError>([&] { load_tensors(wrong); },
                           {"1.safetensors should have a tensor 'b', and has none"});
}

TEST(Files, WhatDoesNotFitIsNamedAtOnce) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.safetensors";
  save(TensorMap{{"a", zeros({2})}, {"b", zeros({3})}}, path);
  const TensorMap like = {{"a", zeros({2}, DType::bf16)}, {"c", zeros({3})}};
  expect_error<UsageError>([&] { load(like, path); },
                           {"x.safetensors does not fit the tree", "missing: 'c' f32[3]",
                            "not in the tree: 'b' f32[3]", "'a' is f32[2] and not bf16[2]"});
  const TensorMap other = {{"a", zeros({2}, DType::bf16)}, {"b", zeros({3})}};
  EXPECT_EQ(load(other, path, {.cast = true}).at("a").dtype(), DType::bf16);
}

TEST(Files, WhatIsNoFileIsSaid) {
  const TemporaryFolder folder;
  expect_error<EnvironmentError>([&] { load_tensors(folder.path() / "none"); },
                                 {"none: cannot be opened: No such file"});
  const std::string bad = folder.write("bad", "0123456789");
  expect_error<ParseError>([&] { load_tensors(bad); }, {"this is no .safetensors file"});
  expect_error<EnvironmentError>([&] { save(TensorMap{}, folder.path()); }, {"is no file"});
  expect_error<EnvironmentError>([&] { save(TensorMap{}, folder.path() / "no/x"); },
                                 {"No such file"});
}

TEST(Files, MembersOutOfRangeAreRefused) {
  struct Small {
    std::uint8_t count = 0;
    bool flag = false;
    TUTTI_FIELDS(count, flag)
  };
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.safetensors";
  for (const auto& [name, value] : {std::pair("tutti.count", "256"), std::pair("tutti.count", "-1"),
                                    std::pair("tutti.count", ""), std::pair("tutti.flag", "2")}) {
    folder.write("x.safetensors", runtime::safetensors_head({}, {{name, value}}).bytes);
    expect_error<ParseError>([&] { load(Small(), path); }, {"is no value of '"});
  }
}

// load() would want a place for them.
TEST(Files, MetadataAreNotCalledAsMembersAre) {
  const TemporaryFolder folder;
  const SaveOptions options = {.metadata = {{"tutti.v", "1"}}};
  expect_error<UsageError>([&] { save(TensorMap{}, folder.path() / "x", options); },
                           {"save: the metadata 'tutti.v' begin with 'tutti.'", "another name"});
}

TEST(Files, MembersWithoutAPlaceAreNotLost) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.safetensors";
  save(std::pair(std::vector<float>{1, 2, 3}, 7), path);
  const auto same = load(std::pair(std::vector<float>(3), 0), path);
  EXPECT_EQ(same.first, Floats({1, 2, 3}));
  expect_error<UsageError>([&] { load(std::pair(std::vector<float>(), 0), path); },
                           {"has 3 numbers or texts that the tree has no place for, '0.0'"});
}

TEST(Files, NamesOfMembersAreNotTakenTwice) {
  const TemporaryFolder folder;
  const std::map<std::string, std::map<std::string, int>> tree = {{"a", {{"b.c", 1}}},
                                                                  {"a.b", {{"c", 2}}}};
  expect_error<UsageError>([&] { save(tree, folder.path() / "x.safetensors"); }, {"'a.b.c'"});
}

TEST(Files, KeepTheirPermissions) {
  const TemporaryFolder folder;
  for (const fs::perms own :
       {fs::perms::owner_read | fs::perms::owner_write, fs::perms::all & ~fs::perms::others_all}) {
    const auto expect_kept = [&](const fs::path& path, const auto& write) {
      write(path);
      fs::permissions(path, own);
      write(path);
      EXPECT_EQ(fs::status(path).permissions(), own) << path;
    };
    expect_kept(folder.path() / "x.safetensors",
                [](const fs::path& path) { save(TensorMap{}, path); });
    expect_kept(folder.path() / "x.npy", [](const fs::path& path) { save_npy(ones({1}), path); });
  }
}

TEST(Files, AFailedSaveLeavesWhatWasThere) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.safetensors";
  save(TensorMap{{"x", tensor({1.F})}}, path);
  TensorMap bad = {{"x", tensor({2.F})}, {"y", Tensor()}};
  expect_error<UsageError>([&] { save(bad, path); }, {"'y' was never given a value"});
  EXPECT_EQ(load_tensors(path).at("x").item<float>(), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(Files, ALinkStaysALink) {
  const TemporaryFolder folder;
  const fs::path link = folder.path() / "latest";
  fs::create_symlink("first.safetensors", link);
  save(TensorMap{{"x", tensor({1.F})}}, link);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(load_tensors(folder.path() / "first.safetensors").at("x").item<float>(), 1);
}

TEST(Files, AreNotForFunctionsThatAreCompiled) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.safetensors";
  save(TensorMap{{"x", tensor({1.F})}}, path);
  auto f = compile([&](const Tensor& x) { return x + load_tensors(path).at("x"); });
  expect_error<UsageError>([&] { f(tensor({1.F})); }, {"outside of what is being compiled"},
                           kNowhere);
}

// A training that is stopped and goes on.
TEST(Files, ACheckpointContinuesBitByBit) {
  struct State {
    std::vector<nn::Linear> model;
    AdamW::State optimiser;
    Key key;
    int step = 0;
    TUTTI_FIELDS(model, optimiser, key, step)
  };
  const AdamW adam;
  const auto start = [&] {
    State out;
    out.model = {nn::linear(Key(1), 3, 4), nn::linear(Key(2), 4, 1)};
    out.optimiser = adam.init(out.model);
    out.key = Key(3);
    return out;
  };
  auto advance = compile([&](State state) {
    const Key now = fold_in(state.key, state.optimiser.steps[0]);
    const Tensor x = normal({8, 3}, now);
    const auto loss = [&](const std::vector<nn::Linear>& model) {
      const Tensor error = model[1](tanh(model[0](x))) - sum(x, 1, true);
      return mean(error * error);
    };
    const auto gradients = grad(loss)(state.model);
    std::tie(state.model, state.optimiser) =
        adam.update(std::move(state.model), gradients, std::move(state.optimiser), 0.01F);
    return state;
  });
  const auto train = [&](State state, int until) {
    while (state.step < until) {
      const int step = std::exchange(state.step, 0);
      state = advance(std::move(state));
      state.step = step + 1;
    }
    return state;
  };
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "step.safetensors";
  save(train(start(), 3), path);
  const State resumed = train(load(start(), path), 6);
  const State straight = train(start(), 6);
  EXPECT_EQ(resumed.step, 6);
  const auto a = leaves(resumed);
  const auto b = leaves(straight);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].second.array(), b[i].second.array()) << a[i].first;
  }
}

TEST(NumpyFiles, KeepArraysByName) {
  const TemporaryFolder folder;
  save_npy(tensor({{1.F, 2.F}}) * 2.F, folder.path() / "x.npy");
  const Tensor x = load_npy(folder.path() / "x.npy");
  EXPECT_EQ(x.shape(), Shape({1, 2}));
  EXPECT_EQ(x.to_vector<float>(), Floats({2, 4}));

  save_npz(std::pair(x, TensorMap{{"y", tensor({true})}}), folder.path() / "x.npz");
  const TensorMap read = load_npz(folder.path() / "x.npz");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read.at("0").to_vector<float>(), Floats({2, 4}));
  EXPECT_EQ(read.at("1.y").to_vector<bool>(), std::vector<bool>{true});
}

TEST(NumpyFiles, NothingIsAnArchive) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.npz";
  save_npz(TensorMap{{"x", tensor({1.F})}}, path);
  save_npz(TensorMap{}, path);
  EXPECT_TRUE(load_npz(path).empty());
  expect_error<EnvironmentError>([&] { save_npz(TensorMap{}, folder.path() / "no/x.npz"); },
                                 {"there is no folder"});
  // A name that the system does not even look up.
  const fs::path endless = folder.path() / std::string(1000, 'x');
  expect_error<EnvironmentError>([&] { save_npz(TensorMap{}, endless / "x.npz"); },
                                 {"there is no folder"});
}

TEST(NumpyFiles, AreNotForFunctionsThatAreCompiled) {
  const TemporaryFolder folder;
  save_npy(tensor({1.F}), folder.path() / "x.npy");
  auto f = compile([&](const Tensor& x) { return x + load_npy(folder.path() / "x.npy"); });
  expect_error<UsageError>([&] { f(tensor({1.F})); }, {"outside of what is being compiled"},
                           kNowhere);
}

TEST(NumpyFiles, SayWhatTheyCannotHold) {
  const TemporaryFolder folder;
  const Tensor x = zeros({2}, DType::bf16);
  expect_error<TypeError>([&] { save_npy(x, folder.path() / "x.npy"); },
                          {"bf16", "cast it to f32"});
  expect_error<TypeError>([&] { save_npz(TensorMap{{"x", x}}, folder.path() / "x.npz"); },
                          {"'x' is bf16"});
  expect_error<UsageError>([&] { save_npz(TensorMap{{"x", Tensor()}}, folder.path() / "x.npz"); },
                           {"'x' was never given a value"});
  expect_error<EnvironmentError>([&] { load_npy(folder.path() / "none.npy"); }, {"no such file"});
  expect_error<ParseError>([&] { load_npy(folder.write("bad.npy", "text and more")); },
                           {"this is no .npy file"});
}

}  // namespace
}  // namespace tutti::test::files_test
