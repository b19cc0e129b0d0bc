#include <tutti/codegen/llvm/loop.h>

namespace tutti::codegen::native {

Loop::Loop(llvm::IRBuilder<>& ir, const std::string& name, llvm::Value* begin,
           const std::vector<llvm::Value*>& initial)
    : ir_(ir) {
  llvm::BasicBlock* before = ir.GetInsertBlock();
  header_ = llvm::BasicBlock::Create(ir.getContext(), name, before->getParent());
  ir.CreateBr(header_);
  ir.SetInsertPoint(header_);
  index_ = ir.CreatePHI(ir.getInt64Ty(), 2, name + ".i");
  index_->addIncoming(begin, before);
  for (llvm::Value* value : initial) {
    carried_.push_back(ir.CreatePHI(value->getType(), 2, name + ".carried"));
    carried_.back()->addIncoming(value, before);
  }
}

std::vector<llvm::Value*> Loop::close(llvm::Value* end, std::int64_t step,
                                      const std::vector<llvm::Value*>& next) {
  llvm::BasicBlock* latch = ir_.GetInsertBlock();
  auto* behind =
      llvm::BasicBlock::Create(ir_.getContext(), header_->getName() + ".end", latch->getParent());
  llvm::Value* following =
      ir_.CreateAdd(index_, ir_.getInt64(static_cast<std::uint64_t>(step)), "", true, true);
  ir_.CreateCondBr(ir_.CreateICmpSLT(following, end), header_, behind);
  index_->addIncoming(following, latch);
  for (std::size_t i = 0; i < carried_.size(); ++i) carried_[i]->addIncoming(next[i], latch);
  ir_.SetInsertPoint(behind);
  return next;
}

}  // namespace tutti::codegen::native
