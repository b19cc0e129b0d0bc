#include <tutti/ir/array_part.h>
#include <tutti/ir/debug/array_difference.h>
#include <tutti/ir/function.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/sizes/merge_samples.h>
#include <tutti/ir/symbolic_sizes.h>
#include <tutti/ir/verify/verify.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

// A program with its sizes at their bounds computes what its instances do, whatever lies behind the
// elements that an instance has.
namespace tutti::ir::bound_sizes_test {
namespace {

using testing::HasSubstr;

Graph program(const std::string& text) {
  Module module = parse("// tutti ir 1\n" + text);
  return std::move(module.functions.back());
}

Array random_array(const Type& type, std::mt19937_64& random) {
  Array out(type.dtype, type.shape);
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    const Array element =
        type.dtype == DType::boolean
            ? Array::scalar_of(type.dtype, static_cast<double>(random() % 2))
        : is_floating(type.dtype)
            ? Array::scalar_of(type.dtype, static_cast<double>(random() % 2001) / 500 - 2)
            : Array::scalar_of(type.dtype, static_cast<double>(random() % 9));
    std::ranges::copy(element.bytes(), out.bytes().begin() + i * size_of(type.dtype));
  }
  return out;
}

// What nobody may read.
enum class Behind : std::uint8_t { poison, zeros, most };  // poison: NaN, and large numbers

Array behind(Behind what, DType dtype) {
  if (what == Behind::zeros) return {dtype, {}};
  Array out(dtype, {});
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<T, bool>) {
      out.data<T>()[0] = true;
    } else if constexpr (std::is_integral_v<T>) {
      out.data<T>()[0] = what == Behind::most ? Limits::max() : T{77};
    } else {
      const double infinity = std::numeric_limits<double>::infinity();
      const double nan = std::numeric_limits<double>::quiet_NaN();
      out = Array::scalar_of(dtype, what == Behind::most ? infinity : nan);
    }
  });
  return out;
}

void expect_same_for(const Graph& graph, std::span<const std::int64_t> values, Behind what,
                     double tolerance) {
  SCOPED_TRACE(values_text(graph.sizes->symbols, values));
  std::mt19937_64 random(7);
  const Graph exact = instance(graph, values);
  Graph bounded = graph;
  ASSERT_TRUE(bound_sizes(bounded));
  verify(bounded);
  // By rank. What is the same on some ranks is so on all: no mesh here has more than one dimension.
  std::vector<std::vector<Array>> inputs(graph.mesh == nullptr ? 1 : graph.mesh->ranks());
  std::vector<std::vector<Array>> large(inputs.size());
  for (std::size_t i = 0; i < exact.parameters().size(); ++i) {
    const Type& type = exact.type(exact.parameters()[i].value);
    const Shape& shape = bounded.type(bounded.parameters()[i].value).shape;
    for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
      const bool same = rank > 0 && type.replication.dimensions != 0;
      inputs[rank].push_back(same ? inputs[0][i] : random_array(type, random));
      large[rank].push_back(enlarged(inputs[rank][i], shape, behind(what, type.dtype)));
    }
  }
  for (std::vector<Array>& of_rank : large) {
    for (const std::int64_t value : values) of_rank.push_back(Array::scalar(value));
  }
  const std::vector<std::vector<Array>> wanted = interpret(exact, inputs);
  const std::vector<std::vector<Array>> given = interpret(bounded, large);
  for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
    ASSERT_EQ(wanted[rank].size(), given[rank].size());
    for (std::size_t i = 0; i < wanted[rank].size(); ++i) {
      const Array part = front(given[rank][i], wanted[rank][i].shape());
      const auto difference = array_difference(wanted[rank][i], part, tolerance);
      EXPECT_FALSE(difference) << "result " << i << " of rank " << rank << ": "
                               << difference->actual << ", not " << difference->expected;
    }
  }
}

