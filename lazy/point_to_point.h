#pragma once

#include <tutti/lazy/operand.h>
#include <tutti/lazy/world.h>

#include <cstdint>
#include <source_location>
#include <vector>

// Messages from one rank to another. Like every collective they are recorded and issued in the
// order of the program, whether or not anybody looks at a result; the ranks' programs may differ.
// The messages from one rank to another match in the order in which the one sends and the other
// receives them, whatever else their group does. Sending waits for nothing: a rank may send first
// and receive then, or the other way round.
//
// `to` and `from` are positions among the group's members. TypeError: a position outside of the
// group, or this rank's own; at the evaluation CommError where dtypes or shapes of the two sides
// differ.
//
// Straight in a function that grad or value_and_grad differentiates on both ranks, messages have
// gradients: for what a rank receives it sends the cotangent back, and it adds what comes back of
// what it sent. That both do is compared with the message, so one that does alone is a CommError.
// In vjp and jvp, loops, branches, checkpoints and custom_vjp there is none: use
// collective_permute, or differentiate each pipeline stage for itself.
namespace tutti {

// Sends a tensor, of any shape and dtype.
void send(const Operand& x, const Group& group, std::int64_t to);

// The tensor of that shape and dtype that comes from position `from`; varies between ranks. It lies
// on the rank's default device.
AsyncTensor recv(const Shape& shape, DType dtype, const Group& group, std::int64_t from,
                 std::source_location at = std::source_location::current());

// One tensor that goes to position `to`, and one that comes from position `from`.
struct Send {
  Operand tensor;
  std::int64_t to;
};
struct Receive {
  Shape shape;
  DType dtype;
  std::int64_t from;
};

// Several messages, started together before any of them is waited for; the tensors that come, in
// the order of `receives`. Dtypes may differ. All lie on one device, if nothing is sent on the
// default one.
std::vector<AsyncTensor> batch_send_recv(const std::vector<Send>& sends,
                                         const std::vector<Receive>& receives, const Group& group,
                                         std::source_location at = std::source_location::current());

}  // namespace tutti
