#include <tutti/codegen/llvm/optimize.h>

#include <utility>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace tutti::codegen::native {

namespace {

llvm::FunctionPassManager make_passes() {
  llvm::FunctionPassManager out;
  out.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  out.addPass(llvm::SCCPPass());
  out.addPass(llvm::SimplifyCFGPass());
  out.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  out.addPass(llvm::EarlyCSEPass(true));
  out.addPass(llvm::InstCombinePass());
  out.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                    /*UseMemorySSA=*/true));
  out.addPass(llvm::GVNPass());
  out.addPass(llvm::DSEPass());
  out.addPass(llvm::InstCombinePass());
  out.addPass(llvm::ADCEPass());
  out.addPass(llvm::SimplifyCFGPass());
  return out;
}

}  // namespace

void optimize(llvm::Module& module, std::span<llvm::Function* const> functions) {
  if (functions.empty()) return;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager analyses;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  // Knowing no function of the C library, LLVM replaces no call by another.
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  analyses.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(analyses);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, analyses, components, modules);
  llvm::AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, modules);
  llvm::FunctionPassManager passes = make_passes();
  for (llvm::Function* const function : functions) passes.run(*function, analyses);
}

}  // namespace tutti::codegen::native
