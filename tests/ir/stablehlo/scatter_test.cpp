#include <string>
#include <vector>

#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

// Updates of elements and windows at places.
namespace tutti::ir::stablehlo_scatter_test {
namespace {

using test::f32;
using test::has;
using test::i32;
using test::refusal;
using test::run_one;
using test::run_stablehlo;
using test::stablehlo_function;
using testing::HasSubstr;

std::string scatter(const std::string& region, const std::string& unique) {
  return R"(
    %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = )" +
         unique + R"(}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
)" + region +
         R"(
    }) : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>)";
}

TEST(StablehloScatter, TakesUpdatesInOrderAndDropsThoseOutside) {
  const std::string arguments = "%x: tensor<4xi32>, %i: tensor<5x1xi32>, %u: tensor<5xi32>";
  const std::vector<Array> values = {i32({10, 20, 30, 40}), i32({2, 0, 2, 4, -1}, {5, 1}),
                                     i32({5, 6, 7, 8, 9})};
  const auto of = [&](const std::string& region) {
    return run_one(arguments, "tensor<4xi32>", scatter(region, "false"), values);
  };
  EXPECT_EQ(of("stablehlo.return %b : tensor<i32>"), i32({6, 20, 7, 40}));
  EXPECT_EQ(of("%1 = stablehlo.add %a, %b : tensor<i32>\nstablehlo.return %1 : tensor<i32>"),
            i32({16, 20, 42, 40}));
  EXPECT_EQ(of("%1 = stablehlo.multiply %a, %b : tensor<i32>\nstablehlo.return %1 : tensor<i32>"),
            i32({60, 20, 30 * 35, 40}));
  EXPECT_EQ(of("%1 = stablehlo.xor %b, %a : tensor<i32>\nstablehlo.return %1 : tensor<i32>"),
            i32({10 ^ 6, 20, 30 ^ 5 ^ 7, 40}));
  EXPECT_EQ(of("%1 = stablehlo.subtract %a, %b : tensor<i32>\nstablehlo.return %1 : tensor<i32>"),
            i32({4, 20, 18, 40}));
  EXPECT_THAT(refusal(stablehlo_function(
                  arguments, "tensor<4xi32>",
                  scatter("%1 = stablehlo.divide %a, %b : tensor<i32>\nstablehlo.return %1 : "
                          "tensor<i32>",
                          "false"))),
              HasSubstr("one after another"));
  EXPECT_THAT(refusal(stablehlo_function(
                  arguments, "tensor<4xi32>",
                  scatter("%1 = stablehlo.add %b, %b : tensor<i32>\n%2 = stablehlo.add %a, %1 : "
                          "tensor<i32>\nstablehlo.return %2 : tensor<i32>",
                          "false"))),
              HasSubstr("one after another"));
  EXPECT_THAT(refusal(stablehlo_function(
                  arguments, "tensor<4xi32>",
                  scatter("%1 = stablehlo.negate %a : tensor<i32>\nstablehlo.return %1 : "
                          "tensor<i32>",
                          "false"))),
              HasSubstr("does not use the update"));
}

TEST(StablehloScatter, MaySayHowUpdatesAreSharded) {
  EXPECT_EQ(run_one("%x: tensor<4xi32>, %i: tensor<5x1xi32>, %u: tensor<5xi32>", "tensor<4xi32>",
                    scatter("%1 = sdy.sharding_constraint %b <@mesh, []> : tensor<i32>\n"
                            "stablehlo.return %1 : tensor<i32>",
                            "false"),
                    {i32({10, 20, 30, 40}), i32({2, 0, 2, 4, -1}, {5, 1}), i32({5, 6, 7, 8, 9})}),
            i32({6, 20, 7, 40}));
}

// A region that is refused, and not followed without end.
TEST(StablehloScatter, RefusesAValueMadeOfItself) {
  const std::string region =
      "%1 = stablehlo.add %a, %b : tensor<i32>\n%2 = stablehlo.convert %2 : tensor<i32>\n"
      "stablehlo.return %2 : tensor<i32>";
  EXPECT_THAT(
      refusal(stablehlo_function("%x: tensor<4xi32>, %i: tensor<5x1xi32>, %u: tensor<5xi32>",
                                 "tensor<4xi32>", scatter(region, "false"))),
      HasSubstr("one after another"));
}

