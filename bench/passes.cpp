// How long it takes to handle a program of many nodes before any code is generated for it.
//
//   bench_passes nodes_1000 nodes_100000 --scaled=1000
//
// nodes_N: a training step of a deep network of about N nodes, recorded as compile() records it,
// hashed, printed, parsed, verified, and through all passes. Prints a line of JSON each: the median
// over the batches of the seconds that it takes; on the error output what each part takes.
// --scaled=M measures a program of M nodes in place of each, and prints what it took times
// N log N / (M log M): what N nodes would take if time grew as it may.
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/lazy/context.h>
#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace tutti;

constexpr std::int64_t kRows = 8;
constexpr std::int64_t kColumns = 16;

ir::Type of(std::initializer_list<std::int64_t> shape) {
  return {.dtype = DType::f32, .shape = Shape(std::vector<std::int64_t>(shape))};
}

Tensor layer(const Tensor& x, const Tensor& weight, const Tensor& scale) {
  const Tensor hidden = gelu(matmul(layer_norm(x, scale, scale), weight));
  const Tensor halves = reshape(hidden, {kRows, 2, kColumns / 2});
  const Tensor turned = reshape(transpose(halves, {1, 0, 2}), {kRows, kColumns});
  return x + softmax(turned) * 0.5F;
}

// Records the gradients of a network of so many layers into a trace of its own.
ir::Graph record(int layers) {
  detail::RankContext& context = detail::RankContext::current();
  detail::Trace trace(detail::Trace::Kind::compiled, context.id(), context.mesh(),
                      context.default_device());
  context.push_trace(&trace);
  const auto formal = [&](const std::string& name, const ir::Type& type) {
    return Tensor(trace.handle(trace.add_formal(name, type, {}), {}));
  };
  std::vector<ir::Value> results;
  {
    const Tensor x = formal("x", of({kRows, kColumns}));
    std::vector<Tensor> parameters;
    for (int i = 0; i < layers; ++i) {
      parameters.push_back(formal("w" + std::to_string(i), of({kColumns, kColumns})));
      parameters.push_back(formal("s" + std::to_string(i), of({kColumns})));
    }
    const auto loss = [&](const std::vector<Tensor>& p) {
      Tensor y = x;
      for (std::size_t i = 0; i < p.size(); i += 2) y = layer(y, p[i], p[i + 1]);
      return mean(y * y);
    };
    const auto gradients = grad(loss)(parameters);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Tensor updated = parameters[i] - gradients[i] * 0.01F;
      results.push_back(trace.value_of(*updated.state(), {}));
    }
  }
  context.pop_trace();
  ir::Graph graph = std::move(trace.graph());
  graph.set_results(std::move(results));
  return graph;
}

// A number of layers that gives about so many nodes.
int layers_of(double nodes) {
  const auto one = static_cast<double>(record(1).node_count());
  const double each = static_cast<double>(record(2).node_count()) - one;
  return std::max(1, static_cast<int>(std::lround(1 + (nodes - one) / each)));
}

using Parts = std::map<std::string, double>;

double timed(Parts& parts, const std::string& part, const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  parts[part] += taken.count();
  return taken.count();
}

double handle_program(int layers, Parts& parts) {
  ir::Graph graph;
  std::string text;
  double total = timed(parts, "record", [&] { graph = record(layers); });
  total += timed(parts, "hash", [&] { structural_hash(graph); });
  total += timed(parts, "print", [&] { text = ir::print(graph); });
  total += timed(parts, "parse", [&] { ir::parse(text); });
  total += timed(parts, "verify", [&] { ir::verify(graph); });
  for (const ir::Pass& pass : ir::all_passes()) {
    total += timed(parts, std::string(pass.name), [&] { pass.run(graph); });
  }
  return total;
}

double median_seconds(double nodes, int batches) {
  const int layers = layers_of(nodes);
  std::vector<double> seconds;
  Parts parts;
  for (int batch = -1; batch < batches; ++batch) {  // the first warms up
    if (batch == 0) parts.clear();
    const double taken = handle_program(layers, parts);
    if (batch >= 0) seconds.push_back(taken);
  }
  for (const auto& [name, taken] : parts) {
    std::cerr << nodes << " nodes: " << name << " " << taken / batches << " s\n";
  }
  const auto median = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), median, seconds.end());
  return *median;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures what is done with a program before code is generated.");
  std::vector<std::string> keys;
  int batches = 5;
  double scaled = 0;
  app.add_option("keys", keys)
      ->required()
      ->check(CLI::IsMember({"nodes_1000", "nodes_10000", "nodes_100000"}));
  app.add_option("--batches", batches, "how many are measured")->check(CLI::PositiveNumber);
  app.add_option("--scaled", scaled, "measure so many nodes, and scale")
      ->check(CLI::Range(2., 1e6));
  CLI11_PARSE(app, argc, argv);
  for (const std::string& key : keys) {
    const double nodes = std::stod(key.substr(key.find('_') + 1));
    double seconds = median_seconds(scaled > 0 ? scaled : nodes, batches);
    if (scaled > 0) seconds *= nodes * std::log(nodes) / (scaled * std::log(scaled));
    std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << seconds << "}\n";
  }
} catch (const std::exception& error) {
  std::cerr << "bench_passes: " << error.what() << "\n";
  return 1;
}