// For the bounds, for sizes between them, through the text, whatever lies behind.
void expect_same(const std::string& text, double tolerance = 1e-5) {
  SCOPED_TRACE(text);
  const Graph graph = program(text);
  ASSERT_NE(graph.sizes, nullptr);
  verify(graph);
  EXPECT_TRUE(structurally_equal(graph, parse(print(graph)).functions.back())) << print(graph);
  std::vector<std::int64_t> least;
  std::vector<std::int64_t> most;
  std::vector<std::int64_t> middle;
  for (const SizeSymbol& symbol : graph.sizes->symbols) {
    least.push_back(symbol.least);
    most.push_back(symbol.most);
    middle.push_back((symbol.least + symbol.most) / 2);
  }
  for (const Behind what : {Behind::poison, Behind::zeros, Behind::most}) {
    expect_same_for(graph, least, what, tolerance);
    expect_same_for(graph, most, what, tolerance);
    expect_same_for(graph, middle, what, tolerance);
  }
}

// A function of one node over a parameter of a varying size.
void expect_node(const std::string& parameters, const std::string& node) {
  expect_same("func @f(" + parameters + ") {\n  %0 = " + node + "\n  return %0\n}\n");
}

TEST(BoundSizes, KeepsElementwiseOpsAndViewsAsTheyAre) {
  expect_node("%x: f32[n<=5,3]", "exp(%x)");
  expect_node("%x: f32[n<=5,3], %y: f32[n,1]", "add(%x, %y)");
  expect_node("%x: f32[3]", "broadcast_to(%x) {shape = [n<=5, 3]}");
  expect_node("%x: f32[n<=5,3,m<=4]", "transpose(%x) {permutation = [2, 0, 1]}");
}

TEST(BoundSizes, MasksReductions) {
  for (const std::string op : {"sum", "prod", "max", "min"}) {
    expect_node("%x: f32[n<=5,3,m<=4]", op + "(%x) {axes = [0, 2]}");
    expect_node("%x: f32[n<=5,3,m<=4]", op + "(%x) {axes = [1], keepdims = true}");
    expect_node("%x: i32[n<=5,3]", op + "(%x) {axes = [0]}");
    expect_node("%x: bf16[3,n<=5]", op + "(%x) {axes = [1]}");
  }
  expect_node("%x: bool[n<=5,3]", "any(%x) {axes = [0]}");
  expect_node("%x: bool[n<=5,3]", "all(%x) {axes = [0]}");
  expect_node("%x: u8[n<=5,3]", "max(%x) {axes = [0]}");
  for (const std::string op : {"argmax", "argmin"}) {
    expect_node("%x: f32[n<=5,3]", op + "(%x) {axis = 0}");
    expect_node("%x: i16[n<=5,3]", op + "(%x) {axis = 0, keepdims = true}");
  }
}

TEST(BoundSizes, MasksProducts) {
  expect_node("%x: f32[3,n<=5], %y: f32[n,4]", "matmul(%x, %y)");
  expect_node("%x: f32[n<=5,3], %y: f32[3,4]", "matmul(%x, %y)");
  expect_node("%x: f32[b<=3,n<=5,3], %y: f32[b,3,n]", "matmul(%x, %y)");
  expect_node("%x: f32[n<=5,3], %y: f32[n,4]",
              "dot_general(%x, %y) {contract_x = [0], contract_y = [0]}");
  expect_node("%x: f32[n<=5,2,4,4], %w: f32[3,2,2,2]",
              "conv(%x, %w) {stride = [1, 1], low = [1, 1], high = [0, 0], dilation = [1, 1]}");
  for (const std::string dtype : {"f32", "bf16"}) {
    expect_node("%x: " + dtype + "[2,2,n<=6], %w: " + dtype + "[3,2,2]",
                "conv(%x, %w) {stride = [1], low = [1], high = [0], dilation = [1]}");
    // A window of more places than there are results.
    expect_node("%x: " + dtype + "[2,2,n<=6], %w: " + dtype + "[3,2,5]",
                "conv(%x, %w) {stride = [1], low = [2], high = [2], dilation = [1]}");
    expect_node("%x: " + dtype + "[2,n<=5,6], %w: " + dtype + "[3,n,3]",
                "conv(%x, %w) {stride = [1], low = [1], high = [1], dilation = [1]}");
  }
}

