#pragma once

#include <tutti/ir/stablehlo/translate.h>

#include <span>

// The operations that are understood, family by family.
namespace tutti::ir::stablehlo {

std::span<const Rule> elementwise_rules();
std::span<const Rule> conversion_rules();
std::span<const Rule> special_function_rules();
std::span<const Rule> shape_rules();
std::span<const Rule> reduction_rules();
std::span<const Rule> window_rules();
std::span<const Rule> product_rules();
std::span<const Rule> index_rules();
std::span<const Rule> scatter_rules();
std::span<const Rule> order_rules();
std::span<const Rule> control_rules();
std::span<const Rule> collective_rules();
std::span<const Rule> sharding_rules();
std::span<const Rule> random_rules();
std::span<const Rule> linear_algebra_rules();

}  // namespace tutti::ir::stablehlo
