// What NcclTransport does for kernels that go with calls (Companions).

#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/kernel.h>
#include <tutti/runtime/cuda/nccl_transport.h>
#include <tutti/runtime/cuda/nccl_work.h>
#include <tutti/runtime/log.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime {

Companions NcclTransport::companions_in(const NcclWork& work, std::span<const PeerLaunch> own) {
  const Companions out = {.leader = work.leader_ != nullptr, .follower = work.follower != nullptr};
  if (!out.any() || !takes_companions(own)) return {};
  try {
    work.kernels_with_companions().with(own[0].kernel, out, work.gpu_->target());
    return out;
  } catch (const EnvironmentError& error) {
    // The others, who wait in their kernels by now, meet the plain one as well.
    if (not_fused_ != error.what()) {
      not_fused_ = error.what();
      Log::process().write(LogTopic::gpu, -1,
                           "what goes with " + work.call().call().description +
                               " is launched on its own: " + not_fused_);
    }
    return {};
  }
}

void NcclTransport::launch_fused(NcclWork& work, const PeerLaunch& own, Companions companions,
                                 const std::shared_ptr<PeerMemory>& peers, Keeping& buffers) {
  std::vector<void*> arguments;
  if (companions.leader) {
    arguments = work.leader_->arguments;
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(work.leader_->operand));
    buffers.insert(buffers.end(), work.leader_->held.begin(), work.leader_->held.end());
  }
  if (companions.follower) {
    const BoundFollower& follower = *work.follower;
    arguments.insert(arguments.end(), follower.arguments.begin(), follower.arguments.end());
    buffers.insert(buffers.end(), follower.held.begin(), follower.held.end());
  }
  own_kernels_->launch(own, work.kernels_with_companions(), companions, arguments, peers,
                       *work.gpu_, work.gpu_->lane()->handle(), buffers);
  if (companions.follower) work.follower->done = true;
}

// On the lane: what the GPU's own stream has by now needs not come before it.
void NcclTransport::launch_leader(const NcclWork& work, Keeping& buffers) {
  const BoundLeader& leader = *work.leader_;
  const auto code = of_cuda(leader.alone);
  buffers.insert(buffers.end(), leader.held.begin(), leader.held.end());
  buffers.emplace_back(code, nullptr);
  code->launch_on(work.gpu_->lane()->handle(), *work.gpu_->stream(), leader.arguments.data());
}

void NcclTransport::lead_now(GroupWork& work) noexcept {
  auto& own = static_cast<NcclWork&>(work);
  const std::shared_ptr<const BoundLeader> leader = std::exchange(own.leader_, nullptr);
  try {
    if (leader == nullptr) return own.joined();  // it is on the lane
    const CudaStream::Entered entered = own.gpu_->stream()->enter();
    leader->alone->launch(*own.gpu_, leader->arguments.data());
    own.ready_->record();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

}  // namespace tutti::runtime