TEST(BoundSizes, TakesCompositesApartWhereTheyMixWhatVaries) {
  for (const std::string op : {"softmax", "log_softmax"}) {
    expect_node("%x: f32[n<=5,3]", op + "(%x) {axis = 0}");
    expect_node("%x: f32[n<=5,3]", op + "(%x) {axis = 1}");
  }
  expect_node("%x: f32[n<=5,3]", "mean(%x) {axes = [0]}");
  expect_node("%x: bf16[n<=5,m<=3]", "mean(%x) {axes = [0, 1]}");
  expect_node("%x: f32[3,n<=5]", "logsumexp(%x) {axes = [1], keepdims = true}");
  expect_node("%x: f32[3,2<=n<=5], %s: f32[n], %b: f32[n]", "layer_norm(%x, %s, %b)");
  expect_node("%x: f32[3,n<=5], %s: f32[n]", "rms_norm(%x, %s)");
  expect_node("%x: f32[n<=5,3], %y: i32[n]", "cross_entropy(%x, %y)");
  expect_node("%x: i32[n<=5]", "one_hot(%x) {depth = 9, dtype = f32}");
  expect_node("%q: f32[2,t<=4,3], %k: f32[2,s<=5,3], %v: f32[2,s,2]", "attention(%q, %k, %v)");
  expect_node("%q: f32[t<=4,3], %k: f32[t,3], %v: f32[t,2]",
              "attention(%q, %k, %v) {causal = true}");
  expect_node("%q: f32[b<=3,4,3], %k: f32[b,4,3], %v: f32[b,4,2]", "attention(%q, %k, %v)");
  expect_same(R"(
func @f(%q: f32[2,t<=4,3], %k: f32[2,s<=5,3], %v: f32[2,s,2], %g: f32[2,t,2]) {
  %0, %1, %2 = attention_gradient(%q, %k, %v, %g)
  return %0, %1, %2
}
)");
}

TEST(BoundSizes, TakesCompositesApartThatMayBeEmptyOrOne) {
  expect_node("%x: f32[n<=5,4], %y: f32[4,n]",
              "dot_general(%x, %y) {contract_x = [0, 1], contract_y = [1, 0]}");
  expect_node("%x: f32[3,0<=n<=5]", "softmax(%x) {axis = 1}");
  expect_node("%x: f32[0<=n<=5]", "mean(%x) {axes = [0]}");
  expect_node("%x: f32[3,0<=n<=5]", "logsumexp(%x) {axes = [1]}");
  expect_node("%q: f32[4,3], %k: f32[0<=n<=4,3], %v: f32[n,2]", "attention(%q, %k, %v)");
}

TEST(BoundSizes, FindsTheElementsOfReshapes) {
  expect_node("%x: f32[n<=5,3,2]", "reshape(%x) {shape = [n, 6]}");
  expect_node("%x: f32[n<=5,3]", "reshape(%x) {shape = [3*n]}");
  expect_node("%x: f32[3*(n<=5)]", "reshape(%x) {shape = [n, 3]}");
  expect_node("%x: f32[3,n<=5]", "reshape(%x) {shape = [3*n]}");
  expect_node("%x: f32[3*(n<=5)]", "reshape(%x) {shape = [3, n]}");
  expect_node("%x: f32[b<=3,t<=4,2]", "reshape(%x) {shape = [b*t, 2]}");
  expect_node("%x: f32[(b<=3)*(t<=4),2]", "reshape(%x) {shape = [b, 2, t]}");
  expect_node("%x: f32[6,n<=5]", "reshape(%x) {shape = [2, 3, n]}");
  expect_node("%x: f32[1,n<=5,2]", "reshape(%x) {shape = [2*n, 1, 1]}");
  expect_node("%x: f32[n<=5,4,n]", "reshape(%x) {shape = [n, n, 2, 2]}");
}

