module @jit_integer_corners attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<100xi32>, %arg1: tensor<100xi32>) -> (tensor<100xi32> {jax.result_info = "result[0]"}, tensor<100xi32> {jax.result_info = "result[1]"}, tensor<100xi32> {jax.result_info = "result[2]"}, tensor<100xi32> {jax.result_info = "result[3]"}, tensor<100xi32> {jax.result_info = "result[4]"}, tensor<100xi32> {jax.result_info = "result[5]"}, tensor<100xi32> {jax.result_info = "result[6]"}, tensor<100xi32> {jax.result_info = "result[7]"}) {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<100xi32>
    %1 = stablehlo.remainder %arg0, %arg1 : tensor<100xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %3 = stablehlo.negate %2 : tensor<100xi32>
    %4 = stablehlo.divide %arg0, %3 : tensor<100xi32>
    %5 = stablehlo.abs %arg0 : tensor<100xi32>
    %6 = stablehlo.negate %arg0 : tensor<100xi32>
    %7 = stablehlo.shift_left %arg0, %arg1 : tensor<100xi32>
    %8 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<100xi32>
    %9 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<100xi32>
    return %0, %1, %4, %5, %6, %7, %8, %9 : tensor<100xi32>, tensor<100xi32>, tensor<100xi32>, tensor<100xi32>, tensor<100xi32>, tensor<100xi32>, tensor<100xi32>, tensor<100xi32>
  }
}
