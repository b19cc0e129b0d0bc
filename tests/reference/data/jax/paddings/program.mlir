module @jit_paddings attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>, %arg1: tensor<3xi32>) -> (tensor<3x15xf32> {jax.result_info = "result[0]"}, tensor<7xi32> {jax.result_info = "result[1]"}, tensor<8x9xf32> {jax.result_info = "result[2]"}, tensor<5x7xf32> {jax.result_info = "result[3]"}, tensor<6x7xf32> {jax.result_info = "result[4]"}, tensor<4x5xf32> {jax.result_info = "result[5]"}) {
    %cst = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [1, -1], high = [-2, 3], interior = [0, 2] : (tensor<4x5xf32>, tensor<f32>) -> tensor<3x15xf32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.pad %arg1, %c, low = [2], high = [0], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<7xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = call @_pad(%arg0, %c_0) : (tensor<4x5xf32>, tensor<i32>) -> tensor<8x9xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = call @_pad_1(%arg0, %c_1) : (tensor<4x5xf32>, tensor<i32>) -> tensor<5x7xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @_pad_2(%arg0, %c_2) : (tensor<4x5xf32>, tensor<i32>) -> tensor<6x7xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.pad %arg0, %cst_3, low = [-1, 0], high = [1, -1], interior = [1, 0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<7x4xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<7x4xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<7x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %11 = stablehlo.multiply %10, %8 : tensor<7x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.pad %11, %cst_7, low = [1, 0], high = [-1, 1], interior = [0, 0] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7x5xf32>
    %13 = stablehlo.slice %12 [0:7:2, 0:5] : (tensor<7x5xf32>) -> tensor<4x5xf32>
    return %0, %1, %2, %3, %4, %13 : tensor<3x15xf32>, tensor<7xi32>, tensor<8x9xf32>, tensor<5x7xf32>, tensor<6x7xf32>, tensor<4x5xf32>
  }
  func.func private @_pad(%arg0: tensor<4x5xf32>, %arg1: tensor<i32>) -> tensor<8x9xf32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %1 = stablehlo.slice %arg0 [1:3, 0:5] : (tensor<4x5xf32>) -> tensor<2x5xf32>
    %2 = call @_flip(%1) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %3 = stablehlo.concatenate %2, %arg0, dim = 0 : (tensor<2x5xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
    %4 = stablehlo.slice %3 [5:6, 0:5] : (tensor<6x5xf32>) -> tensor<1x5xf32>
    %5 = stablehlo.slice %3 [3:5, 0:5] : (tensor<6x5xf32>) -> tensor<2x5xf32>
    %6 = call @_flip(%5) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %7 = stablehlo.concatenate %3, %6, dim = 0 : (tensor<6x5xf32>, tensor<2x5xf32>) -> tensor<8x5xf32>
    %8 = stablehlo.slice %7 [0:8, 0:1] : (tensor<8x5xf32>) -> tensor<8x1xf32>
    %9 = stablehlo.slice %7 [0:8, 1:3] : (tensor<8x5xf32>) -> tensor<8x2xf32>
    %10 = call @_flip_0(%9) : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %11 = stablehlo.concatenate %10, %7, dim = 1 : (tensor<8x2xf32>, tensor<8x5xf32>) -> tensor<8x7xf32>
    %12 = stablehlo.slice %11 [0:8, 6:7] : (tensor<8x7xf32>) -> tensor<8x1xf32>
    %13 = stablehlo.slice %11 [0:8, 4:6] : (tensor<8x7xf32>) -> tensor<8x2xf32>
    %14 = call @_flip_0(%13) : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %15 = stablehlo.concatenate %11, %14, dim = 1 : (tensor<8x7xf32>, tensor<8x2xf32>) -> tensor<8x9xf32>
    return %15 : tensor<8x9xf32>
  }
  func.func private @_flip(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
  func.func private @_flip_0(%arg0: tensor<8x2xf32>) -> tensor<8x2xf32> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<8x2xf32>
    return %0 : tensor<8x2xf32>
  }
  func.func private @_pad_1(%arg0: tensor<4x5xf32>, %arg1: tensor<i32>) -> tensor<5x7xf32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<1x5xf32>) -> tensor<1x1x5xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x1x5xf32>) -> tensor<1x5xf32>
    %3 = stablehlo.slice %arg0 [3:4, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<1x5xf32>) -> tensor<1x0x5xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x0x5xf32>) -> tensor<0x5xf32>
    %6 = stablehlo.concatenate %2, %arg0, %5, dim = 0 : (tensor<1x5xf32>, tensor<4x5xf32>, tensor<0x5xf32>) -> tensor<5x5xf32>
    %7 = stablehlo.slice %6 [0:5, 0:1] : (tensor<5x5xf32>) -> tensor<5x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x1x0xf32>
    %9 = stablehlo.reshape %8 : (tensor<5x1x0xf32>) -> tensor<5x0xf32>
    %10 = stablehlo.slice %6 [0:5, 4:5] : (tensor<5x5xf32>) -> tensor<5x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x1x2xf32>
    %12 = stablehlo.reshape %11 : (tensor<5x1x2xf32>) -> tensor<5x2xf32>
    %13 = stablehlo.concatenate %9, %6, %12, dim = 1 : (tensor<5x0xf32>, tensor<5x5xf32>, tensor<5x2xf32>) -> tensor<5x7xf32>
    return %13 : tensor<5x7xf32>
  }
  func.func private @_pad_2(%arg0: tensor<4x5xf32>, %arg1: tensor<i32>) -> tensor<6x7xf32> {
    %0 = stablehlo.slice %arg0 [3:4, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %2 = stablehlo.concatenate %0, %arg0, %1, dim = 0 : (tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x5xf32>) -> tensor<6x5xf32>
    %3 = stablehlo.slice %2 [0:6, 4:5] : (tensor<6x5xf32>) -> tensor<6x1xf32>
    %4 = stablehlo.slice %2 [0:6, 0:1] : (tensor<6x5xf32>) -> tensor<6x1xf32>
    %5 = stablehlo.concatenate %3, %2, %4, dim = 1 : (tensor<6x1xf32>, tensor<6x5xf32>, tensor<6x1xf32>) -> tensor<6x7xf32>
    return %5 : tensor<6x7xf32>
  }
}
