module @jit_dot_products attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x2xf32>, %arg1: tensor<4x2x5xf32>, %arg2: tensor<3x4xi32>, %arg3: tensor<4x2xi8>) -> (tensor<3x5xf32> {jax.result_info = "result[0]"}, tensor<3x5xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}, tensor<2x5xf32> {jax.result_info = "result[3]"}, tensor<8x4xf32> {jax.result_info = "result[4]"}, tensor<3x3xi32> {jax.result_info = "result[5]"}, tensor<3x2xi32> {jax.result_info = "result[6]"}, tensor<4x2x5xf32> {jax.result_info = "result[7]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1, 2] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x2xf32>, tensor<4x2x5xf32>) -> tensor<3x5xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1, 2] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x2xf32>, tensor<4x2x5xf32>) -> tensor<3x5xf32>
    %2 = stablehlo.reshape %arg0 : (tensor<3x4x2xf32>) -> tensor<24xf32>
    %3 = stablehlo.reshape %arg0 : (tensor<3x4x2xf32>) -> tensor<24xf32>
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24xf32>, tensor<24xf32>) -> tensor<f32>
    %5 = stablehlo.slice %arg0 [0:1, 0:1, 0:2] : (tensor<3x4x2xf32>) -> tensor<1x1x2xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x1x2xf32>) -> tensor<2xf32>
    %7 = stablehlo.slice %arg1 [0:1, 0:1, 0:5] : (tensor<4x2x5xf32>) -> tensor<1x1x5xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x1x5xf32>) -> tensor<5xf32>
    %9 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %10 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x5xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<2x5xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<2x5xf32>
    %14 = stablehlo.slice %arg0 [0:1, 0:4, 0:2] : (tensor<3x4x2xf32>) -> tensor<1x4x2xf32>
    %15 = stablehlo.reshape %14 : (tensor<1x4x2xf32>) -> tensor<4x2xf32>
    %16 = stablehlo.slice %arg1 [0:2, 0:2, 0:1] : (tensor<4x2x5xf32>) -> tensor<2x2x1xf32>
    %17 = stablehlo.reshape %16 : (tensor<2x2x1xf32>) -> tensor<2x2xf32>
    %18 = call @kron(%15, %17) : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<8x4xf32>
    %19 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<3x4xi32>) -> tensor<4x3xi32>
    %20 = stablehlo.dot_general %arg2, %19, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xi32>, tensor<4x3xi32>) -> tensor<3x3xi32>
    %21 = stablehlo.convert %arg2 : tensor<3x4xi32>
    %22 = stablehlo.convert %arg3 : (tensor<4x2xi8>) -> tensor<4x2xi32>
    %23 = stablehlo.dot_general %21, %22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xi32>, tensor<4x2xi32>) -> tensor<3x2xi32>
    %24 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1, 2] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x2xf32>, tensor<4x2x5xf32>) -> tensor<3x5xf32>
    %25 = stablehlo.multiply %24, %24 : tensor<3x5xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %27 = stablehlo.multiply %26, %24 : tensor<3x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%25 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %30 = stablehlo.multiply %29, %27 : tensor<3x5xf32>
    %31 = stablehlo.dot_general %30, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x5xf32>, tensor<3x4x2xf32>) -> tensor<5x4x2xf32>
    %32 = stablehlo.transpose %31, dims = [1, 2, 0] : (tensor<5x4x2xf32>) -> tensor<4x2x5xf32>
    return %0, %1, %4, %13, %18, %20, %23, %32 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<f32>, tensor<2x5xf32>, tensor<8x4xf32>, tensor<3x3xi32>, tensor<3x2xi32>, tensor<4x2x5xf32>
  }
  func.func private @kron(%arg0: tensor<4x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<4x2xf32>) -> tensor<4x1x2x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 3] : (tensor<2x2xf32>) -> tensor<1x2x1x2xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<4x1x2x1xf32>) -> tensor<4x2x2x2xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x2x1x2xf32>) -> tensor<4x2x2x2xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<4x2x2x2xf32>
    %5 = stablehlo.reshape %4 : (tensor<4x2x2x2xf32>) -> tensor<8x4xf32>
    return %5 : tensor<8x4xf32>
  }
}
