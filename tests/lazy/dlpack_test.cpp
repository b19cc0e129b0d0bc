#include <array>
#include <cstring>
#include <memory>
#include <thread>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/host_accelerator.h"

// Tensors of other frameworks, and ours for them.
namespace tutti::test::dlpack_test {
namespace {

using dlpack::DeviceType;
using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;
using dlpack::TypeCode;

// Another framework's tensor, which counts how often it was given back.
struct Foreign {
  std::vector<float> values;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  int given_back = 0;
  ManagedTensorVersioned managed;

  Foreign(std::vector<float> elements, std::vector<std::int64_t> sizes)
      : values(std::move(elements)), shape(std::move(sizes)) {
    managed.owner = this;
    managed.deleter = [](ManagedTensorVersioned* self) {
      ++static_cast<Foreign*>(self->owner)->given_back;
    };
    managed.tensor.data = values.data();
    managed.tensor.rank = static_cast<std::int32_t>(shape.size());
    managed.tensor.shape = shape.data();
  }
  Foreign(const Foreign&) = delete;  // others point to it
  Foreign& operator=(const Foreign&) = delete;
  void set_strides(std::vector<std::int64_t> given, std::size_t offset = 0) {
    strides = std::move(given);
    managed.tensor.strides = strides.data();
    managed.tensor.byte_offset = offset * sizeof(float);
  }
};

const void* memory_of(const Tensor& x) { return x.state()->buffer->data(); }

template <class Managed>
std::shared_ptr<Managed> held(Managed* managed) {
  return {managed, managed->deleter};
}

TEST(FromDlpack, LooksAtTheMemoryUntilTheLastTensorIsGone) {
  Foreign foreign({1, 2, 3, 4, 5, 6}, {2, 3});
  {
    const Tensor x = from_dlpack(&foreign.managed);
    EXPECT_EQ(memory_of(x), foreign.values.data());
    EXPECT_EQ(x.shape(), Shape({2, 3}));
    EXPECT_EQ((x * 2.F).to_vector<float>(), Floats({2, 4, 6, 8, 10, 12}));
    EXPECT_EQ(foreign.given_back, 0);
  }
  EXPECT_EQ(foreign.given_back, 1);
}

TEST(FromDlpack, IsNeverWritten) {
  Foreign foreign({1, 2, 3}, {3});
  auto step = compile([](const Tensor& x) { return x * 2.F; });
  Tensor x = from_dlpack(&foreign.managed);
  for (int i = 0; i < 3; ++i) x = step(std::move(x));
  EXPECT_EQ(x.to_vector<float>(), Floats({8, 16, 24}));
  EXPECT_EQ(foreign.values, Floats({1, 2, 3}));
  EXPECT_EQ(foreign.given_back, 1);
}

// Peers may read it until they are done: it is given back when they are, or the World ends.
TEST(FromDlpack, GoesToPeers) {
  Foreign first(Floats(100'000, 1), {100'000});
  Foreign second(Floats(100'000, 2), {100'000});
  simulate(2, [&](World& world) {
    Foreign& own = world.rank() == 0 ? first : second;
    const Tensor sum = all_reduce(from_dlpack(&own.managed), world);
    EXPECT_EQ(sum.to_vector<float>(), Floats(100'000, 3));
  });
  EXPECT_EQ(first.given_back, 1);
  EXPECT_EQ(second.given_back, 1);
}

TEST(FromDlpack, GathersWhatDoesNotLieInOrder) {
  {
    Foreign transposed({1, 2, 3, 4, 5, 6}, {3, 2});
    transposed.set_strides({1, 3});
    EXPECT_EQ(from_dlpack(&transposed.managed).to_vector<float>(), Floats({1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(transposed.given_back, 1);  // a copy needs it no longer
  }
  {
    Foreign backwards({1, 2, 3}, {3});
    backwards.set_strides({-1}, 2);
    EXPECT_EQ(from_dlpack(&backwards.managed).to_vector<float>(), Floats({3, 2, 1}));
  }
  {
    Foreign repeated({7}, {2, 2});
    repeated.set_strides({0, 0});
    EXPECT_EQ(from_dlpack(&repeated.managed).to_vector<float>(), Floats({7, 7, 7, 7}));
  }
  {
    Foreign unaligned({0, 0, 0}, {2});
    const std::array values = {1.F, 2.F};
    auto* const at = reinterpret_cast<std::byte*>(unaligned.values.data()) + 1;
    std::memcpy(at, values.data(), sizeof(values));
    unaligned.managed.tensor.byte_offset = 1;
    EXPECT_EQ(from_dlpack(&unaligned.managed).to_vector<float>(), Floats({1, 2}));
  }
}

// Kernels of a GPU read 16 bytes and more at once.
TEST(FromDlpack, CopiesOnAGpuWhatDoesNotBeginWhereItsMemoryDoes) {
  simulate(1, [](World& world) {
    world.context()->runtime().use(std::make_unique<HostAccelerator>(Device::cuda(0)));
    Foreign foreign(Floats(256, 0), {2});
    foreign.managed.tensor.device = {DeviceType::cuda, 0};
    const auto past = reinterpret_cast<std::uintptr_t>(foreign.values.data()) % 256;
    const std::size_t first = (256 - past) % 256 / sizeof(float);
    for (std::size_t i = 0; i < 3; ++i) foreign.values[first + i] = static_cast<float>(i);
    foreign.managed.tensor.byte_offset = first * sizeof(float);
    {
      const Tensor x = from_dlpack(&foreign.managed);
      EXPECT_EQ(memory_of(x), &foreign.values[first]);
      EXPECT_EQ(foreign.given_back, 0);
    }
    EXPECT_EQ(foreign.given_back, 1);

    foreign.managed.tensor.byte_offset += sizeof(float);
    const Tensor x = from_dlpack(&foreign.managed);
    EXPECT_EQ(foreign.given_back, 2);
    foreign.values.assign(foreign.values.size(), 0);  // the owner's again
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory_of(x)) % 256, 0U);
    EXPECT_EQ(x.device(), Device::cuda(0));
    EXPECT_EQ(x.to_vector<float>(), Floats({1, 2}));
  });
}

TEST(FromDlpack, AxesOfOneElementMayHaveAnyStride) {
  Foreign foreign({1, 2}, {1, 2});
  foreign.set_strides({99, 1});
  EXPECT_EQ(memory_of(from_dlpack(&foreign.managed)), foreign.values.data());
}

TEST(FromDlpack, RefusesWhatTuttiDoesNotHaveAndGivesItBack) {
  const auto refused = [](const std::function<void(Foreign&)>& change, const std::string& part) {
    SCOPED_TRACE(part);
    Foreign foreign({1, 2, 3, 4}, {4});
    change(foreign);
    expect_error<TypeError>([&] { from_dlpack(&foreign.managed); }, {"from_dlpack: ", part},
                            kNowhere);
    EXPECT_EQ(foreign.given_back, 1);
  };
  refused([](Foreign& f) { f.managed.tensor.dtype = {TypeCode(5), 64, 1}; }, "type code 5 with 64");
  refused([](Foreign& f) { f.managed.tensor.dtype.lanes = 4; }, "4 lanes");
  refused([](Foreign& f) { f.managed.tensor.dtype.bits = 24; }, "24 bits");
  refused([](Foreign& f) { f.managed.tensor.rank = 9; }, "a tensor of rank 9");
  refused([](Foreign& f) { f.managed.tensor.rank = -1; }, "a tensor of rank -1");
  refused([](Foreign& f) { f.managed.tensor.shape = nullptr; }, "a tensor of rank 1");
  refused([](Foreign& f) { f.shape[0] = -4; }, "-4");
  refused([](Foreign& f) { f.managed.tensor.data = nullptr; }, "the pointer is null");
  refused([](Foreign& f) { f.managed.tensor.device.type = DeviceType(10); }, "device type 10");
  refused(
      [](Foreign& f) {
        f.managed.tensor.dtype = {TypeCode::boolean, 8, 1};
        f.values[0] = 1e30F;
      },
      "a bool that is neither 0 nor 1");

  Foreign newer({1}, {1});
  newer.managed.version.major = 2;
  expect_error<UsageError>([&] { from_dlpack(&newer.managed); }, {"DLPack 2.1 is not 1"});
  EXPECT_EQ(newer.given_back, 1);
  ManagedTensor* const none = nullptr;
  expect_error<UsageError>([&] { from_dlpack(none); }, {"the pointer is null"});
}

TEST(ToDlpack, LendsTheMemoryReadOnly) {
  Tensor x = tensor({{1.F, 2.F}, {3.F, 4.F}});
  const auto lent = held(to_dlpack(x));
  EXPECT_EQ(lent->version.major, 1U);
  EXPECT_EQ(lent->flags, dlpack::kReadOnly);
  EXPECT_EQ(lent->tensor.data, memory_of(x));
  EXPECT_EQ(lent->tensor.rank, 2);
  EXPECT_EQ(lent->tensor.shape[1], 2);
  EXPECT_EQ(lent->tensor.strides[0], 2);
  // Nothing takes the memory over meanwhile, and it outlives the tensor.
  auto step = compile([](const Tensor& y) { return y * 2.F; });
  for (int i = 0; i < 3; ++i) x = step(std::move(x));
  const auto* const data = static_cast<const float*>(lent->tensor.data);
  EXPECT_THAT(std::vector(data, data + 4), testing::ElementsAre(1, 2, 3, 4));
}

TEST(ToDlpack, WithoutVersionsGivesACopyToWriteTo) {
  const Tensor x = tensor({1.F, 2.F});
  const auto copy = held(to_unversioned_dlpack(x));
  static_cast<float*>(copy->tensor.data)[0] = 9;
  EXPECT_EQ(x.to_vector<float>(), Floats({1, 2}));
}

TEST(ToDlpack, MayBeGivenBackOnAnotherThreadAfterTheWorld) {
  ManagedTensorVersioned* lent = nullptr;
  simulate(1, [&](World&) { lent = to_dlpack(tensor({1.F, 2.F}) + 1.F); });
  EXPECT_EQ(static_cast<const float*>(lent->tensor.data)[1], 3);
  std::thread([&] { lent->deleter(lent); }).join();
}

TEST(ToDlpack, EveryDtypeAndShapeComesBack) {
  for (int i = 0; i < kDTypeCount; ++i) {
    for (const Shape& shape : {Shape(), Shape({3}), Shape({0, 2}), Shape({2, 1, 2})}) {
      const Tensor x = zeros(shape, static_cast<DType>(i));
      const Tensor same = from_dlpack(to_dlpack(x));
      EXPECT_EQ(same.array(), x.array());
      EXPECT_EQ(from_dlpack(to_unversioned_dlpack(x)).array(), x.array());
    }
  }
}

}  // namespace
}  // namespace tutti::test::dlpack_test
