#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/backend_config.h>
#include <tutti/runtime/comm/unbound_backend.h>

#include <algorithm>
#include <utility>

namespace tutti::runtime {

namespace {

class UnboundCall final : public PreparedCall {
 public:
  explicit UnboundCall(CollectiveCall call) : PreparedCall(std::move(call)) {}
};

class UnboundCommunicator final : public Communicator {
 public:
  UnboundCommunicator(std::vector<std::int64_t> members, std::string tag, std::int64_t rank)
      : members_(std::move(members)),
        tag_(std::move(tag)),
        position_(static_cast<int>(std::ranges::find(members_, rank) - members_.begin())) {}

  std::shared_ptr<const PreparedCall> prepare(CollectiveCall call) override {
    return std::make_shared<const UnboundCall>(std::move(call));
  }
  std::shared_ptr<Work> start(const std::shared_ptr<const PreparedCall>& /*call*/,
                              std::span<const std::shared_ptr<Buffer>> /*operands*/,
                              const StartOptions& /*options*/) override {
    refuse();
  }
  std::shared_ptr<Work> start(CollectiveCall /*call*/,
                              std::vector<std::shared_ptr<Buffer>> /*keep_alive*/) override {
    refuse();
  }
  std::shared_ptr<RecordedCalls> record_calls(
      std::vector<std::shared_ptr<const PreparedCall>> /*calls*/, Accelerator& /*on*/) override {
    return nullptr;
  }
  bool released(std::uint64_t /*sequence*/) override { return true; }
  void wait_released(std::uint64_t /*sequence*/, const Location& /*where*/) override {}
  std::shared_ptr<SymmetricMemory> symmetric_memory(std::size_t /*bytes*/,
                                                    Accelerator* /*on*/) override {
    refuse();
  }
  std::shared_ptr<SymmetricMemory> common_memory(std::size_t /*bytes*/) override { refuse(); }
  void abort(const std::string& /*reason*/) override {}
  void abandon(const std::string& /*reason*/) override {}
  void close() override {}
  void set_timeout(std::chrono::milliseconds /*timeout*/) override {}
  const std::string& tag() const override { return tag_; }
  const std::vector<std::int64_t>& members() const override { return members_; }
  int position() const override { return position_; }

 private:
  [[noreturn]] void refuse() const {
    throw InternalError("group \"" + tag_ +
                        "\": a rank that programs are only compiled for communicates");
  }

  const std::vector<std::int64_t> members_;
  const std::string tag_;
  const int position_;
};

}  // namespace

std::shared_ptr<Communicator> UnboundBackend::communicator(std::vector<std::int64_t> members,
                                                           std::string tag,
                                                           const std::string& engine) {
  require_engine(engine, tag);
  std::shared_ptr<Communicator>& known = communicators_[{tag, members}];
  if (known == nullptr) {
    known = std::make_shared<UnboundCommunicator>(std::move(members), std::move(tag), rank_);
  }
  return known;
}

std::shared_ptr<Communicator> UnboundBackend::messages(std::vector<std::int64_t> pair,
                                                       std::string tag,
                                                       const Communicator& /*group*/) {
  return communicator(std::move(pair), std::move(tag));
}

std::shared_ptr<Buffer> UnboundBackend::allocate(std::size_t /*bytes*/,
                                                 const MemoryLabel& /*label*/) {
  throw InternalError("a rank that programs are only compiled for allocates memory for peers");
}

}  // namespace tutti::runtime
