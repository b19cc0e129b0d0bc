#pragma once

#include <tutti/ir/stablehlo/translate.h>

namespace tutti::ir::stablehlo {

void while_loop(Step& step);
void case_of(Step& step);
void if_of(Step& step);

}  // namespace tutti::ir::stablehlo