TEST(BoundSizes, SlicesFromWhatVaries) {
  expect_node("%x: f32[3<=n<=9,2]", "slice(%x) {start = [1, 0], stop = [n, 2], step = [1, 1]}");
  expect_node("%x: f32[3<=n<=9,2]", "slice(%x) {start = [n-3, 0], stop = [n, 1], step = [1, 1]}");
  expect_node("%x: f32[3<=n<=9,2]", "slice(%x) {start = [n-1, 0], stop = [n, 2], step = [1, 1]}");
  expect_node("%x: f32[2*(n<=5)]", "slice(%x) {start = [n], stop = [2*n], step = [1]}");
  expect_node("%x: f32[2*(n<=5)]", "slice(%x) {start = [0], stop = [2*n], step = [2]}");
  expect_node("%x: f32[12,n<=5]", "slice(%x) {start = [12-n, 0], stop = [12, n], step = [1, 1]}");
  expect_node("%x: f32[n<=5,3]", "reverse(%x) {axes = [0, 1]}");
  expect_node("%x: f32[n<=5,3]", "reverse(%x) {axes = [1]}");
}

TEST(BoundSizes, PutsPaddingAndParts) {
  expect_node("%x: f32[n<=5,3], %v: f32[]",
              "pad(%x, %v) {low = [1, 0], high = [2, 1], interior = [0, 1]}");
  expect_node("%x: f32[n<=5], %v: f32[]", "pad(%x, %v) {low = [0], high = [5-n], interior = [0]}");
  expect_node("%x: f32[n<=5], %v: f32[]", "pad(%x, %v) {low = [2], high = [n], interior = [0]}");
  expect_node("%x: f32[n<=5,3], %v: f32[]",
              "pad(%x, %v) {low = [1, 0], high = [0, 0], interior = [2, 0]}");
  expect_node("%x: f32[n<=5,3], %y: f32[2,3]", "concat(%x, %y) {axis = 0}");
  expect_node("%x: f32[n<=5,3], %y: f32[m<=4,3]", "concat(%x, %y, %x) {axis = 0}");
  expect_node("%x: f32[n<=5,3], %y: f32[n,2]", "concat(%x, %y) {axis = 1}");
}

TEST(BoundSizes, ClampsIndicesToTheInstance) {
  expect_node("%x: f32[n<=5,3], %i: i32[4]", "take(%x, %i) {axis = 0}");
  expect_node("%x: f32[n<=5,3], %i: u8[m<=4]", "take(%x, %i) {axis = 0}");
  expect_node("%x: f32[n<=5,3], %i: u64[4]", "take(%x, %i) {axis = 0}");
  expect_node("%x: f32[3,n<=5], %i: i64[3,m<=7]", "take_along_axis(%x, %i) {axis = 1}");
  expect_node("%x: f32[6,3], %i: i32[n<=5], %u: f32[n,3]", "scatter_add(%x, %i, %u) {axis = 0}");
  expect_node("%x: f32[6,3], %i: u64[n<=5], %u: f32[n,3]", "scatter_add(%x, %i, %u) {axis = 0}");
  expect_node("%x: f32[n<=6,3], %i: i32[4], %u: f32[4,3]", "scatter_add(%x, %i, %u) {axis = 0}");
  expect_node("%x: f32[2<=n<=6,3], %i: i32[2]", "dynamic_slice(%x, %i) {sizes = [2, 2]}");
  expect_node("%x: f32[2*(n<=6),3], %i: i32[2]", "dynamic_slice(%x, %i) {sizes = [n, 2]}");
  expect_node("%x: f32[2<=n<=6,3], %u: f32[2,2], %i: i32[2]", "dynamic_update_slice(%x, %u, %i)");
  expect_node("%x: f32[(n<=4)+2,3], %u: f32[n,2], %i: i32[2]", "dynamic_update_slice(%x, %u, %i)");
  for (const std::string node :
       {"dynamic_slice(%x, %0) {sizes = [2, 3]}", "dynamic_update_slice(%x, %u, %0)"}) {
    expect_same(
        "func @f(%x: f32[2<=n<=9,3], %u: f32[2,3], %i: u64[2]) {\n"
        "  %0 = bitwise_not(%i)\n  %1 = " +
        node + "\n  return %1\n}\n");
  }
}

