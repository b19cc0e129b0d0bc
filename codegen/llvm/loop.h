#pragma once

#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// A counted loop under construction: for (index = begin; index < end; index += step). It runs at
// least once. Values that it carries from one round to the next are phis of the header.
//
//   Loop loop(ir, "row", begin, {initial...});
//   ... emit the body with loop.index() and loop.carried() ...
//   finals = loop.close(end, step, {next...});
class Loop {
 public:
  Loop(llvm::IRBuilder<>& ir, const std::string& name, llvm::Value* begin,
       const std::vector<llvm::Value*>& initial);

  llvm::Value* index() const { return index_; }
  std::vector<llvm::Value*> carried() const { return {carried_.begin(), carried_.end()}; }

  // Ends the body; code goes on behind the loop. The values returned are those of the last round.
  std::vector<llvm::Value*> close(llvm::Value* end, std::int64_t step,
                                  const std::vector<llvm::Value*>& next);

 private:
  llvm::IRBuilder<>& ir_;
  llvm::BasicBlock* header_;
  llvm::PHINode* index_;
  std::vector<llvm::PHINode*> carried_;
};

}  // namespace tutti::codegen::native
