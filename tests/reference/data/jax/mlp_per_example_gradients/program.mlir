module @jit_mlp_per_example_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<6x8xf32>, %arg3: tensor<8x4xf32>, %arg4: tensor<5x6xf32>, %arg5: tensor<5xi32>) -> (tensor<5x8xf32> {jax.result_info = "result['b1']"}, tensor<5x4xf32> {jax.result_info = "result['b2']"}, tensor<5x6x8xf32> {jax.result_info = "result['w1']"}, tensor<5x8x4xf32> {jax.result_info = "result['w2']"}) {
    %0 = stablehlo.broadcast_in_dim %arg4, dims = [0, 2] : (tensor<5x6xf32>) -> tensor<5x1x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg5, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %2 = stablehlo.dot_general %0, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x1x6xf32>, tensor<6x8xf32>) -> tensor<5x1x8xf32>
    %3 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1, 2] : (tensor<1x8xf32>) -> tensor<1x1x8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<5x1x8xf32>
    %6 = stablehlo.add %2, %5 : tensor<5x1x8xf32>
    %7 = call @relu(%6) : (tensor<5x1x8xf32>) -> tensor<5x1x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x1x8xf32>
    %9 = stablehlo.compare GT, %6, %8, FLOAT : (tensor<5x1x8xf32>, tensor<5x1x8xf32>) -> tensor<5x1x8xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x8xf32>
    %11 = stablehlo.dot_general %7, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x1x8xf32>, tensor<8x4xf32>) -> tensor<5x1x4xf32>
    %12 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<5x1x4xf32>
    %15 = stablehlo.add %11, %14 : tensor<5x1x4xf32>
    %16 = call @_one_hot(%1) : (tensor<5x1xi32>) -> tensor<5x1x4xf32>
    %17:3 = call @log_softmax(%15) : (tensor<5x1x4xf32>) -> (tensor<5x1x4xf32>, tensor<5x1x4xf32>, tensor<5x1x1xf32>)
    %18 = stablehlo.multiply %16, %17#0 : tensor<5x1x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<5x1x4xf32>, tensor<f32>) -> tensor<5x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %22 = stablehlo.divide %20, %21 : tensor<5xf32>
    %23 = stablehlo.negate %22 : tensor<5xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.negate %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.divide %24, %cst_5 : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<1xf32>) -> tensor<1x4xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<5x1x4xf32>
    %30 = stablehlo.multiply %16, %29 : tensor<5x1x4xf32>
    %31 = call @log_softmax_0(%17#1, %17#2, %30) : (tensor<5x1x4xf32>, tensor<5x1x1xf32>, tensor<5x1x4xf32>) -> tensor<5x1x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<5x1x4xf32>, tensor<f32>) -> tensor<5x4xf32>
    %33 = stablehlo.dot_general %31, %7, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x1x4xf32>, tensor<5x1x8xf32>) -> tensor<5x4x8xf32>
    %34 = stablehlo.transpose %33, dims = [0, 2, 1] : (tensor<5x4x8xf32>) -> tensor<5x8x4xf32>
    %35 = stablehlo.dot_general %31, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x1x4xf32>, tensor<8x4xf32>) -> tensor<5x1x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<1x8xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [1, 2] : (tensor<1x8xf32>) -> tensor<5x1x8xf32>
    %38 = stablehlo.select %9, %35, %37 : tensor<5x1x8xi1>, tensor<5x1x8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<5x1x8xf32>, tensor<f32>) -> tensor<5x8xf32>
    %40 = stablehlo.dot_general %38, %0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x1x8xf32>, tensor<5x1x6xf32>) -> tensor<5x8x6xf32>
    %41 = stablehlo.transpose %40, dims = [0, 2, 1] : (tensor<5x8x6xf32>) -> tensor<5x6x8xf32>
    return %39, %32, %41, %34 : tensor<5x8xf32>, tensor<5x4xf32>, tensor<5x6x8xf32>, tensor<5x8x4xf32>
  }
  func.func private @relu(%arg0: tensor<5x1x8xf32>) -> tensor<5x1x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x1x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<5x1x8xf32>
    return %1 : tensor<5x1x8xf32>
  }
  func.func private @_one_hot(%arg0: tensor<5x1xi32>) -> tensor<5x1x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<5x1xi32>) -> tensor<5x1x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x4xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<1x4xi32>) -> tensor<1x1x4xi32>
    %3 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<5x1x1xi32>) -> tensor<5x1x4xi32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<5x1x4xi32>
    %5 = stablehlo.compare EQ, %3, %4, SIGNED : (tensor<5x1x4xi32>, tensor<5x1x4xi32>) -> tensor<5x1x4xi1>
    %6 = stablehlo.convert %5 : (tensor<5x1x4xi1>) -> tensor<5x1x4xf32>
    return %6 : tensor<5x1x4xf32>
  }
  func.func private @log_softmax(%arg0: tensor<5x1x4xf32>) -> (tensor<5x1x4xf32>, tensor<5x1x4xf32>, tensor<5x1x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<5x1x4xf32>, tensor<f32>) -> tensor<5x1xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<5x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x1x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<5x1x1xf32>) -> tensor<5x1x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<5x1x4xf32>
    %6 = stablehlo.exponential %5 : tensor<5x1x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<5x1x4xf32>, tensor<f32>) -> tensor<5x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x1x1xf32>
    %9 = stablehlo.log %8 : tensor<5x1x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<5x1x1xf32>) -> tensor<5x1x4xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<5x1x4xf32>
    return %11, %6, %8 : tensor<5x1x4xf32>, tensor<5x1x4xf32>, tensor<5x1x1xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<5x1x4xf32>, %arg1: tensor<5x1x1xf32>, %arg2: tensor<5x1x4xf32>) -> tensor<5x1x4xf32> {
    %0 = stablehlo.negate %arg2 : tensor<5x1x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<5x1x4xf32>, tensor<f32>) -> tensor<5x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<5x1xf32>) -> tensor<5x1x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<5x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1, 2] : (tensor<5x1x1xf32>, tensor<f32>) -> tensor<5xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x1x4xf32>
    %7 = stablehlo.multiply %6, %arg0 : tensor<5x1x4xf32>
    %8 = stablehlo.add %arg2, %7 : tensor<5x1x4xf32>
    return %8 : tensor<5x1x4xf32>
  }
}