TEST(BoundSizes, OrdersWhatIsThere) {
  for (const std::string dtype : {"f32", "i32", "u8", "bf16"}) {
    for (const std::string descending : {"false", "true"}) {
      expect_same("func @f(%x: " + dtype + "[n<=7,2]) {\n  %0, %1 = sort(%x) {axis = 0, " +
                  "descending = " + descending + "}\n  return %0, %1\n}\n");
    }
  }
  expect_same(
      "func @f(%x: f32[3<=n<=7,2]) {\n  %0, %1 = topk(%x) {k = 3, axis = 0}\n"
      "  return %0, %1\n}\n");
  for (const std::string op : {"cumsum", "cumprod", "cummax", "cummin"}) {
    expect_node("%x: f32[n<=7,2]", op + "(%x) {axis = 0}");
    expect_node("%x: f32[n<=7,2]", op + "(%x) {axis = 0, reverse = true}");
    expect_node("%x: i32[n<=7,2]", op + "(%x) {axis = 0, reverse = true}");
  }
}

TEST(BoundSizes, DrawsTheInstancesNumbers) {
  expect_node("%k: u64[]", "uniform(%k) {dtype = f32, shape = [n<=5, 3]}");
  expect_node("%k: u64[]", "normal(%k) {dtype = f32, shape = [3, n<=5]}");
  expect_node("%k: u64[]", "random_bits(%k) {shape = [b<=3, 2, n<=5]}");
  expect_node("%k: u64[]", "uniform(%k) {dtype = f32, shape = [n<=3, m<=4, n]}");
}

TEST(BoundSizes, KnowsSizesAsNumbers) {
  expect_same(
      "func @f(%x: f32[259<=n<=300]) {\n  %0 = size() {value = n, dtype = bf16, reciprocal "
      "= true}\n  return %0\n}\n",
      0);
  expect_node("", "size() {value = 2*(n<=5)+1}");
  expect_node("%x: f32[n<=5]", "size() {value = n, dtype = bf16, reciprocal = true}");
}

TEST(BoundSizes, GivesSizesToFunctionsThatNodesRun) {
  expect_same(R"(
private func @body(%h: f32[n<=5,3], %x: f32[n,3]) -> (f32[n,3], f32[]) {
  %0 = add(%h, %x)
  %1 = mean(%0) {axes = [0, 1]}
  return %0, %1
}
func @f(%h: f32[n<=5,3], %xs: f32[4,n,3]) {
  %0, %1 = scan(%h, %xs) {body = @body, carries = 1, sequences = 1, length = 4}
  return %0, %1
}
)");
  expect_same(R"(
private func @more(%i: i32[], %x: f32[n<=5]) {
  %0 = constant() {value = i32[] 3}
  %1 = lt(%i, %0)
  return %1
}
private func @body(%i: i32[], %x: f32[n<=5]) {
  %0 = constant() {value = i32[] 1}
  %1 = add(%i, %0)
  %2 = softmax(%x) {axis = 0}
  return %1, %2
}
func @f(%i: i32[], %x: f32[n<=5]) {
  %0, %1 = while_loop(%i, %x) {condition = @more, body = @body, carries = 2}
  return %0, %1
}
)");
  expect_same(R"(
private func @first(%x: f32[n<=5]) {
  %0 = sum(%x) {axes = [0]}
  return %0
}
private func @second(%x: f32[n<=5]) {
  %0 = constant() {value = f32[] 2}
  return %0
}
func @f(%i: i32[], %x: f32[n<=5]) {
  %0 = conditional(%i, %x) {branches = [@first, @second]}
  return %0
}
)");
}

