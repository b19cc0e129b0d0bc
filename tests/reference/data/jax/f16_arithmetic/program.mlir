module @jit_f16_arithmetic attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf16>, %arg1: tensor<8x5xf16>) -> (tensor<4x8xf16> {jax.result_info = "result[0]"}, tensor<4x8xf16> {jax.result_info = "result[1]"}, tensor<4xf16> {jax.result_info = "result[2]"}, tensor<4x5xf32> {jax.result_info = "result[3]"}, tensor<8x5xf32> {jax.result_info = "result[4]"}, tensor<4x8xf32> {jax.result_info = "result[5]"}, tensor<4xi32> {jax.result_info = "result[6]"}, tensor<4x8xf16> {jax.result_info = "result[7]"}, tensor<4x8xf16> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.slice %arg1 [0:1, 0:1] : (tensor<8x5xf16>) -> tensor<1x1xf16>
    %1 = stablehlo.reshape %0 : (tensor<1x1xf16>) -> tensor<f16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f16>) -> tensor<4x8xf16>
    %3 = stablehlo.add %arg0, %2 : tensor<4x8xf16>
    %4 = stablehlo.exponential %arg0 : tensor<4x8xf16>
    %5 = stablehlo.convert %arg0 : (tensor<4x8xf16>) -> tensor<4x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.convert %6 : (tensor<4xf32>) -> tensor<4xf16>
    %8 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf16>, tensor<8x5xf16>) -> tensor<4x5xf32>
    %9 = stablehlo.convert %arg1 : (tensor<8x5xf16>) -> tensor<8x5xf32>
    %10 = stablehlo.convert %arg0 : (tensor<4x8xf16>) -> tensor<4x8xf32>
    %11 = stablehlo.convert %9 : tensor<8x5xf32>
    %12 = stablehlo.dot_general %10, %11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %14 = stablehlo.multiply %13, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %15 = stablehlo.multiply %cst_2, %cst_3 : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %17 = stablehlo.convert %16 : tensor<4x5xf32>
    %18 = stablehlo.convert %arg0 : (tensor<4x8xf16>) -> tensor<4x8xf32>
    %19 = stablehlo.dot_general %17, %18, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x5xf32>, tensor<4x8xf32>) -> tensor<5x8xf32>
    %20 = stablehlo.transpose %19, dims = [1, 0] : (tensor<5x8xf32>) -> tensor<8x5xf32>
    %cst_4 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x5xf32>
    %22 = stablehlo.divide %20, %21 : tensor<8x5xf32>
    %23 = stablehlo.convert %arg0 : (tensor<4x8xf16>) -> tensor<4x8xbf16>
    %24 = stablehlo.convert %23 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %25 = call @argmax(%arg0) : (tensor<4x8xf16>) -> tensor<4xi32>
    %cst_5 = stablehlo.constant dense<1.000000e+04> : tensor<f16>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f16>) -> tensor<4x8xf16>
    %27 = stablehlo.multiply %arg0, %26 : tensor<4x8xf16>
    %28 = stablehlo.reduce_precision %arg0, format = e5m4 : tensor<4x8xf16>
    return %3, %4, %7, %8, %22, %24, %25, %27, %28 : tensor<4x8xf16>, tensor<4x8xf16>, tensor<4xf16>, tensor<4x5xf32>, tensor<8x5xf32>, tensor<4x8xf32>, tensor<4xi32>, tensor<4x8xf16>, tensor<4x8xf16>
  }
  func.func private @argmax(%arg0: tensor<4x8xf16>) -> tensor<4xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %cst = stablehlo.constant dense<0xFC00> : tensor<f16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<4x8xf16>, tensor<4x8xi32>, tensor<f16>, tensor<i32>) -> (tensor<4xf16>, tensor<4xi32>)
     reducer(%arg1: tensor<f16>, %arg3: tensor<f16>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f16>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f16>, tensor<i32>
    }
    return %1#1 : tensor<4xi32>
  }
}
