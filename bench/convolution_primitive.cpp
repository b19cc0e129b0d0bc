// The convolution of bench/ops.cpp by oneDNN's primitive alone, in whatever layouts it likes best:
// what a convolution could take at most if nothing had to be laid out.
//
//   bench_convolution_primitive convolution convolution_weight_gradient
//
// Prints a line of JSON for each key: the median over the batches of the seconds a call takes.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

#include <CLI/CLI.hpp>
#include <oneapi/dnnl/dnnl.hpp>

namespace {

using dnnl::memory;
using Clock = std::chrono::steady_clock;

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

memory::desc any(const memory::dims& sizes) {
  return {sizes, memory::data_type::f32, memory::format_tag::any};
}

struct Convolution {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  memory::desc images = any({32, 64, 56, 56});
  memory::desc weight = any({128, 64, 3, 3});
  memory::desc outputs = any({32, 128, 56, 56});
  memory::dims one = {1, 1};

  dnnl::convolution_forward::primitive_desc forward() const {
    return {{dnnl::prop_kind::forward_training, kDirect, images, weight, outputs, one, one, one},
            engine};
  }
};

// Memory of zeros: the primitive's time does not depend on the numbers.
memory zeros(const memory::desc& form, const dnnl::engine& engine) {
  memory made(form, engine);
  std::fill_n(static_cast<char*>(made.get_data_handle()), form.get_size(), '\0');
  return made;
}

template <class F>
double measure(int batches, F&& run) {
  std::vector<double> seconds;
  for (int batch = -3; batch < batches; ++batch) {  // the first ones warm up
    const auto begin = Clock::now();
    run();
    if (batch >= 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  const auto middle = seconds.begin() + batches / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

double measure(const std::string& key, int batches) {
  const Convolution each;
  dnnl::stream stream(each.engine);
  const auto run = [&](const dnnl::primitive& primitive,
                       const std::unordered_map<int, memory>& arguments) {
    return measure(batches, [&] {
      primitive.execute(stream, arguments);
      stream.wait();
    });
  };
  const auto made = [&](const memory::desc& form) { return zeros(form, each.engine); };
  const auto forward = each.forward();
  if (key == "convolution") {
    return run(dnnl::convolution_forward(forward),
               {{DNNL_ARG_SRC, made(forward.src_desc())},
                {DNNL_ARG_WEIGHTS, made(forward.weights_desc())},
                {DNNL_ARG_DST, made(forward.dst_desc())}});
  }
  if (key == "convolution_input_gradient") {
    const dnnl::convolution_backward_data::primitive_desc backward(
        {kDirect, each.images, each.weight, each.outputs, each.one, each.one, each.one},
        each.engine, forward);
    return run(dnnl::convolution_backward_data(backward),
               {{DNNL_ARG_DIFF_DST, made(backward.diff_dst_desc())},
                {DNNL_ARG_WEIGHTS, made(backward.weights_desc())},
                {DNNL_ARG_DIFF_SRC, made(backward.diff_src_desc())}});
  }
  const dnnl::convolution_backward_weights::primitive_desc backward(
      {kDirect, each.images, each.weight, each.outputs, each.one, each.one, each.one}, each.engine,
      forward);
  return run(dnnl::convolution_backward_weights(backward),
             {{DNNL_ARG_SRC, made(backward.src_desc())},
              {DNNL_ARG_DIFF_DST, made(backward.diff_dst_desc())},
              {DNNL_ARG_DIFF_WEIGHTS, made(backward.diff_weights_desc())}});
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures oneDNN's convolution alone.");
  std::vector<std::string> keys;
  int batches = 25;
  app.add_option("keys", keys)
      ->required()
      ->check(CLI::IsMember(
          {"convolution", "convolution_input_gradient", "convolution_weight_gradient"}));
  app.add_option("--batches", batches, "how many are measured")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const std::string& key : keys) {
    std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << measure(key, batches) << "}"
              << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
