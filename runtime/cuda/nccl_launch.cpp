#include <tutti/runtime/comm/nccl_calls.h>
#include <tutti/runtime/cuda/nccl_launch.h>
#include <tutti/runtime/cuda/nccl_pieces.h>

#include <cstddef>

namespace tutti::runtime {

std::vector<NcclCommunicator::Call> nccl_calls(const CollectiveCall& call,
                                               std::span<const PartAddresses> parts, int members,
                                               int position, CUstream stream) {
  using Handle = nccl::Communicator*;
  const auto bytes_each = static_cast<std::size_t>(size_of(call.dtype));
  const bool reduces = kernels::reduces(call.kind);
  const auto type =
      reduces ? static_cast<nccl::DataType>(nccl_number(call.dtype).value()) : nccl::DataType::u8;
  const auto operation = reduces ? static_cast<nccl::Operation>(nccl_number(call.reduction).value())
                                 : nccl::Operation::sum;
  std::vector<NcclCommunicator::Call> out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const TensorPart& part = call.parts[i];
    const auto* const operand = static_cast<const std::byte*>(parts[i].operand);
    auto* const result = static_cast<std::byte*>(parts[i].result);
    const std::size_t count = static_cast<std::size_t>(part.elements) * (reduces ? 1 : bytes_each);
    const int root = call.root;
    switch (call.kind) {
      case CollectiveKind::all_reduce:
        out.push_back({"ncclAllReduce", [=](const Nccl& nccl, Handle handle) {
                         return nccl.ncclAllReduce(operand, result, count, type, operation, handle,
                                                   stream);
                       }});
        continue;
      case CollectiveKind::reduce:
        out.push_back({"ncclReduce", [=](const Nccl& nccl, Handle handle) {
                         return nccl.ncclReduce(operand, result, count, type, operation, root,
                                                handle, stream);
                       }});
        continue;
      case CollectiveKind::broadcast:
        out.push_back({"ncclBroadcast", [=](const Nccl& nccl, Handle handle) {
                         return nccl.ncclBroadcast(operand, result, count, type, root, handle,
                                                   stream);
                       }});
        continue;
      case CollectiveKind::reduce_scatter:
        if (!part.sizes.empty()) {
          std::size_t at = 0;
          for (int member = 0; member < members; ++member) {
            const auto own =
                static_cast<std::size_t>(part.sizes[static_cast<std::size_t>(member)] * part.inner);
            const std::byte* const from = operand + at * bytes_each;
            at += own;
            if (own == 0) continue;
            void* const to = member == position ? result : nullptr;
            out.push_back({"ncclReduce", [=](const Nccl& nccl, Handle handle) {
                             return nccl.ncclReduce(from, to, own, type, operation, member, handle,
                                                    stream);
                           }});
          }
          continue;
        }
        out.push_back({"ncclReduceScatter", [=](const Nccl& nccl, Handle handle) {
                         return nccl.ncclReduceScatter(operand, result,
                                                       count / static_cast<std::size_t>(members),
                                                       type, operation, handle, stream);
                       }});
        continue;
      case CollectiveKind::all_gather:
        if (!part.sizes.empty()) break;
        out.push_back({"ncclAllGather", [=](const Nccl& nccl, Handle handle) {
                         return nccl.ncclAllGather(operand, result, count, type, handle, stream);
                       }});
        continue;
      default:
        break;
    }
    const NcclPieces pieces = nccl_pieces(call, part, members, position);
    for (const NcclPiece& piece : pieces.sent) {
      if (piece.elements == 0) continue;
      const std::byte* const from = operand + static_cast<std::size_t>(piece.offset) * bytes_each;
      const std::size_t bytes = static_cast<std::size_t>(piece.elements) * bytes_each;
      out.push_back({"ncclSend", [=, member = piece.member](const Nccl& nccl, Handle handle) {
                       return nccl.ncclSend(from, bytes, type, member, handle, stream);
                     }});
    }
    for (const NcclPiece& piece : pieces.received) {
      if (piece.elements == 0) continue;
      std::byte* const to = result + static_cast<std::size_t>(piece.offset) * bytes_each;
      const std::size_t bytes = static_cast<std::size_t>(piece.elements) * bytes_each;
      out.push_back({"ncclRecv", [=, member = piece.member](const Nccl& nccl, Handle handle) {
                       return nccl.ncclRecv(to, bytes, type, member, handle, stream);
                     }});
    }
  }
  return out;
}

}  // namespace tutti::runtime
