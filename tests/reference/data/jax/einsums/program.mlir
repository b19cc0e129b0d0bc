module @jit_einsums attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<3x3xf32>, %arg3: tensor<4xf32>) -> (tensor<2x3x5xf32> {jax.result_info = "result[0]"}, tensor<5x2xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3]"}, tensor<2x3xf32> {jax.result_info = "result[4]"}, tensor<4x4xf32> {jax.result_info = "result[5]"}, tensor<2x2xf32> {jax.result_info = "result[6]"}, tensor<3x4xf32> {jax.result_info = "result[7]"}, tensor<2x3x5xf32> {jax.result_info = "result[8]"}, tensor<2x3xf32> {jax.result_info = "result[9]"}, tensor<4x3x2xf32> {jax.result_info = "result[10]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %2 = stablehlo.dot_general %arg1, %1, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x4x5xf32>, tensor<2x4xf32>) -> tensor<2x5xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x5xf32>) -> tensor<5x2xf32>
    %4 = stablehlo.iota dim = 0 : tensor<3x3xui32>
    %5 = stablehlo.iota dim = 1 : tensor<3x3xui32>
    %6 = stablehlo.compare EQ, %4, %5, UNSIGNED : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %8 = stablehlo.select %6, %arg2, %7 : tensor<3x3xi1>, tensor<3x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.iota dim = 0 : tensor<3x3xui32>
    %11 = stablehlo.iota dim = 1 : tensor<3x3xui32>
    %12 = stablehlo.compare EQ, %10, %11, UNSIGNED : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %14 = stablehlo.select %12, %arg2, %13 : tensor<3x3xi1>, tensor<3x3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
    %17 = stablehlo.dot_general %arg3, %arg3, contracting_dims = [] x [], precision = [HIGHEST, HIGHEST] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %18 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1, 2] x [1, 2], precision = [HIGHEST, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x2xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%arg0 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %20 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [0] x [1], precision = [HIGHEST, HIGHEST] : (tensor<3x3xf32>, tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
    %21 = stablehlo.dot_general %20, %arg1, batching_dims = [1] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<3x2x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %22 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
    %23 = stablehlo.transpose %arg0, dims = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
    return %0, %3, %9, %15, %16, %17, %18, %19, %21, %22, %23 : tensor<2x3x5xf32>, tensor<5x2xf32>, tensor<3xf32>, tensor<f32>, tensor<2x3xf32>, tensor<4x4xf32>, tensor<2x2xf32>, tensor<3x4xf32>, tensor<2x3x5xf32>, tensor<2x3xf32>, tensor<4x3x2xf32>
  }
}
