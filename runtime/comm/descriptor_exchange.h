#pragma once

#include <tutti/runtime/descriptor.h>

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace tutti::runtime {

// Gives descriptors to other processes of this host and gets theirs: a local socket in the abstract
// name space, under a name that the system has chosen. (To fetch them from a process, pidfd_getfd,
// asks for the right to trace it, which containers often deny.) Never waits.
class DescriptorExchange {
 public:
  // What a descriptor comes with.
  struct Message {
    std::uint64_t number = 0;   // what it is, as both sides call it
    std::int64_t from = 0;      // who sends it
    std::uint64_t address = 0;  // where it lies in the sender's process
    std::uint64_t bytes = 0;
  };
  struct Received {
    Message message;
    Descriptor descriptor;  // not valid: none came
    pid_t process = 0;      // that sent it, by the system's word
  };

  // Throws EnvironmentError.
  DescriptorExchange();

  // What others send to.
  const std::string& name() const { return name_; }
  // False: there is no room at this time. Without a descriptor where that is not valid. Throws
  // EnvironmentError where the system refuses, or nobody has the name.
  bool send(const std::string& name, const Message& message, const Descriptor& descriptor) const;
  // What has come next; nothing if nothing has. What is no such message is dropped.
  std::optional<Received> receive() const;

 private:
  Descriptor socket_;
  std::string name_;
};

}  // namespace tutti::runtime
