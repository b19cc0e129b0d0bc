#include <tutti/tutti.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/lazy/lazy_testing.h"

namespace tutti::attention_test {
namespace {

using test::expect_error;

Tensor some(const Shape& shape, std::uint64_t seed) { return normal(shape, Key(seed)); }

void expect_near(const Tensor& actual, const Tensor& expected, double most) {
  ASSERT_EQ(actual.shape(), expected.shape());
  EXPECT_LE(max(abs(actual - expected)).item<float>(), most);
}

// What is seen by the first `keys` of the keys alone.
Tensor sliced(const Tensor& q, const Tensor& k, const Tensor& v, std::int64_t keys) {
  const std::vector<Range> first = {{}, {0, keys}, {}};
  return attention(q, slice(k, first), slice(v, first));
}

TEST(Attention, TakesTheNumberOfKeysThatThereAre) {
  const Tensor q = some({2, 3, 8}, 1);
  const Tensor k = some({2, 2000, 8}, 2);
  const Tensor v = some({2, 2000, 5}, 3);
  auto f = compile([](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& n) {
    return attention(a, b, c, {.keys = n});
  });
  for (const std::int64_t keys : {1, 64, 65, 513, 2000}) {
    expect_near(f(q, k, v, tensor(keys)), sliced(q, k, v, keys), 1e-5);
    expect_near(attention(q, k, v, {.keys = tensor(keys)}), sliced(q, k, v, keys), 1e-5);
  }
  EXPECT_EQ(f.programs(), 1U);
  EXPECT_EQ(sum(abs(f(q, k, v, tensor(std::int64_t{0})))).item<float>(), 0.F);
}

TEST(Attention, TakesANumberOfKeysForEachMatrix) {
  const Tensor q = some({2, 3, 8}, 1);
  const Tensor k = some({2, 90, 8}, 2);
  const Tensor v = some({2, 90, 8}, 3);
  const Tensor both = attention(q, k, v, {.keys = tensor({7, 61})});
  expect_near(slice(both, {{0, 1}}),
              sliced(slice(q, {{0, 1}}), slice(k, {{0, 1}}), slice(v, {{0, 1}}), 7), 1e-5);
  expect_near(slice(both, {{1, 2}}),
              sliced(slice(q, {{1, 2}}), slice(k, {{1, 2}}), slice(v, {{1, 2}}), 61), 1e-5);
}

// As where a text is read in pieces.
TEST(Attention, CausalQueriesAreTheLastOfTheKeysThatThereAre) {
  const Tensor q = some({2, 40, 8}, 1);
  const Tensor k = some({2, 40, 8}, 2);
  const Tensor v = some({2, 40, 8}, 3);
  const Tensor whole = attention(q, k, v, {.causal = true});
  const std::vector<Range> part = {{}, {25, 35}, {}};
  const Tensor last = attention(slice(q, part), k, v, {.causal = true, .keys = tensor(35)});
  expect_near(last, slice(whole, part), 1e-5);
}

TEST(Attention, AMaskHidesSomeOfTheKeysThatThereAre) {
  const Tensor q = some({2, 3, 8}, 1);
  const Tensor k = some({2, 30, 8}, 2);
  const Tensor v = some({2, 30, 8}, 3);
  const Tensor even = arange(30) % 2 == 0;
  expect_near(attention(q, k, v, even, {.keys = tensor(9)}),
              attention(q, k, v, logical_and(even, arange(30) < 9)), 1e-5);
}

// Against keys that are repeated for each head.
TEST(Attention, HeadsOfQueriesMayShareKeys) {
  for (const std::int64_t queries : {1, 70}) {
    const Tensor q = some({2, 6, queries, 8}, 1);
    const Tensor k = some({2, 2, 80, 8}, 2);
    const Tensor v = some({2, 2, 80, 5}, 3);
    const auto each = [](const Tensor& x) {  // [2, 2, s, d] -> [2, 6, s, d]
      const Shape all = {2, 2, 3, x.size(2), x.size(3)};
      return reshape(broadcast_to(expand_dims(x, {2}), all), {2, 6, x.size(2), x.size(3)});
    };
    const Tensor masks[] = {arange(80) < 50, some({queries, 80}, 4) > 0,
                            some({6, queries, 80}, 5) > 0, some({2, 1, queries, 80}, 6) > 0,
                            some({2, 6, 1, 80}, 7) > 0};
    for (const Tensor& mask : masks) {
      SCOPED_TRACE(mask.shape().text());
      expect_near(attention(q, k, v, mask), attention(q, each(k), each(v), mask), 1e-5);
    }
    for (const bool causal : {false, true}) {
      const AttentionOptions options = {.causal = causal};
      expect_near(attention(q, k, v, options), attention(q, each(k), each(v), options), 1e-5);
      const AttentionOptions first = {.causal = causal, .keys = tensor(75)};
      expect_near(attention(q, k, v, first), attention(q, each(k), each(v), first), 1e-5);
    }
    const auto gradients = [&](auto&& heads_of) {
      return grad([&](const std::vector<Tensor>& x) {
        return sum(tanh(attention(x[0], heads_of(x[1]), heads_of(x[2]), {.causal = true})));
      })(std::vector<Tensor>{q, k, v});
    };
    const auto grouped = gradients([](const Tensor& x) { return x; });
    const auto repeated = gradients(each);
    for (std::size_t i = 0; i < 3; ++i) expect_near(grouped[i], repeated[i], 1e-4);
  }
}

// Groups would be a ninth.
TEST(Attention, HeadsMayBeSharedInEightDimensions) {
  const auto flat = [](const Tensor& x) {
    return reshape(x, {6, x.size(-3), x.size(-2), x.size(-1)});
  };
  for (const std::int64_t queries : {1, 3}) {
    const Tensor q = some({2, 3, 1, 1, 1, 4, queries, 8}, 1);
    const Tensor k = some({2, 3, 1, 1, 1, 2, 5, 8}, 2);
    const Tensor v = some({2, 3, 1, 1, 1, 2, 5, 7}, 3);
    EXPECT_EQ(attention(q, k, v).shape(), Shape({2, 3, 1, 1, 1, 4, queries, 7}));
    expect_near(flat(attention(q, k, v)), attention(flat(q), flat(k), flat(v)), 1e-5);
    const Tensor all = some({2, 1, 1, 1, 1, 1, queries, 5}, 4) > 0;
    const Tensor of_all = broadcast_to(all, {2, 3, 1, 1, 1, 1, queries, 5});
    expect_near(flat(attention(q, k, v, all)), attention(flat(q), flat(k), flat(v), flat(of_all)),
                1e-5);
    const Tensor heads = some({3, 1, 1, 1, 4, queries, 5}, 5) > 0;
    const Tensor of_heads = broadcast_to(heads, {2, 3, 1, 1, 1, 4, queries, 5});
    expect_near(flat(attention(q, k, v, heads)),
                attention(flat(q), flat(k), flat(v), flat(of_heads)), 1e-5);
    const Tensor other = some({3, 2, 1, 1, 1, 2, 5, 8}, 6);
    expect_error<TypeError>([&] { attention(q, other, other); },
                            {"attention: the leading dimensions of q, k and v must be equal"});
  }
}

TEST(Attention, WhatDoesNotFitIsRefusedAtTheCallersLine) {
  const Tensor q = some({6, 3, 8}, 1);
  const Tensor k = some({4, 5, 8}, 2);
  expect_error<TypeError>([&] { attention(q, k, k); },
                          {"attention: 6 heads of queries, 4 of keys and 4 of values"});
  expect_error<TypeError>([&] { attention(k, k, k, {.keys = tensor(1.5F)}); },
                          {"attention: the number of keys is an integer, not f32"});
  const Tensor grouped = some({2, 4, 3, 8}, 1);
  const Tensor shared = some({2, 2, 5, 8}, 2);
  expect_error<TypeError>([&] { attention(grouped, shared, shared, some({2, 2, 3, 5}, 3) > 0); },
                          {"attention: a mask for 2 of 4 heads"});
}

}  // namespace
}  // namespace tutti::attention_test