TEST(BoundSizes, TakesAsManyStepsAsThereAre) {
  for (const std::string reverse : {"false", "true"}) {
    expect_same(R"(
private func @body(%h: f32[3], %x: f32[3], %w: f32[3]) {
  %0 = mul(%h, %w)
  %1 = add(%0, %x)
  return %1, %0
}
func @f(%h: f32[3], %xs: f32[n<=6,3], %w: f32[3]) {
  %0, %1 = scan(%h, %xs, %w) {body = @body, carries = 1, sequences = 1, length = n, reverse = )" +
                reverse + "}\n  return %0, %1\n}\n");
  }
}

TEST(BoundSizes, BoundsAFunctionOnceThatSeveralNodesRun) {
  const auto instance_of = [](std::int64_t n) {
    const std::string x = "(%x: f32[" + std::to_string(n) + "]) {\n";
    const std::string run = ", carries = 1, sequences = 0, length = 2}\n";
    return program("private func @inner" + x + "  %0 = exp(%x)\n  return %0\n}\n" +
                   "private func @first" + x + "  %0 = scan(%x) {body = @inner" + run +
                   "  return %0\n}\n" + "private func @second" + x +
                   "  %0 = scan(%x) {body = @inner" + run + "  %1 = tanh(%0)\n  return %1\n}\n" +
                   "func @f" + x + "  %0 = scan(%x) {body = @first" + run +
                   "  %1 = scan(%0) {body = @second" + run + "  return %1\n}\n");
  };
  const std::vector<SizeSymbol> symbols{{.name = "n", .least = 1, .most = 5}};
  std::vector<Sample> samples;
  for (const std::vector<std::int64_t>& values : corners(symbols)) {
    samples.push_back({values, instance_of(values[0])});
  }
  samples.push_back({{3}, instance_of(3)});
  Graph graph = merge_samples(symbols, samples);
  ASSERT_EQ(all_functions(graph).size(), 3U);
  ASSERT_TRUE(bound_sizes(graph));
  EXPECT_EQ(all_functions(graph).size(), 3U);
}

TEST(BoundSizes, TellsFunctionsTheSameSizesOnAllRanks) {
  // Only one of the loop's functions communicates.
  expect_same(R"(mesh (world = 2)
group @w = {ranks = [0, 1], stride = 2}
private func @more(%x: f32[n<=4], %e: f32[] rep(world)) {
  %0 = constant() {value = f32[] 0.1}
  %1 = gt(%e, %0)
  return %1
}
private func @body(%x: f32[n<=4], %e: f32[] rep(world)) {
  %0 = constant() {value = f32[] 0.5}
  %1 = mul(%x, %0)
  %2 = sum(%1) {axes = [0]}
  %3 = all_reduce(%2) {op = "max", group = @w}
  %4 = wait(%3)
  return %1, %4
}
func @f(%x: f32[n<=4], %e: f32[] rep(world)) {
  %0 = exp(%e)
  %1, %2 = while_loop(%x, %0) {condition = @more, body = @body, carries = 2}
  return %1, %2
}
)");
  // The loop's parameters are not the same on the same ranks.
  expect_same(R"(mesh (dp = 2)
private func @body(%a: f32[], %w: f32[] rep(dp), %x: f32[]) {
  %0 = add(%a, %x)
  %1 = mul(%w, %w)
  return %0, %1
}
func @f(%a: f32[], %w: f32[] rep(dp), %xs: f32[n<=4]) {
  %0, %1 = scan(%a, %w, %xs) {body = @body, carries = 2, sequences = 1, length = n}
  return %0, %1
}
)");
}

TEST(BoundSizes, KeepsWhatFunctionsMakeOfSizesAloneTheSame) {
  expect_same(R"(mesh (dp = 2)
private func @constant(%w: f32[n<=4] rep(dp)) {
  %0 = constant() {value = f32[] 2}
  return %0
}
private func @size(%w: f32[n<=4] rep(dp)) {
  %0 = size() {value = n, dtype = f32}
  return %0
}
private func @twice(%c: f32[] rep(dp)) {
  %0 = add(%c, %c)
  return %0
}
func @f(%i: i32[] rep(dp), %w: f32[n<=4] rep(dp)) {
  %0 = conditional(%i, %w) {branches = [@constant, @size]}
  %1 = scan(%0) {body = @twice, carries = 1, sequences = 0, length = 2}
  return %1
}
)");
}

TEST(BoundSizes, RunsNothingForStepsThatAreNotThere) {
  // For zeros the inner loop has no end.
  expect_same(R"(
private func @more(%x: f32[2]) {
  %0 = sum(%x) {axes = [0]}
  %1 = constant() {value = f32[] 100}
  %2 = lt(%0, %1)
  return %2
}
private func @double(%x: f32[2]) {
  %0 = add(%x, %x)
  return %0
}
private func @body(%h: f32[2], %x: f32[2]) {
  %0 = while_loop(%x) {condition = @more, body = @double, carries = 1}
  %1 = add(%h, %0)
  return %1
}
func @f(%h: f32[2], %xs: f32[n<=5,2]) {
  %0 = exp(%xs)
  %1 = constant() {value = f32[] 0}
  %2 = pad(%0, %1) {low = [0, 0], high = [3, 0], interior = [0, 0]}
  %3 = slice(%2) {start = [0, 0], stop = [n, 2], step = [1, 1]}
  %4 = scan(%h, %3) {body = @body, carries = 1, sequences = 1, length = n}
  return %4
}
)");
}

TEST(BoundSizes, RefusesWhatHasNoBound) {
  const auto message = [](const std::string& text) -> std::string {
    Graph graph = program(text);
    try {
      bound_sizes(graph);
    } catch (const TypeError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message("func @f(%x: f32[n<=5]) {\n"
                      "  %0 = broadcast_to(%x) {shape = [6-n, n]}\n  return %0\n}\n"),
              HasSubstr("the size 6-n is not largest where"));
  EXPECT_THAT(message("group @g = {ranks = [0, 1], stride = 2}\n"
                      "func @f(%x: f32[n<=5]) {\n"
                      "  %0 = all_gather(%x) {axis = 0, group = @g}\n  return %0\n}\n"),
              HasSubstr("all_gather: the ranks' parts cannot vary in size along axis 0"));
  EXPECT_THAT(message("group @g = {ranks = [0, 1], stride = 2}\n"
                      "func @f(%x: f32[3]) {\n"
                      "  %0 = all_gather(%x) {axis = 0, group = @g, sizes = [n<=6, 3]}\n"
                      "  return %0\n}\n"),
              HasSubstr("all_gather: sizes cannot vary"));
  EXPECT_THAT(message("group @g = {ranks = [0, 1], stride = 2}\n"
                      "func @f(%x: f32[3,n<=6]) {\n"
                      "  %0 = all_reduce(%x) {op = \"sum\", group = @g}\n"
                      "  %1 = reshape(%0) {shape = [3*n]}\n  return %1\n}\n"),
              HasSubstr("wait for it first"));
}

TEST(BoundSizes, LeavesConstantsWhereTheyAreWritten) {
  Graph graph = program(
      "func @f(%x: f32[n<=5] on cuda:0) {\n  %0 = constant() {value = f32[2] [1, 2]} : f32[2] on "
      "cuda:0\n  %1 = exp(%x)\n  return %0, %1\n}\n");
  ASSERT_TRUE(bound_sizes(graph));
  EXPECT_EQ(graph.type(graph.results()[0]).device, Device::cuda(0));
}

TEST(BoundSizes, ComesBeforeAllOtherPasses) {
  Graph graph = program("func @f(%x: f32[n<=5]) {\n  %0 = exp(%x)\n  return %0\n}\n");
  const Pass* const cse = find_pass("cse");
  EXPECT_THROW(run_passes(graph, {&cse, 1}), UsageError);
  EXPECT_TRUE(run_passes(graph));
  EXPECT_EQ(graph.sizes, nullptr);
  // That a program has no bounds is nobody's bug.
  Graph shrinks = program(
      "func @f(%x: f32[n<=5]) {\n  %0 = broadcast_to(%x) {shape = [6-n, n]}\n  return %0\n}\n");
  EXPECT_THROW(run_passes(shrinks), TypeError);
}

}  // namespace
}  // namespace tutti::ir::bound_sizes_test
