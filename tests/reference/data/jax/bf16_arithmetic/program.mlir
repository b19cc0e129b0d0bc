module @jit_bf16_arithmetic attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x5xf32>) -> (tensor<4x8xf32> {jax.result_info = "result[0]"}, tensor<4x8xf32> {jax.result_info = "result[1]"}, tensor<4x8xf32> {jax.result_info = "result[2]"}, tensor<4x8xf32> {jax.result_info = "result[3]"}, tensor<4x8xf32> {jax.result_info = "result[4]"}, tensor<4xf32> {jax.result_info = "result[5]"}, tensor<8xf32> {jax.result_info = "result[6]"}, tensor<4x5xf32> {jax.result_info = "result[7]"}, tensor<4x8xf32> {jax.result_info = "result[8]"}, tensor<4x4xf32> {jax.result_info = "result[9]"}, tensor<4x8xf32> {jax.result_info = "result[10]"}, tensor<4x8xf32> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<8x5xf32>) -> tensor<8x5xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
    %3 = stablehlo.add %0, %2 : tensor<4x8xbf16>
    %4 = stablehlo.multiply %0, %0 : tensor<4x8xbf16>
    %5 = stablehlo.exponential %0 : tensor<4x8xbf16>
    %6 = stablehlo.tanh %0 : tensor<4x8xbf16>
    %7 = call @sort(%0) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %8 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xbf16>, tensor<bf16>) -> tensor<4xbf16>
    %9 = stablehlo.convert %0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %11 = stablehlo.convert %10 : (tensor<8xf32>) -> tensor<8xbf16>
    %12 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xbf16>, tensor<8x5xbf16>) -> tensor<4x5xf32>
    %cst_2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %13 = stablehlo.reduce(%0 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xbf16>, tensor<bf16>) -> tensor<4xbf16>
    %cst_3 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<4xbf16>
    %15 = stablehlo.maximum %14, %13 : tensor<4xbf16>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<4xbf16>) -> tensor<4x1xbf16>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<4x1xbf16>) -> tensor<4x8xbf16>
    %18 = stablehlo.subtract %0, %17 : tensor<4x8xbf16>
    %19 = stablehlo.exponential %18 : tensor<4x8xbf16>
    %20 = stablehlo.convert %19 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %23 = stablehlo.convert %22 : (tensor<4x1xf32>) -> tensor<4x1xbf16>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<4x1xbf16>) -> tensor<4x8xbf16>
    %25 = stablehlo.divide %19, %24 : tensor<4x8xbf16>
    %26 = stablehlo.slice %0 [0:4, 0:8:2] : (tensor<4x8xbf16>) -> tensor<4x4xbf16>
    %27 = stablehlo.bitcast_convert %0 : (tensor<4x8xbf16>) -> tensor<4x8xui16>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
    %29 = stablehlo.divide %0, %28 : tensor<4x8xbf16>
    %30 = stablehlo.convert %3 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %31 = stablehlo.convert %4 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %32 = stablehlo.convert %5 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %33 = stablehlo.convert %6 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %34 = stablehlo.convert %7 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %35 = stablehlo.convert %8 : (tensor<4xbf16>) -> tensor<4xf32>
    %36 = stablehlo.convert %11 : (tensor<8xbf16>) -> tensor<8xf32>
    %37 = stablehlo.convert %25 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %38 = stablehlo.convert %26 : (tensor<4x4xbf16>) -> tensor<4x4xf32>
    %39 = stablehlo.convert %27 : (tensor<4x8xui16>) -> tensor<4x8xf32>
    %40 = stablehlo.convert %29 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    return %30, %31, %32, %33, %34, %35, %36, %12, %37, %38, %39, %40 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4x5xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
  func.func private @sort(%arg0: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<bf16>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<bf16>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<bf16>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<bf16>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
    return %0 : tensor<4x8xbf16>
  }
}
