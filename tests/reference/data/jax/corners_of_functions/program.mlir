module @jit_corners_of_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<169xf32>, %arg1: tensor<169xf32>) -> (tensor<169xf32> {jax.result_info = "result[0]"}, tensor<169xf32> {jax.result_info = "result[1]"}, tensor<169xf32> {jax.result_info = "result[2]"}, tensor<169xf32> {jax.result_info = "result[3]"}, tensor<169xf32> {jax.result_info = "result[4]"}, tensor<169xf32> {jax.result_info = "result[5]"}, tensor<169xf32> {jax.result_info = "result[6]"}, tensor<169xf32> {jax.result_info = "result[7]"}, tensor<169xf32> {jax.result_info = "result[8]"}, tensor<169xf32> {jax.result_info = "result[9]"}, tensor<169xf32> {jax.result_info = "result[10]"}, tensor<169xf32> {jax.result_info = "result[11]"}, tensor<169xf32> {jax.result_info = "result[12]"}, tensor<169xi1> {jax.result_info = "result[13]"}, tensor<f32> {jax.result_info = "result[14]"}, tensor<f32> {jax.result_info = "result[15]"}, tensor<f32> {jax.result_info = "result[16]"}, tensor<169xf32> {jax.result_info = "result[17]"}, tensor<169xf32> {jax.result_info = "result[18]"}) {
    %0 = call @nan_to_num(%arg0) : (tensor<169xf32>) -> tensor<169xf32>
    %1 = stablehlo.exponential %arg0 : tensor<169xf32>
    %2 = stablehlo.log %arg0 : tensor<169xf32>
    %3 = stablehlo.sqrt %arg0 : tensor<169xf32>
    %4 = stablehlo.tanh %arg0 : tensor<169xf32>
    %5 = stablehlo.negate %arg0 : tensor<169xf32>
    %6 = stablehlo.exponential %5 : tensor<169xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %8 = stablehlo.add %7, %6 : tensor<169xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %10 = stablehlo.divide %9, %8 : tensor<169xf32>
    %11 = stablehlo.floor %arg0 : tensor<169xf32>
    %12 = stablehlo.ceil %arg0 : tensor<169xf32>
    %13 = call @round(%arg0) : (tensor<169xf32>) -> tensor<169xf32>
    %14 = stablehlo.round_nearest_afz %arg0 : tensor<169xf32>
    %15 = call @trunc(%arg0) : (tensor<169xf32>) -> tensor<169xf32>
    %16 = stablehlo.log_plus_one %arg0 : tensor<169xf32>
    %17 = stablehlo.exponential_minus_one %arg0 : tensor<169xf32>
    %18 = call @isinf(%arg1) : (tensor<169xf32>) -> tensor<169xi1>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %19 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.maximum across dimensions = [0] : (tensor<169xf32>, tensor<f32>) -> tensor<f32>
    %20 = call @nanmax(%arg0) : (tensor<169xf32>) -> tensor<f32>
    %c = stablehlo.constant dense<-5> : tensor<i32>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %21 = call @clip(%arg0, %c, %c_2) : (tensor<169xf32>, tensor<i32>, tensor<i32>) -> tensor<169xf32>
    %22 = call @nansum(%21) : (tensor<169xf32>) -> tensor<f32>
    %23 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %24 = call @_where_0(%23, %arg0, %arg1) : (tensor<169xi1>, tensor<169xf32>, tensor<169xf32>) -> tensor<169xf32>
    %25 = call @rint(%arg1) : (tensor<169xf32>) -> tensor<169xf32>
    return %1, %2, %3, %4, %10, %11, %12, %13, %14, %15, %16, %17, %0, %18, %19, %20, %22, %24, %25 : tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xf32>, tensor<169xi1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<169xf32>, tensor<169xf32>
  }
  func.func private @nan_to_num(%arg0: tensor<169xf32>) -> tensor<169xf32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = call @_where(%0, %cst, %arg0) : (tensor<169xi1>, tensor<f32>, tensor<169xf32>) -> tensor<169xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %3 = stablehlo.compare EQ, %1, %2, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %cst_1 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %1) : (tensor<169xi1>, tensor<f32>, tensor<169xf32>) -> tensor<169xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %6 = stablehlo.compare EQ, %4, %5, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %cst_3 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %7 = call @_where(%6, %cst_3, %4) : (tensor<169xi1>, tensor<f32>, tensor<169xf32>) -> tensor<169xf32>
    return %7 : tensor<169xf32>
  }
  func.func private @_where(%arg0: tensor<169xi1>, %arg1: tensor<f32>, %arg2: tensor<169xf32>) -> tensor<169xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<169xi1>, tensor<169xf32>
    return %1 : tensor<169xf32>
  }
  func.func private @round(%arg0: tensor<169xf32>) -> tensor<169xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<169xf32>
    return %0 : tensor<169xf32>
  }
  func.func private @trunc(%arg0: tensor<169xf32>) -> tensor<169xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %1 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %2 = stablehlo.ceil %arg0 : tensor<169xf32>
    %3 = stablehlo.floor %arg0 : tensor<169xf32>
    %4 = call @_where_0(%1, %2, %3) : (tensor<169xi1>, tensor<169xf32>, tensor<169xf32>) -> tensor<169xf32>
    return %4 : tensor<169xf32>
  }
  func.func private @_where_0(%arg0: tensor<169xi1>, %arg1: tensor<169xf32>, %arg2: tensor<169xf32>) -> tensor<169xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<169xi1>, tensor<169xf32>
    return %0 : tensor<169xf32>
  }
  func.func private @isinf(%arg0: tensor<169xf32>) -> tensor<169xi1> {
    %0 = stablehlo.abs %arg0 : tensor<169xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    return %2 : tensor<169xi1>
  }
  func.func private @nanmax(%arg0: tensor<169xf32>) -> tensor<f32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = call @_where(%0, %cst, %arg0) : (tensor<169xi1>, tensor<f32>, tensor<169xf32>) -> tensor<169xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<169xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %4 = stablehlo.reduce(%3 init: %c) applies stablehlo.and across dimensions = [0] : (tensor<169xi1>, tensor<i1>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %5 = call @_where_1(%4, %cst_1, %2) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    return %5 : tensor<f32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @clip(%arg0: tensor<169xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<169xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<169xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<169xf32>
    return %5 : tensor<169xf32>
  }
  func.func private @nansum(%arg0: tensor<169xf32>) -> tensor<f32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = call @_where(%0, %cst, %arg0) : (tensor<169xi1>, tensor<f32>, tensor<169xf32>) -> tensor<169xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<169xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @rint(%arg0: tensor<169xf32>) -> tensor<169xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<169xf32>
    return %0 : tensor<169xf32>
  }
}
