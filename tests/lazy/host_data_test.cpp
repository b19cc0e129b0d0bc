#include <algorithm>
#include <type_traits>

#include "tests/lazy/lazy_testing.h"

// Elements that are looked at where they lie.
namespace tutti::test::host_data_test {
namespace {

TEST(HostData, IsTheTensorsOwnMemory) {
  const Tensor x = tensor({{1.F, 2.F}, {3.F, 4.F}});
  const auto data = x.host<float>();
  EXPECT_EQ(data.data(), static_cast<const void*>(x.state()->buffer->data()));
  EXPECT_THAT(data, testing::ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(data.shape(), Shape({2, 2}));
  EXPECT_EQ(data.size(), 4U);
  EXPECT_EQ(data[2], 3);
  const std::span<const float> span = data;
  EXPECT_EQ(span.size(), 4U);
}

TEST(HostData, OfACopyHoldsThatOne) {
  const Tensor x = tensor({1, 2, 3}) * 2;
  EXPECT_EQ(x.array().data<std::int32_t>()[1], 4);
  EXPECT_THAT(x.array().data<std::int32_t>(), testing::ElementsAre(2, 4, 6));
}

TEST(HostData, ComputesWhatIsRecorded) {
  const Tensor x = tensor({1, 2, 3}) * 2;
  EXPECT_THAT(x.host<std::int32_t>(), testing::ElementsAre(2, 4, 6));
  EXPECT_THAT((x > 3).host<bool>(), testing::ElementsAre(false, true, true));
}

TEST(HostData, OutlivesTheTensor) {
  const auto data = [] { return (tensor({1.F, 2.F}) + 1.F).host<float>(); }();
  EXPECT_THAT(data, testing::ElementsAre(2, 3));
}

TEST(HostData, KeepsItsTensorFromBeingDonated) {
  auto step = compile([](const Tensor& x) { return x * 2.F; });
  Tensor x = from(Floats{1, 2, 3}, {3});
  for (int i = 0; i < 3; ++i) {
    const auto before = x.host<float>();
    const Floats copy(before.begin(), before.end());
    x = step(std::move(x));
    EXPECT_TRUE(std::ranges::equal(before, copy));
  }
  EXPECT_THAT(x.host<float>(), testing::ElementsAre(8, 16, 24));
}

TEST(HostData, OfAnAsyncTensorWaits) {
  simulate(2, [](World& world) {
    const AsyncTensor sum = all_reduce(tensor({1.F, 2.F}), world);
    EXPECT_THAT(sum.host<float>(), testing::ElementsAre(2, 4));
  });
}

TEST(HostData, OtherTypesAreRefused) {
  const Tensor x = tensor({1.F});
  expect_error<TypeError>([&] { x.host<double>(); }, {"f32", "read as f64"});
  expect_error<UsageError>([] { Tensor().host<float>(); }, {"never given a value"});
}

// A span of one without a name would outlive its memory.
static_assert(std::is_convertible_v<HostData<float>&, std::span<const float>>);
static_assert(!std::is_convertible_v<HostData<float>, std::span<const float>>);

}  // namespace
}  // namespace tutti::test::host_data_test
