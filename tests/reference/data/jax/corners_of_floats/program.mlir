module @jit_corners_of_floats attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<169xf32>, %arg1: tensor<169xf32>) -> (tensor<169xf32> {jax.result_info = "result[0]"}, tensor<169xf32> {jax.result_info = "result[1]"}, tensor<169xf32> {jax.result_info = "result[2]"}, tensor<169xf32> {jax.result_info = "result[3]"}, tensor<169xf32> {jax.result_info = "result[4]"}, tensor<169xf32> {jax.result_info = "result[5]"}, tensor<169xi1> {jax.result_info = "result[6]"}, tensor<169xi1> {jax.result_info = "result[7]"}, tensor<169xi1> {jax.result_info = "result[8]"}, tensor<169xi1> {jax.result_info = "result[9]"}, tensor<169xf32> {jax.result_info = "result[10]"}, tensor<169xf32> {jax.result_info = "result[11]"}, tensor<169xf32> {jax.result_info = "result[12]"}, tensor<169xf32> {jax.result_info = "result[13]"}, tensor<169xf32> {jax.result_info = "result[14]"}, tensor<169xf32> {jax.result_info = "result[15]"}, tensor<169xf32> {jax.result_info = "result[16]"}, tensor<169xi1> {jax.result_info = "result[17]"}, tensor<169xi1> {jax.result_info = "result[18]"}, tensor<169xf32> {jax.result_info = "result[19]"}, tensor<169xi1> {jax.result_info = "result[20]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<169xf32>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<169xf32>
    %2 = stablehlo.divide %arg0, %arg1 : tensor<169xf32>
    %3 = stablehlo.maximum %arg0, %arg1 : tensor<169xf32>
    %4 = stablehlo.minimum %arg0, %arg1 : tensor<169xf32>
    %5 = stablehlo.remainder %arg0, %arg1 : tensor<169xf32>
    %6 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %7 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %8 = stablehlo.compare NE, %arg0, %arg1, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %9 = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %10 = stablehlo.power %arg0, %arg1 : tensor<169xf32>
    %11 = stablehlo.atan2 %arg0, %arg1 : tensor<169xf32>
    %12 = stablehlo.sign %arg0 : tensor<169xf32>
    %13 = stablehlo.abs %arg0 : tensor<169xf32>
    %14 = stablehlo.negate %arg0 : tensor<169xf32>
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %16 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %17 = stablehlo.clamp %15, %arg0, %16 : tensor<169xf32>
    %18 = chlo.next_after %arg0, %arg1 : tensor<169xf32>, tensor<169xf32> -> tensor<169xf32>
    %19 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %20 = stablehlo.is_finite %arg0 : (tensor<169xf32>) -> tensor<169xi1>
    %21 = call @copysign(%arg0, %arg1) : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xf32>
    %22 = call @signbit(%arg0) : (tensor<169xf32>) -> tensor<169xi1>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %17, %18, %19, %20, %21, %22 : tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xi1>, tensor<169xi1>, tensor<169xi1>, tensor<169xi1>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xi1>, tensor<169xi1>, tensor<169xf32>, tensor<169xi1>
  }
  func.func private @copysign(%arg0: tensor<169xf32>, %arg1: tensor<169xf32>) -> tensor<169xf32> {
    %0 = call @signbit(%arg1) : (tensor<169xf32>) -> tensor<169xi1>
    %1 = stablehlo.abs %arg0 : tensor<169xf32>
    %2 = stablehlo.negate %1 : tensor<169xf32>
    %3 = stablehlo.abs %arg0 : tensor<169xf32>
    %4 = call @_where(%0, %2, %3) : (tensor<169xi1>, tensor<169xf32>, tensor<169xf32>) -> tensor<169xf32>
    return %4 : tensor<169xf32>
  }
  func.func private @signbit(%arg0: tensor<169xf32>) -> tensor<169xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<169xf32>) -> tensor<169xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<169xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<169xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<169xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<169xi32>, tensor<169xi32>) -> tensor<169xi1>
    %5 = stablehlo.convert %4 : tensor<169xi1>
    return %5 : tensor<169xi1>
  }
  func.func private @_where(%arg0: tensor<169xi1>, %arg1: tensor<169xf32>, %arg2: tensor<169xf32>) -> tensor<169xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<169xi1>, tensor<169xf32>
    return %0 : tensor<169xf32>
  }
}
