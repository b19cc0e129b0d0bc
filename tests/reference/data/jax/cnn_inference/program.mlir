module @jit_cnn_inference attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x3xf32>, %arg1: tensor<4x1x3x3xf32>, %arg2: tensor<4x2x3x3xf32>, %arg3: tensor<4x1x1xf32>, %arg4: tensor<4x1x1xf32>, %arg5: tensor<4x1x1xf32>, %arg6: tensor<6x4x3x3xf32>, %arg7: tensor<4x1x1xf32>, %arg8: tensor<2x2x8x8xf32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg8, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<2x4x8x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<2x4x8x8xf32>
    %cst = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x1x1xf32>
    %5 = stablehlo.add %arg7, %4 : tensor<4x1x1xf32>
    %6 = stablehlo.rsqrt %5 : tensor<4x1x1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %9 = stablehlo.multiply %3, %8 : tensor<2x4x8x8xf32>
    %10 = stablehlo.broadcast_in_dim %arg4, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<2x4x8x8xf32>
    %13 = stablehlo.broadcast_in_dim %arg5, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %15 = stablehlo.add %12, %14 : tensor<2x4x8x8xf32>
    %16 = call @relu(%15) : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %18 = "stablehlo.reduce_window"(%16, %17) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %28 = stablehlo.maximum %arg9, %arg10 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x4x4xf32>
    %19 = stablehlo.convolution(%18, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<4x1x3x3xf32>) -> tensor<2x4x4x4xf32>
    %20 = stablehlo.convolution(%19, %arg6) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x2x2xf32>
    %21 = call @silu(%20) : (tensor<2x6x2x2xf32>) -> tensor<2x6x2x2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
    %23 = "stablehlo.reduce_window"(%21, %22) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %28 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<2x6x2x2xf32>, tensor<f32>) -> tensor<2x6x1x1xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x6x1x1xf32>
    %25 = stablehlo.divide %23, %24 : tensor<2x6x1x1xf32>
    %26 = stablehlo.reshape %25 : (tensor<2x6x1x1xf32>) -> tensor<2x6xf32>
    %27 = stablehlo.dot_general %26, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
    return %27 : tensor<2x3xf32>
  }
  func.func private @relu(%arg0: tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x8x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x4x8x8xf32>
    return %1 : tensor<2x4x8x8xf32>
  }
  func.func private @silu(%arg0: tensor<2x6x2x2xf32>) -> tensor<2x6x2x2xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2x6x2x2xf32>
    %1 = stablehlo.exponential %0 : tensor<2x6x2x2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x2x2xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x6x2x2xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6x2x2xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x6x2x2xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x6x2x2xf32>
    return %6 : tensor<2x6x2x2xf32>
  }
}
