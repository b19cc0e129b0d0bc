#include <chrono>

#include "tests/lazy/lazy_testing.h"
#include "tests/lazy/wave.h"

// Gradients that go from rank to rank with messages.
namespace tutti::test::message_gradient_test {
namespace {

constexpr SimulateOptions kQuickly = {.threads = 0, .timeout = std::chrono::seconds(20)};

// A stage of a pipeline: what a rank does to what it is given.
Tensor stage(const Tensor& w, const Tensor& x) { return tanh(matmul(x, w)); }

Tensor weight(int rank) { return normal({3, 3}, Key(static_cast<std::uint64_t>(rank) + 1)); }

// The gradients of three stages after each other, on one rank.
std::vector<Tensor> in_one(const Tensor& input) {
  const auto loss = [&](const std::vector<Tensor>& w) {
    Tensor x = input;
    for (const Tensor& each : w) x = stage(each, x);
    return sum(x * x);
  };
  return grad(loss)(std::vector{weight(0), weight(1), weight(2)});
}

TEST(MessageGradient, OfAPipelineIsThatOfItsStagesAfterEachOther) {
  for (const bool compiled : {false, true}) {
    simulate(
        3,
        [&](World& world) {
          const int rank = world.rank();
          const Tensor input = normal({2, 3}, Key(9));
          const Tensor expected = in_one(input)[static_cast<std::size_t>(rank)];
          const auto loss = [&](const Tensor& w, const Tensor& first) -> Tensor {
            const Tensor x = rank == 0 ? first : Tensor(recv({2, 3}, DType::f32, world, rank - 1));
            const Tensor y = stage(w, x);
            if (rank == 2) return sum(y * y);
            send(y, world, rank + 1);
            return tensor(0.F);
          };
          const auto step = [&](const Tensor& w, const Tensor& first) {
            return grad(loss)(w, first);
          };
          const Tensor w = weight(rank);
          expect_close(compiled ? compile(step)(w, input) : step(w, input),
                       expected.to_vector<float>());
        },
        kQuickly);
  }
}

TEST(MessageGradient, OfNothingIsAnsweredAllTheSame) {
  simulate(
      2,
      [](World& world) {
        if (world.rank() == 0) {
          const auto loss = [&](const std::vector<Tensor>&) {
            send(tensor({5.F}), world, 1);
            return tensor(0.F);
          };
          grad(loss)(std::vector<Tensor>{});
          send(tensor({6.F}), world, 1);
          return;
        }
        const auto loss = [&](const Tensor& x) { return sum(x * recv({1}, DType::f32, world, 0)); };
        EXPECT_EQ(grad(loss)(tensor({2.F})).item<float>(), 5);
        EXPECT_EQ(recv({1}, DType::f32, world, 0).item<float>(), 6);
      },
      kQuickly);
}

// Nothing on the one rank depends on what goes or comes, and the other one can't see that.
TEST(MessageGradient, WhatNothingDependsOnIsAnsweredAllTheSame) {
  simulate(
      2,
      [](World& world) {
        const std::int64_t peer = 1 - world.rank();
        const auto loss = [&](const Tensor& x) {
          if (world.rank() == 0) {
            send(tensor({5.F}), world, peer);  // of no argument
            const AsyncTensor unused = recv({1}, DType::f32, world, peer);
            send(tensor({7}), world, peer);  // has no cotangent
            return sum(x * x);
          }
          const AsyncTensor five = recv({1}, DType::f32, world, peer);
          send(x * 3.F, world, peer);
          const Tensor seven = cast(recv({1}, DType::i32, world, peer), DType::f32);
          return sum(x * five * seven);
        };
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(grad(loss)(tensor({2.F})).item<float>(), world.rank() == 0 ? 4 : 35);
        }
        // And what is sent later is not taken for an answer.
        send(tensor({float(world.rank())}), world, peer);
        EXPECT_EQ(recv({1}, DType::f32, world, peer).item<float>(), float(peer));
      },
      kQuickly);
}

// sum over ranks of the dot products with what the neighbour sent: messages before what is theirs,
// behind it, in a batch.
TEST(MessageGradient, IsTheSameWhateverTheOrderOfTheTwoSides) {
  enum class Order { sends_first, receives_first, batch };
  for (const Order order : {Order::sends_first, Order::receives_first, Order::batch}) {
    simulate(
        2,
        [&](World& world) {
          const std::int64_t peer = 1 - world.rank();
          const Shape shape = {2};
          const auto loss = [&](const Tensor& x) {
            const Tensor square = x * x;
            Tensor y;
            if (order == Order::batch) {
              y = batch_send_recv({{square, peer}}, {{shape, DType::f32, peer}}, world)[0];
            } else {
              if (order == Order::sends_first) send(square, world, peer);
              y = recv(shape, DType::f32, world, peer);
              if (order == Order::receives_first) send(square, world, peer);
            }
            return sum(x * y);
          };
          // With a and b: a b^2 + b a^2, by a: b^2 + 2 a b.
          const float a = world.rank() == 0 ? 2.F : 3.F;
          const float b = world.rank() == 0 ? 3.F : 2.F;
          EXPECT_EQ(grad(loss)(tensor({a, 1.F})).to_vector<float>(),
                    Floats({b * b + 2 * a * b, 3}));
        },
        kQuickly);
  }
}

// Several messages of a pair: the answers go in the opposite order, also where what came first is
// used last, and where one side has them in a batch.
TEST(MessageGradient, AnswersOfAPairMeetInTheirOrder) {
  simulate(
      2,
      [](World& world) {
        const auto loss = [&](const Tensor& x) -> Tensor {
          if (world.rank() == 0) {
            for (int i = 1; i <= 4; ++i) send(x * float(i), world, 1);
            return tensor(0.F);
          }
          const AsyncTensor first = recv({1}, DType::f32, world, 0);
          const auto both =
              batch_send_recv({}, {{{1}, DType::f32, 0}, {{1}, DType::f32, 0}}, world);
          const AsyncTensor last = recv({1}, DType::f32, world, 0);
          const Tensor total = last * 1000.F + both[1] * 100.F + both[0] * 10.F;
          return sum(total + first * x);
        };
        const Tensor slope = grad(loss)(tensor({2.F}));
        EXPECT_EQ(slope.item<float>(), world.rank() == 0 ? 2 + 20 + 300 + 4000 : 2);
      },
      kQuickly);
}

TEST(MessageGradient, OfGradients) {
  simulate(
      2,
      [](World& world) {
        const std::int64_t peer = 1 - world.rank();
        // a^3 b^2 on rank 1, which knows b, of what rank 0, which knows a, sends.
        const auto value = [&](const Tensor& x) -> Tensor {
          if (world.rank() == 0) {
            send(x * x * x, world, peer);
            return tensor(0.F);
          }
          return sum(recv({}, DType::f32, world, peer) * x * x);
        };
        // On rank 0 the derivative by a of 3 a^2 b^2, on rank 1 that of it by b, and both that of
        // 2 a^3 b.
        const auto slope = [&](const Tensor& x) { return grad(value)(x); };
        const float a = 2;
        const float b = 5;
        const Tensor curvature = grad(slope)(tensor(world.rank() == 0 ? a : b));
        EXPECT_EQ(curvature.item<float>(), world.rank() == 0 ? 6 * a * b * b + 6 * a * a * b
                                                             : 6 * a * a * b + 2 * a * a * a);
      },
      kQuickly);
}

TEST(MessageGradient, OnOneSideAloneIsAnErrorOnBoth) {
  const auto body = [](World& world) {
    const auto loss = [&](const Tensor& x) {
      send(x, world, 1);
      return sum(x);
    };
    if (world.rank() == 0) eval(grad(loss)(tensor({1.F})));
    if (world.rank() == 1) eval(recv({1}, DType::f32, world, 0));
  };
  EXPECT_THAT([&] { simulate(2, body, kQuickly); },
              testing::ThrowsMessage<CommError>(
                  testing::AllOf(testing::HasSubstr("send f32[1] to rank 1 inside of 1 gradient"),
                                 testing::HasSubstr("recv f32[1] from rank 0 ("))));
}

TEST(MessageGradient, IsRefusedWhereMessagesAreNotAnswered) {
  simulate(2, [](World& world) {
    const std::int64_t peer = 1 - world.rank();
    const auto receives = [&](const Tensor& x) {
      return sum(x * recv({1}, DType::f32, world, peer));
    };
    const unsigned line = std::source_location::current().line() - 2;
    const auto refuse = [&](const auto& f) {
      // What was recorded before is a message all the same.
      send(tensor({1.F}), world, peer);
      expect_error<TypeError>([&] { f(tensor({1.F})); },
                              {"recv has no gradient here", "collective_permute", "pipeline stage"},
                              line);
    };
    refuse([&](const Tensor& x) { vjp(receives)(x); });
    refuse([&](const Tensor& x) { jvp(receives)(x, x); });
    refuse([&](const Tensor& x) { grad(checkpoint(receives))(x); });
    refuse([&](const Tensor& x) {
      grad([&](const Tensor& y) {
        return for_loop(
            1, [&](const Tensor&, const Tensor& carry) -> Tensor { return carry + receives(y); },
            tensor(0.F));
      })(x);
    });
  });
}

// What is sent has no derivative then, and none is lost.
TEST(MessageGradient, AVjpMaySendWhatHasNone) {
  simulate(
      2,
      [](World& world) {
        const auto loss = [&](const Tensor& x) {
          if (world.rank() == 0) {
            for (const Tensor& each : {floor(x), sign(x), zeros_like(x), stop_gradient(x)}) {
              send(each, world, 1);
            }
          }
          return x * x;
        };
        const auto [value, pullback] = vjp(loss)(tensor({2.5F}));
        EXPECT_EQ(pullback(ones_like(value)).to_vector<float>(), Floats({5}));
        if (world.rank() == 1) {
          for (const float sent : {2.F, 1.F, 0.F, 2.5F}) {
            EXPECT_EQ(recv({1}, DType::f32, world, 0).to_vector<float>(), Floats({sent}));
          }
        }
      },
      kQuickly);
}

}  // namespace
}  // namespace tutti::test::message_gradient_test
