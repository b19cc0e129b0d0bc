module @jit_convolutions_1d_3d attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x9x3xf32>, %arg1: tensor<4x3x5xf32>, %arg2: tensor<1x2x4x4x3xf32>, %arg3: tensor<2x3x2x2x2xf32>) -> (tensor<2x9x5xf32> {jax.result_info = "result[0]"}, tensor<1x2x3x2x2xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 2]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x9x3xf32>, tensor<4x3x5xf32>) -> tensor<2x9x5xf32>
    %1 = stablehlo.slice %arg3 [0:2, 0:2, 0:2, 0:2, 0:2] : (tensor<2x3x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
    %2 = stablehlo.convolution(%arg2, %1) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2], window = {stride = [1, 2, 1], pad = [[0, 0], [0, 0], [0, 0]], lhs_dilate = [1, 1, 1], rhs_dilate = [1, 1, 1], reverse = [false, false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x2x4x4x3xf32>, tensor<2x2x2x2x2xf32>) -> tensor<1x2x3x2x2xf32>
    return %0, %2 : tensor<2x9x5xf32>, tensor<1x2x3x2x2xf32>
  }
}
