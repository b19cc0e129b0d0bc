module @jit_f64_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64>, %arg1: tensor<4x2xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<3x4xf64> {jax.result_info = "result[1][0]"}, tensor<4x2xf64> {jax.result_info = "result[1][1]"}) {
    %0 = stablehlo.tanh %arg0 : tensor<3x4xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %2 = stablehlo.subtract %1, %0 : tensor<3x4xf64>
    %3 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf64>, tensor<4x2xf64>) -> tensor<3x2xf64>
    %4 = stablehlo.exponential %3 : tensor<3x2xf64>
    %5 = stablehlo.log_plus_one %4 : tensor<3x2xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x2xf64>
    %7 = stablehlo.add %4, %6 : tensor<3x2xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<f64>
    %cst_2 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %9 = stablehlo.divide %8, %cst_2 : tensor<f64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_4 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %10 = stablehlo.divide %cst_3, %cst_4 : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f64>) -> tensor<3x2xf64>
    %12 = stablehlo.divide %11, %7 : tensor<3x2xf64>
    %13 = stablehlo.multiply %12, %4 : tensor<3x2xf64>
    %14 = stablehlo.dot_general %13, %0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x2xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
    %15 = stablehlo.transpose %14, dims = [1, 0] : (tensor<2x4xf64>) -> tensor<4x2xf64>
    %16 = stablehlo.dot_general %13, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x2xf64>, tensor<4x2xf64>) -> tensor<3x4xf64>
    %17 = stablehlo.multiply %16, %2 : tensor<3x4xf64>
    %18 = stablehlo.multiply %17, %0 : tensor<3x4xf64>
    %19 = stablehlo.add %17, %18 : tensor<3x4xf64>
    return %9, %19, %15 : tensor<f64>, tensor<3x4xf64>, tensor<4x2xf64>
  }
}
