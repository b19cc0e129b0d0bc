#pragma once

#include <tutti/codegen/library.h>
#include <tutti/kernels/host/matmul.h>

#include <cstdint>
#include <vector>

namespace tutti::codegen {

// The product of operands with these views, with as few batch dimensions as a tall product saves.
// Its operands start at the views' offsets.
kernels::Matmul matmul_spec(const ir::Type& result, const std::vector<View>& operands);

// "f32 128x64x32, batch 4"
std::string matmul_text(const kernels::Matmul& product);

// The call for a matmul whose operands have these views.
LaunchPart matmul_call(const ir::Type& result, const std::vector<View>& operands);

}  // namespace tutti::codegen
