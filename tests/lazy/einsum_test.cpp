#include "tests/lazy/wave.h"

namespace tutti::test::einsum_test {
namespace {

Floats values(const Tensor& x) { return x.to_vector<float>(); }

TEST(Einsum, MultipliesAndSumsByName) {
  const Tensor a = wave({2, 3});
  const Tensor b = wave({3, 4});
  expect_close(einsum("ij,jk->ik", {a, b}), values(matmul(a, b)));
  expect_close(einsum("ij,jk", {a, b}), values(matmul(a, b)));
  expect_close(einsum("ij , jk -> ki", {a, b}), values(transpose(matmul(a, b))));
  expect_close(einsum("ij,jk->", {a, b}), values(sum(matmul(a, b))));
  expect_close(einsum("ij,kl->ijkl", {a, b}),
               values(reshape(a, {2, 3, 1, 1}) * reshape(b, {1, 1, 3, 4})));
  expect_close(einsum("ij->ji", {a}), values(transpose(a)));
  expect_close(einsum("ba", {a}), values(transpose(a)));  // in alphabetical order
  expect_close(einsum("ij->j", {a}), values(sum(a, 0)));
  expect_close(einsum("ij,ij->i", {a, a}), values(sum(a * a, 1)));
}

TEST(Einsum, HasBatchesAndSeveralOperands) {
  const Tensor q = wave({2, 3, 4, 5});
  const Tensor k = wave({2, 6, 4, 5});
  const Tensor scores = einsum("bqhd,bkhd->bhqk", {q, k});
  EXPECT_EQ(scores.shape(), Shape({2, 4, 3, 6}));
  expect_close(scores, values(matmul(transpose(q, {0, 2, 1, 3}), transpose(k, {0, 2, 3, 1}))));
  const Tensor a = wave({2, 3});
  const Tensor b = wave({3, 4});
  const Tensor c = wave({4, 2});
  expect_close(einsum("ij,jk,kl->il", {a, b, c}), values(matmul(matmul(a, b), c)));
  expect_close(einsum("ij,jk,ki->", {a, b, c}), values(sum(matmul(a, b) * transpose(c))));
}

TEST(Einsum, DotsStandForAxesInFrontThatBroadcast) {
  const Tensor a = wave({5, 1, 2, 3});
  const Tensor b = wave({4, 3, 2});
  expect_close(einsum("...ij,...jk->...ik", {a, b}), values(matmul(a, b)));
  expect_close(einsum("...ij->...ji", {b}), values(transpose(b, {0, 2, 1})));
  EXPECT_EQ(einsum("...,...->...", {zeros({0}), ones({1})}).shape(), Shape({0}));
  EXPECT_EQ(einsum("...,...->...", {ones({1}), zeros({0})}).shape(), Shape({0}));
}

TEST(Einsum, OfIntegersAndWithGradients) {
  EXPECT_EQ(einsum("i,i->", {tensor({1, 2}), tensor({3, 4})}).item<std::int32_t>(), 11);
  const Tensor dx = grad([](const Tensor& x) { return einsum("i,j,i->", {x, ones({2}), x}); })(
      tensor({1.F, 2.F}));
  EXPECT_EQ(values(dx), Floats({4, 8}));
}

TEST(Einsum, MistakesAreNamed) {
  const Tensor a = zeros({2, 3});
  const auto refused = [&](const std::string& formula, std::vector<Tensor> operands,
                           const std::string& part) {
    expect_error<TypeError>([&] { einsum(formula, operands); },
                            {"einsum(\"" + formula + "\"): ", part}, kNowhere);
  };
  refused("ij", {}, "no operands");
  refused("ij,jk->ik", {a}, "names the axes of 2 operands, and is given 1");
  refused("ij->ij", {a, a}, "names the axes of 1 operand, and is given 2");
  refused("ijk->i", {a}, "\"ijk\" names 3 axes of a tensor of type f32[2,3]");
  refused("i->i", {a}, "names 1 axes");
  refused("ii->i", {zeros({2, 2})}, "'i' twice in one operand");
  refused("ij->ijj", {a}, "'j' twice in the result");
  refused("ij->k", {a}, "no operand has 'k'");
  refused("ij,jk->ik", {a, a}, "'j' is 3 and 2 long");
  refused("i1->i", {a}, "'1' is no letter");
  refused("...j->...j...", {a}, "\"...\" twice in the result");
  refused("...j->j", {a}, "should have the axes of \"...\"");
}

}  // namespace
}  // namespace tutti::test::einsum_test