// Of updates of one index pairs are compared first, which nothing but an order allows.
TEST(StablehloScatter, ChoosesByAnOrder) {
  const auto program = [](const std::string& predicate) {
    return stablehlo_function("%x: tensor<4xi32>, %i: tensor<5x1xi32>, %u: tensor<5xi32>",
                              "tensor<4xi32>",
                              scatter(R"(
      %n = stablehlo.negate %a : tensor<i32>
      %m = stablehlo.negate %b : tensor<i32>
      %p = stablehlo.compare )" + predicate +
                                          R"(, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<i32>
      stablehlo.return %s : tensor<i32>)",
                                      "false"));
  };
  for (const std::string predicate : {"LT, %a, %b", "GT, %n, %m", "GE, %b, %a"}) {
    EXPECT_EQ(
        run_stablehlo(program(predicate), {i32({10, 20, 30, 40}), i32({2, 0, 2, 4, -1}, {5, 1}),
                                           i32({5, 6, 7, 8, 9})})[0],
        i32({6, 20, 5, 40}))
        << predicate;
  }
  // These are none.
  for (const std::string predicate : {"LT, %n, %b", "EQ, %a, %b", "LT, %a, %a"}) {
    EXPECT_THAT(refusal(program(predicate)), HasSubstr("one after another")) << predicate;
  }
}

// A part is changed, which loops do in place.
TEST(StablehloScatter, OfOneIndexIsAnUpdateOfAPart) {
  const auto program = [](const std::string& region) {
    return stablehlo_function("%x: tensor<4x3xi32>, %i: tensor<2xi32>, %u: tensor<2xi32>",
                              "tensor<4x3xi32>", R"(
    %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1, 0]>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
)" + region + R"(
    }) : (tensor<4x3xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x3xi32>
    return %0 : tensor<4x3xi32>)");
  };
  const std::string set = program("stablehlo.return %b : tensor<i32>");
  EXPECT_TRUE(has(test::import_main(set), Op::dynamic_update_slice));
  EXPECT_FALSE(has(test::import_main(set), Op::scatter_add));
  const Array x = i32({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {4, 3});
  const auto of = [&](const std::string& text, std::vector<std::int32_t> index) {
    return run_stablehlo(text, {x, i32(std::move(index)), i32({50, 60})})[0];
  };
  EXPECT_EQ(of(set, {2, 1}), i32({0, 1, 2, 3, 4, 50, 6, 7, 60, 9, 10, 11}, {4, 3}));
  EXPECT_EQ(of(set, {0, 2}), i32({0, 1, 2, 3, 4, 5, 50, 7, 8, 60, 10, 11}, {4, 3}));
  // What does not fit as a whole is dropped.
  for (const std::vector<std::int32_t>& outside :
       {std::vector<std::int32_t>{0, 3}, {0, -1}, {3, 0}, {-1, 0}}) {
    EXPECT_EQ(of(set, outside), x);
  }
  const std::string sum =
      program("%1 = stablehlo.add %a, %b : tensor<i32>\nstablehlo.return %1 : tensor<i32>");
  EXPECT_EQ(of(sum, {2, 1}), i32({0, 1, 2, 3, 4, 55, 6, 7, 68, 9, 10, 11}, {4, 3}));
  EXPECT_EQ(of(sum, {2, 3}), x);
  const auto with_numbers = [&](const std::string& instead) {
    std::string changed = set;
    const std::string numbers = "scatter_dims_to_operand_dims = [1, 0]";
    return refusal(changed.replace(changed.find(numbers), numbers.size(), instead));
  };
  EXPECT_THAT(with_numbers("scatter_dims_to_operand_dims = [7, 0]"), HasSubstr("do not fit"));
  EXPECT_THAT(with_numbers("scatter_dims_to_operand_dims = [0, 0]"), HasSubstr("two components"));
  EXPECT_THAT(with_numbers("scatter_dims_to_operand_dims = [1, 0], index_vector_dim = -1"),
              HasSubstr("do not fit"));
}

TEST(StablehloScatter, SeveralOperandsShareOneRegion) {
  const auto program = [](const std::string& region) {
    return stablehlo_function(
        "%x: tensor<3xi32>, %y: tensor<3xf32>, %i: tensor<4x1xi32>, %u: tensor<4xi32>, "
        "%v: tensor<4xf32>",
        "tensor<3xi32>, tensor<3xf32>", R"(
    %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<f32>):
      %1 = stablehlo.compare GE, %a, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
)" + region + R"(
      stablehlo.return %2, %3 : tensor<i32>, tensor<f32>
    }) : (tensor<3xi32>, tensor<3xf32>, tensor<4x1xi32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<3xi32>, tensor<3xf32>)
    return %0#0, %0#1 : tensor<3xi32>, tensor<3xf32>)");
  };
  const std::string larger = "%2 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<i32>\n";
  // The largest update, and where it came from.
  const std::string with_place = "%3 = stablehlo.select %1, %b, %d : tensor<i1>, tensor<f32>";
  // As argmax: of equal ones the first place.
  const std::string argmax = R"(
      %4 = stablehlo.compare GT, %a, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %5 = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.or %4, %5 : tensor<i1>
      %7 = stablehlo.compare EQ, %a, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %8 = stablehlo.compare LT, %b, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %9 = stablehlo.and %7, %8 : tensor<i1>
      %10 = stablehlo.or %6, %9 : tensor<i1>
      %2 = stablehlo.select %6, %a, %c : tensor<i1>, tensor<i32>
      %3 = stablehlo.select %10, %b, %d : tensor<i1>, tensor<f32>)";
  for (const std::string& region : {larger + with_place, argmax}) {
    const std::vector<Array> out =
        run_stablehlo(program(region), {i32({5, 5, 5}), f32({1, 2, 3}), i32({2, 0, 2, 0}, {4, 1}),
                                        i32({7, 4, 9, 3}), f32({10, 20, 30, 40})});
    EXPECT_EQ(out[0], i32({5, 5, 9}));
    EXPECT_EQ(out[1], f32({1, 2, 30}));
  }
  // The other one's place, and the place of something else.
  EXPECT_THAT(refusal(program(larger + "%3 = stablehlo.select %1, %d, %b : tensor<i1>, "
                                       "tensor<f32>")),
              HasSubstr("one after another"));
  EXPECT_THAT(refusal(program("%2 = stablehlo.add %a, %c : tensor<i32>\n" + with_place)),
              HasSubstr("one after another"));
}

