module @jit_convolution_kinds attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x7x8xf32>, %arg1: tensor<4x3x3x2xf32>) -> (tensor<2x4x2x4xf32> {jax.result_info = "result[0]"}, tensor<2x4x3x8xf32> {jax.result_info = "result[1]"}, tensor<2x4x13x23xf32> {jax.result_info = "result[2]"}, tensor<2x3x7x8xf32> {jax.result_info = "result[3][0]"}, tensor<4x3x3x2xf32> {jax.result_info = "result[3][1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [3, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x7x8xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x2x4xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[2, 1], [0, 3]], lhs_dilate = [1, 1], rhs_dilate = [2, 3], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x7x8xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x3x8xf32>
    %2 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 3], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x7x8xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x13x23xf32>
    %3 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[2, 1], [0, 3]], lhs_dilate = [1, 1], rhs_dilate = [2, 3], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x7x8xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x3x8xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<2x4x3x8xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x3x8xf32>
    %6 = stablehlo.multiply %5, %3 : tensor<2x4x3x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x4x3x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4x3x8xf32>
    %9 = stablehlo.multiply %8, %6 : tensor<2x4x3x8xf32>
    %10 = stablehlo.convolution(%arg0, %9) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [2, 3], pad = [[2, 0], [0, 3]], lhs_dilate = [1, 1], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x7x8xf32>, tensor<2x4x3x8xf32>) -> tensor<4x3x3x2xf32>
    %11 = stablehlo.reverse %arg1, dims = [2, 3] : tensor<4x3x3x2xf32>
    %12 = stablehlo.convolution(%9, %11) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 4], [3, 0]], lhs_dilate = [2, 1], rhs_dilate = [2, 3], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x3x8xf32>, tensor<4x3x3x2xf32>) -> tensor<2x3x7x8xf32>
    return %0, %1, %2, %12, %10 : tensor<2x4x2x4xf32>, tensor<2x4x3x8xf32>, tensor<2x4x13x23xf32>, tensor<2x3x7x8xf32>, tensor<4x3x3x2xf32>
  }
}
