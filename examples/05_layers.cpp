// What every layer makes of one small program: docs/tour.md tells the story of this output.
#include <tutti/codegen/driver/artifacts.h>
#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/text/print.h>
#include <tutti/lazy/context.h>
#include <tutti/tutti.h>

#include <iostream>
#include <latch>

using namespace tutti;

void heading(const std::string& text) { std::cout << "\n==== " << text << "\n"; }

// Prints what compiling makes of a recorded tensor, stage by stage; a pass that changes nothing is
// left out. Programs don't need this: it opens the front end up (lazy/trace.h) to show what an
// evaluation does by itself.
void show_layers(const Tensor& tensor) {
  auto& rank = detail::RankContext::current();
  const detail::StatePtr state = tensor.state();
  codegen::CompileOptions options;
  options.on_stage = [before = std::string()](std::string_view stage,
                                              const ir::Graph& graph) mutable {
    const std::string text = ir::print(graph);
    if (text == before) return;
    heading(std::string(stage));
    std::cout << text;
    before = text;
  };
  const auto executable =
      codegen::compile(rank.extract(std::span(&state, 1)), rank.runtime(), options);
  for (const codegen::Kernel& kernel : executable->plan().kernels) {
    heading("kernel");
    std::cout << print(kernel);
#if TUTTI_HAS_LLVM
    heading("llvm");
    std::cout << codegen::llvm_text(kernel);
#endif
  }
  heading("plan");
  std::cout << print(executable->plan());
#if TUTTI_HAS_LLVM
  heading("plan as llvm");
  std::cout << codegen::steps_llvm_text(executable->plan());
#endif
}

Tensor numbers(const Shape& shape) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(float(i % 7));
  return from(values, shape);
}

void one_rank() {
  const Tensor x = numbers({4, 64}), w = numbers({64, 32});
  const Tensor scores = matmul(x, w) * 0.125F;
  const Tensor weights = softmax(scores);
  show_layers(weights);
  heading("run");
  std::cout << sum(weights, {1}) << "\n";
}

struct Model {
  Tensor w1, b1, w2, b2;
  TUTTI_FIELDS(w1, b1, w2, b2)
};

// The model is moved in, so that the new one lies where the old one was.
void training() {
  auto step = compile([](const Model& model, const Tensor& x, float rate) {
    const auto loss = [&](const Model& m) {
      const Tensor hidden = tanh(matmul(x, m.w1) + m.b1);
      const Tensor error = matmul(hidden, m.w2) + m.b2;
      return mean(error * error);
    };
    const auto [value, slope] = value_and_grad(loss)(model);
    const auto moved = [&](const Tensor& each, const Tensor& by) { return each - rate * by; };
    return std::pair(map(moved, model, slope), value);
  });
  std::pair now(Model{numbers({64, 128}), zeros({128}), numbers({128, 64}), zeros({64})}, Tensor());
  for (int i = 0; i < 3; ++i) {
    const float rate = 1e-6F / float(i + 1);
    now = step(std::move(now.first), numbers({32, 64}), rate);
  }
  heading("training");
  std::cout << step.ir("fuse") << step.plan() << step.calls() << " calls; " << step.explain()
            << "\n";
}

// A rank whose peer waits for it evaluates at its next op. Here the peer comes later, so that there
// is something left to show.
void two_ranks(World& world, std::latch& shown) {
  if (world.rank() == 1) shown.wait();
  const Tensor x = numbers({4});
  const AsyncTensor total = all_reduce(x * float(world.rank() + 1), world);
  const Tensor z = x + total;
  if (world.rank() == 0) {
    heading("two ranks");
    std::cout << describe(total) << "\n";
    show_layers(z);
    shown.count_down();
    heading("two ranks: run");
    std::cout << z << "\n" << describe(total) << "\n";
  }
}

void mismatch(World& world) {
  const Tensor x = ones({world.rank() == 0 ? 4 : 5});
  std::cout << all_reduce(x, world);
}

void gradients(World& world) {
  const Tensor w = replicated(tensor({1.F, 2.F, 3.F}), world);
  const Tensor x = numbers({3}) + float(world.rank());
  const auto loss = [&](const Tensor& model, const Tensor& data) {
    return all_reduce(sum(model * data), world, Reduce::mean);
  };
  const auto [value, gradient] = value_and_grad(loss)(w, x);
  if (world.rank() == 0) {
    heading("gradient");
    std::cout << dump_ir(gradient) << gradient << "\n";
  }
}

int main() {
  one_rank();
  training();
  std::latch shown(1);
  simulate(2, [&](World& world) { two_ranks(world, shown); });
  try {
    simulate(2, mismatch);
  } catch (const CommError& error) {
    heading("mismatch");
    std::cout << error.what() << "\n";
  }
  simulate(2, gradients);
}
