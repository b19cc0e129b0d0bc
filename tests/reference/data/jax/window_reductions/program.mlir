module @jit_window_reductions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x7x6xf32>) -> (tensor<2x4x6xf32> {jax.result_info = "result[0]"}, tensor<2x4x6xf32> {jax.result_info = "result[1]"}, tensor<2x4x6xf32> {jax.result_info = "result[2]"}, tensor<1x6x5xf32> {jax.result_info = "result[3]"}, tensor<2x4x4xf32> {jax.result_info = "result[4]"}, tensor<2x7x6xf32> {jax.result_info = "result[5]"}, tensor<2x7x6xf32> {jax.result_info = "result[6]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 1]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x7x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.reduce_window"(%arg0, %2) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 1]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.minimum %arg1, %arg2 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x7x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
    %5 = "stablehlo.reduce_window"(%arg0, %4) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 1]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x7x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = "stablehlo.reduce_window"(%arg0, %cst_2) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<0> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 2, 2, 2>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.multiply %arg1, %arg2 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x7x6xf32>, tensor<f32>) -> tensor<1x6x5xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<f32>
    %8 = "stablehlo.reduce_window"(%arg0, %7) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<0> : tensor<3x2xi64>, window_dilations = array<i64: 1, 3, 2>, window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x7x6xf32>, tensor<f32>) -> tensor<2x4x4xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<f32>
    %10 = "stablehlo.reduce_window"(%arg0, %9) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 1]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x7x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %11 = stablehlo.multiply %10, %10 : tensor<2x4x6xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x4x6xf32>
    %13 = stablehlo.multiply %12, %10 : tensor<2x4x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%11 init: %cst_6) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x4x6xf32>
    %16 = stablehlo.multiply %15, %13 : tensor<2x4x6xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.pad %arg0, %cst_8, low = [0, 1, 0], high = [0, 1, 1], interior = [0, 0, 0] : (tensor<2x7x6xf32>, tensor<f32>) -> tensor<2x9x7xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = "stablehlo.select_and_scatter"(%17, %16, %cst_9) <{padding = dense<0> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.compare GE, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %31 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x9x7xf32>, tensor<2x4x6xf32>, tensor<f32>) -> tensor<2x9x7xf32>
    %19 = stablehlo.slice %18 [0:2, 1:8, 0:6] : (tensor<2x9x7xf32>) -> tensor<2x7x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<f32>
    %21 = "stablehlo.reduce_window"(%arg0, %20) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 1]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x7x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %22 = stablehlo.multiply %21, %21 : tensor<2x4x6xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x4x6xf32>
    %24 = stablehlo.multiply %23, %21 : tensor<2x4x6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%22 init: %cst_12) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x4x6xf32>
    %27 = stablehlo.multiply %26, %24 : tensor<2x4x6xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.pad %27, %cst_14, low = [0, 1, 1], high = [0, 1, 0], interior = [0, 1, 0] : (tensor<2x4x6xf32>, tensor<f32>) -> tensor<2x9x7xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<f32>
    %30 = "stablehlo.reduce_window"(%28, %29) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<0> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %31 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x9x7xf32>, tensor<f32>) -> tensor<2x7x6xf32>
    return %1, %3, %5, %6, %8, %19, %30 : tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<1x6x5xf32>, tensor<2x4x4xf32>, tensor<2x7x6xf32>, tensor<2x7x6xf32>
  }
}