// The last operand's choice asks for the second one's, which goes with the first alone.
TEST(StablehloScatter, RefusesChoicesByWhatIsNotChosenAlike) {
  const std::string text = stablehlo_function(
      "%x: tensor<3xi32>, %y: tensor<3xi32>, %z: tensor<3xf32>, %i: tensor<4x1xi32>, "
      "%u: tensor<4xi32>, %v: tensor<4xi32>, %w: tensor<4xf32>",
      "tensor<3xi32>, tensor<3xi32>, tensor<3xf32>", R"(
    %0:3 = "stablehlo.scatter"(%x, %y, %z, %i, %u, %v, %w) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>, %e: tensor<i32>, %f: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %2 = stablehlo.compare EQ, %a, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare LT, %b, %e, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.and %2, %3 : tensor<i1>
      %5 = stablehlo.or %1, %4 : tensor<i1>
      %6 = stablehlo.select %1, %a, %d : tensor<i1>, tensor<i32>
      %7 = stablehlo.select %1, %b, %e : tensor<i1>, tensor<i32>
      %8 = stablehlo.select %5, %c, %f : tensor<i1>, tensor<f32>
      stablehlo.return %6, %7, %8 : tensor<i32>, tensor<i32>, tensor<f32>
    }) : (tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<4x1xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xf32>)
    return %0#0, %0#1, %0#2 : tensor<3xi32>, tensor<3xi32>, tensor<3xf32>)");
  EXPECT_THAT(refusal(text), HasSubstr("one after another"));
}

// As of dynamic_update_slice under vmap: a window for each row of the batch, in the order of the
// windows, those that stick out being dropped. Few are written one after another, more by a loop.
TEST(StablehloScatter, PutsWindowsOfABatchOneAfterAnother) {
  for (const std::int64_t batch : {3, 40}) {
    const std::int64_t length = 700;
    const std::string b = std::to_string(batch);
    const std::string x_type = "tensor<" + b + "x700x2xf32>";
    const std::string u_type = "tensor<" + b + "x3x2xf32>";
    const std::string text = R"(
    %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) : ()" + x_type + ", tensor<" +
                             b + "x2xi32>, " + u_type + ") -> " + x_type +
                             "\n    return %0 : " + x_type;
    std::vector<float> x(static_cast<std::size_t>(batch * length * 2));
    std::vector<float> updates(static_cast<std::size_t>(batch * 6));
    std::vector<std::int32_t> starts;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97);
    for (std::size_t i = 0; i < updates.size(); ++i) updates[i] = -1 - static_cast<float>(i);
    std::vector<float> expected = x;
    for (std::int64_t row = 0; row < batch; ++row) {
      // One in seven sticks out, one in five in the dimension of which it has all.
      const std::int64_t start = row % 7 == 2 ? length - 2 : row * 13;
      const std::int64_t other = row % 5 == 1 ? 1 : 0;
      starts.push_back(static_cast<std::int32_t>(start));
      starts.push_back(static_cast<std::int32_t>(other));
      if (start > length - 3 || other != 0) continue;
      for (std::int64_t k = 0; k < 6; ++k) {
        expected[static_cast<std::size_t>((row * length + start) * 2 + k)] =
            updates[static_cast<std::size_t>(row * 6 + k)];
      }
    }
    EXPECT_EQ(
        run_one("%x: " + x_type + ", %i: tensor<" + b + "x2xi32>, %u: " + u_type, x_type, text,
                {f32(x, {batch, length, 2}), i32(starts, {batch, 2}), f32(updates, {batch, 3, 2})}),
        f32(expected, {batch, length, 2}));
  }
}

}  // namespace
}  // namespace tutti::ir::stablehlo_scatter_test
