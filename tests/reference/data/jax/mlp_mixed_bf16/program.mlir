module @jit_mlp_mixed_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<6x8xf32>, %arg3: tensor<8x4xf32>, %arg4: tensor<5x6xf32>, %arg5: tensor<5xi32>) -> (tensor<8xf32> {jax.result_info = "result['b1']"}, tensor<4xf32> {jax.result_info = "result['b2']"}, tensor<6x8xf32> {jax.result_info = "result['w1']"}, tensor<8x4xf32> {jax.result_info = "result['w2']"}) {
    %0 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<4xf32>) -> tensor<4xbf16>
    %2 = stablehlo.convert %arg2 : (tensor<6x8xf32>) -> tensor<6x8xbf16>
    %3 = stablehlo.convert %arg3 : (tensor<8x4xf32>) -> tensor<8x4xbf16>
    %4 = stablehlo.convert %arg4 : (tensor<5x6xf32>) -> tensor<5x6xbf16>
    %5 = stablehlo.dot_general %4, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x6xbf16>, tensor<6x8xbf16>) -> tensor<5x8xbf16>
    %6 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<8xbf16>) -> tensor<1x8xbf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x8xbf16>) -> tensor<5x8xbf16>
    %8 = stablehlo.add %5, %7 : tensor<5x8xbf16>
    %9 = call @relu(%8) : (tensor<5x8xbf16>) -> tensor<5x8xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<5x8xbf16>
    %11 = stablehlo.compare GT, %8, %10, FLOAT : (tensor<5x8xbf16>, tensor<5x8xbf16>) -> tensor<5x8xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<5x8xbf16>
    %13 = stablehlo.dot_general %9, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xbf16>, tensor<8x4xbf16>) -> tensor<5x4xbf16>
    %14 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<4xbf16>) -> tensor<1x4xbf16>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x4xbf16>) -> tensor<5x4xbf16>
    %16 = stablehlo.add %13, %15 : tensor<5x4xbf16>
    %17 = call @_one_hot(%arg5) : (tensor<5xi32>) -> tensor<5x4xf32>
    %18:3 = call @log_softmax(%16) : (tensor<5x4xbf16>) -> (tensor<5x4xbf16>, tensor<5x4xbf16>, tensor<5x1xbf16>)
    %19 = stablehlo.convert %18#0 : (tensor<5x4xbf16>) -> tensor<5x4xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<5x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %23 = stablehlo.divide %22, %cst_3 : tensor<f32>
    %24 = stablehlo.negate %23 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.negate %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %26 = stablehlo.divide %25, %cst_5 : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
    %29 = stablehlo.multiply %17, %28 : tensor<5x4xf32>
    %30 = stablehlo.convert %29 : (tensor<5x4xf32>) -> tensor<5x4xbf16>
    %31 = call @log_softmax_0(%18#1, %18#2, %30) : (tensor<5x4xbf16>, tensor<5x1xbf16>, tensor<5x4xbf16>) -> tensor<5x4xbf16>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %32 = stablehlo.reduce(%31 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<5x4xbf16>, tensor<bf16>) -> tensor<4xbf16>
    %33 = stablehlo.reshape %32 : (tensor<4xbf16>) -> tensor<1x4xbf16>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %34 = stablehlo.reduce(%33 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<1x4xbf16>, tensor<bf16>) -> tensor<4xbf16>
    %35 = stablehlo.dot_general %31, %9, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x4xbf16>, tensor<5x8xbf16>) -> tensor<4x8xbf16>
    %36 = stablehlo.transpose %35, dims = [1, 0] : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
    %37 = stablehlo.dot_general %31, %3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x4xbf16>, tensor<8x4xbf16>) -> tensor<5x8xbf16>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<bf16>) -> tensor<5x8xbf16>
    %39 = stablehlo.select %11, %37, %38 : tensor<5x8xi1>, tensor<5x8xbf16>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %40 = stablehlo.reduce(%39 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<5x8xbf16>, tensor<bf16>) -> tensor<8xbf16>
    %41 = stablehlo.reshape %40 : (tensor<8xbf16>) -> tensor<1x8xbf16>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %42 = stablehlo.reduce(%41 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<1x8xbf16>, tensor<bf16>) -> tensor<8xbf16>
    %43 = stablehlo.dot_general %39, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xbf16>, tensor<5x6xbf16>) -> tensor<8x6xbf16>
    %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<8x6xbf16>) -> tensor<6x8xbf16>
    %45 = stablehlo.convert %36 : (tensor<8x4xbf16>) -> tensor<8x4xf32>
    %46 = stablehlo.convert %44 : (tensor<6x8xbf16>) -> tensor<6x8xf32>
    %47 = stablehlo.convert %34 : (tensor<4xbf16>) -> tensor<4xf32>
    %48 = stablehlo.convert %42 : (tensor<8xbf16>) -> tensor<8xf32>
    return %48, %47, %46, %45 : tensor<8xf32>, tensor<4xf32>, tensor<6x8xf32>, tensor<8x4xf32>
  }
  func.func private @relu(%arg0: tensor<5x8xbf16>) -> tensor<5x8xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<5x8xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<5x8xbf16>
    return %1 : tensor<5x8xbf16>
  }
  func.func private @_one_hot(%arg0: tensor<5xi32>) -> tensor<5x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<5x1xi32>) -> tensor<5x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<5x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<5x4xi32>, tensor<5x4xi32>) -> tensor<5x4xi1>
    %5 = stablehlo.convert %4 : (tensor<5x4xi1>) -> tensor<5x4xf32>
    return %5 : tensor<5x4xf32>
  }
  func.func private @log_softmax(%arg0: tensor<5x4xbf16>) -> (tensor<5x4xbf16>, tensor<5x4xbf16>, tensor<5x1xbf16>) {
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x4xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<5xbf16>
    %2 = stablehlo.maximum %1, %0 : tensor<5xbf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<5xbf16>) -> tensor<5x1xbf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x4xbf16>
    %5 = stablehlo.subtract %arg0, %4 : tensor<5x4xbf16>
    %6 = stablehlo.exponential %5 : tensor<5x4xbf16>
    %7 = stablehlo.convert %6 : (tensor<5x4xbf16>) -> tensor<5x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %10 = stablehlo.convert %9 : (tensor<5x1xf32>) -> tensor<5x1xbf16>
    %11 = stablehlo.log %10 : tensor<5x1xbf16>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x4xbf16>
    %13 = stablehlo.subtract %5, %12 : tensor<5x4xbf16>
    return %13, %6, %10 : tensor<5x4xbf16>, tensor<5x4xbf16>, tensor<5x1xbf16>
  }
  func.func private @log_softmax_0(%arg0: tensor<5x4xbf16>, %arg1: tensor<5x1xbf16>, %arg2: tensor<5x4xbf16>) -> tensor<5x4xbf16> {
    %0 = stablehlo.negate %arg2 : tensor<5x4xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<5x4xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %2 = stablehlo.reshape %1 : (tensor<5xbf16>) -> tensor<5x1xbf16>
    %3 = stablehlo.divide %2, %arg1 : tensor<5x1xbf16>
    %4 = stablehlo.convert %3 : (tensor<5x1xbf16>) -> tensor<5x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
    %7 = stablehlo.convert %6 : (tensor<5x4xf32>) -> tensor<5x4xbf16>
    %8 = stablehlo.multiply %7, %arg0 : tensor<5x4xbf16>
    %9 = stablehlo.add %arg2, %8 : tensor<5x4xbf16>
    return %9 : tensor<5x4xbf16>
  }
}
