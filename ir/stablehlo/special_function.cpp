#include <tutti/ir/stablehlo/rules.h>
namespace tutti::ir::stablehlo { std::span<const Rule> special_function_rules() { return {}; } }
