#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/descriptor_exchange.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tutti::runtime::descriptor_exchange_test {
namespace {

TEST(DescriptorExchange, GivesDescriptorsWithWhoSentThem) {
  const DescriptorExchange to;
  const DescriptorExchange from;
  EXPECT_NE(to.name(), from.name());
  EXPECT_FALSE(to.receive());
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor reading(ends[0]);
  const Descriptor writing(ends[1]);
  EXPECT_TRUE(from.send(to.name(), {.number = 7, .from = 3, .address = 5, .bytes = 9}, writing));
  const auto received = to.receive();
  ASSERT_TRUE(received);
  EXPECT_EQ(received->message.number, 7U);
  EXPECT_EQ(received->message.from, 3);
  EXPECT_EQ(received->message.address, 5U);
  EXPECT_EQ(received->message.bytes, 9U);
  EXPECT_EQ(received->process, getpid());
  // It is the same pipe.
  ASSERT_EQ(write(received->descriptor.number(), "x", 1), 1);
  char byte = 0;
  ASSERT_EQ(read(reading.number(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
}

TEST(DescriptorExchange, SaysWithoutOneThatThereIsNone) {
  const DescriptorExchange to;
  const DescriptorExchange from;
  EXPECT_TRUE(from.send(to.name(), {.number = 1}, Descriptor()));
  const auto received = to.receive();
  ASSERT_TRUE(received);
  EXPECT_FALSE(received->descriptor.valid());
}

TEST(DescriptorExchange, DropsWhatIsNoMessage) {
  const DescriptorExchange to;
  const Descriptor stranger(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(to.name().begin(), to.name().end(), address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + to.name().size());
  ASSERT_EQ(sendto(stranger.number(), "abc", 3, 0, reinterpret_cast<sockaddr*>(&address), size), 3);
  EXPECT_FALSE(to.receive());
}

TEST(DescriptorExchange, KeepsNoneOfSeveralThatAStrangerSends) {
  const DescriptorExchange to;
  const Descriptor stranger(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(to.name().begin(), to.name().end(), address.sun_path + 1);
  DescriptorExchange::Message message{.number = 1};
  iovec data{.iov_base = &message, .iov_len = sizeof(message)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
  msghdr header{};
  header.msg_name = &address;
  header.msg_namelen =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + to.name().size());
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(2 * sizeof(int));
  const std::array<int, 2> both = {stranger.number(), stranger.number()};
  std::memcpy(CMSG_DATA(rights), both.data(), sizeof(both));
  const auto open = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open();
  ASSERT_EQ(sendmsg(stranger.number(), &header, 0), sizeof(message));
  const auto received = to.receive();
  ASSERT_TRUE(received);
  EXPECT_FALSE(received->descriptor.valid());
  EXPECT_EQ(open(), before);
}

TEST(DescriptorExchange, AFullSocketIsTriedAgain) {
  const DescriptorExchange to;
  const DescriptorExchange from;
  int sent = 0;
  while (sent < 100'000 && from.send(to.name(), {}, Descriptor())) ++sent;
  EXPECT_LT(sent, 100'000);
  EXPECT_TRUE(to.receive());
  EXPECT_TRUE(from.send(to.name(), {}, Descriptor()));
}

TEST(DescriptorExchange, ANameThatNobodyHasIsAnError) {
  const DescriptorExchange from;
  EXPECT_THROW(from.send("nobody-at-all", {}, Descriptor()), EnvironmentError);
}

}  // namespace
}  // namespace tutti::runtime::descriptor_exchange_test
