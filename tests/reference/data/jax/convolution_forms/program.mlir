module @jit_convolution_forms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x9xf32>, %arg1: tensor<5x4x3xf32>) -> (tensor<2x5x14xf32> {jax.result_info = "result[0]"}, tensor<2x10x9xf32> {jax.result_info = "result[1]"}, tensor<2x10x7xf32> {jax.result_info = "result[2]"}, tensor<11xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[2, -1]], lhs_dilate = [2], rhs_dilate = [2], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x9xf32>, tensor<5x4x3xf32>) -> tensor<2x5x14xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<2x4x9xf32>) -> tensor<1x2x1x4x1x9xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3, 4, 5] : (tensor<1x2x1x4x1x9xf32>) -> tensor<1x2x2x4x1x9xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x2x2x4x1x9xf32>) -> tensor<2x8x9xf32>
    %4 = stablehlo.reshape %arg1 : (tensor<5x4x3xf32>) -> tensor<1x5x1x4x1x3xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3, 4, 5] : (tensor<1x5x1x4x1x3xf32>) -> tensor<2x5x1x4x1x3xf32>
    %6 = stablehlo.reshape %5 : (tensor<2x5x1x4x1x3xf32>) -> tensor<10x4x3xf32>
    %7 = stablehlo.convolution(%3, %6) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x9xf32>, tensor<10x4x3xf32>) -> tensor<2x10x9xf32>
    %8 = stablehlo.reshape %arg0 : (tensor<2x4x9xf32>) -> tensor<1x2x1x4x1x9xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3, 4, 5] : (tensor<1x2x1x4x1x9xf32>) -> tensor<2x2x1x4x1x9xf32>
    %10 = stablehlo.reshape %9 : (tensor<2x2x1x4x1x9xf32>) -> tensor<4x4x9xf32>
    %11 = stablehlo.reshape %arg1 : (tensor<5x4x3xf32>) -> tensor<1x5x1x4x1x3xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3, 4, 5] : (tensor<1x5x1x4x1x3xf32>) -> tensor<2x5x1x4x1x3xf32>
    %13 = stablehlo.reshape %12 : (tensor<2x5x1x4x1x3xf32>) -> tensor<10x4x3xf32>
    %14 = stablehlo.convolution(%10, %13) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x9xf32>, tensor<10x4x3xf32>) -> tensor<2x10x7xf32>
    %15 = stablehlo.slice %arg0 [0:1, 0:1, 0:9] : (tensor<2x4x9xf32>) -> tensor<1x1x9xf32>
    %16 = stablehlo.reshape %15 : (tensor<1x1x9xf32>) -> tensor<9xf32>
    %17 = stablehlo.slice %arg1 [0:1, 0:1, 0:3] : (tensor<5x4x3xf32>) -> tensor<1x1x3xf32>
    %18 = stablehlo.reshape %17 : (tensor<1x1x3xf32>) -> tensor<3xf32>
    %19 = call @convolve(%16, %18) : (tensor<9xf32>, tensor<3xf32>) -> tensor<11xf32>
    return %0, %7, %14, %19 : tensor<2x5x14xf32>, tensor<2x10x9xf32>, tensor<2x10x7xf32>, tensor<11xf32>
  }
  func.func private @convolve(%arg0: tensor<9xf32>, %arg1: tensor<3xf32>) -> tensor<11xf32> {
    %0 = call @_conv(%arg0, %arg1) : (tensor<9xf32>, tensor<3xf32>) -> tensor<11xf32>
    return %0 : tensor<11xf32>
  }
  func.func private @_conv(%arg0: tensor<9xf32>, %arg1: tensor<3xf32>) -> tensor<11xf32> {
    %0 = call @_flip(%arg1) : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<9xf32>) -> tensor<1x1x9xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<3xf32>) -> tensor<1x1x3xf32>
    %3 = stablehlo.convolution(%1, %2) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[2, 2]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x9xf32>, tensor<1x1x3xf32>) -> tensor<1x1x11xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x1x11xf32>) -> tensor<11xf32>
    return %4 : tensor<11xf32>
  }
  func.func private @_flip(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
