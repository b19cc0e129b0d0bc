module @jit_f64_arithmetic attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf64>, %arg1: tensor<4x6xi64>) -> (tensor<4x6xf64> {jax.result_info = "result[0]"}, tensor<4x6xf64> {jax.result_info = "result[1]"}, tensor<4x6xf64> {jax.result_info = "result[2]"}, tensor<4x4xf64> {jax.result_info = "result[3]"}, tensor<6xf64> {jax.result_info = "result[4]"}, tensor<4x6xf64> {jax.result_info = "result[5]"}, tensor<4x6xi64> {jax.result_info = "result[6]"}, tensor<4x6xi64> {jax.result_info = "result[7]"}, tensor<4x6xi64> {jax.result_info = "result[8]"}, tensor<4x6xi64> {jax.result_info = "result[9]"}, tensor<4x6xi64> {jax.result_info = "result[10]"}, tensor<4x6xf64> {jax.result_info = "result[11]"}, tensor<4x6xf32> {jax.result_info = "result[12]"}, tensor<4x6xi64> {jax.result_info = "result[13]"}, tensor<4x6xf64> {jax.result_info = "result[14]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<4x6xf64>
    %1 = chlo.erf %arg0 : tensor<4x6xf64> -> tensor<4x6xf64>
    %2 = chlo.lgamma %arg0 : tensor<4x6xf64> -> tensor<4x6xf64>
    %3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x6xf64>) -> tensor<6x4xf64>
    %4 = stablehlo.dot_general %arg0, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf64>, tensor<6x4xf64>) -> tensor<4x4xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf64>, tensor<f64>) -> tensor<6xf64>
    %6 = call @sort(%arg0) : (tensor<4x6xf64>) -> tensor<4x6xf64>
    %7 = call @argsort(%arg1) : (tensor<4x6xi64>) -> tensor<4x6xi64>
    %c = stablehlo.constant dense<1099511627776> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %9 = stablehlo.multiply %arg1, %8 : tensor<4x6xi64>
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %10 = call @floor_divide(%arg1, %c_0) : (tensor<4x6xi64>, tensor<i64>) -> tensor<4x6xi64>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %12 = stablehlo.shift_right_arithmetic %arg1, %11 : tensor<4x6xi64>
    %cst_2 = stablehlo.constant dense<1.000000e+10> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
    %14 = stablehlo.multiply %arg0, %13 : tensor<4x6xf64>
    %15 = stablehlo.convert %14 : (tensor<4x6xf64>) -> tensor<4x6xi64>
    %16 = stablehlo.convert %arg1 : (tensor<4x6xi64>) -> tensor<4x6xf64>
    %cst_3 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
    %18 = stablehlo.divide %16, %17 : tensor<4x6xf64>
    %19 = stablehlo.convert %arg0 : (tensor<4x6xf64>) -> tensor<4x6xf32>
    %20 = call @cumsum(%arg1) : (tensor<4x6xi64>) -> tensor<4x6xi64>
    %21 = stablehlo.tanh %arg0 : tensor<4x6xf64>
    %22 = chlo.erf_inv %21 : tensor<4x6xf64> -> tensor<4x6xf64>
    return %0, %1, %2, %4, %5, %6, %7, %9, %10, %12, %15, %18, %19, %20, %22 : tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x4xf64>, tensor<6xf64>, tensor<4x6xf64>, tensor<4x6xi64>, tensor<4x6xi64>, tensor<4x6xi64>, tensor<4x6xi64>, tensor<4x6xi64>, tensor<4x6xf64>, tensor<4x6xf32>, tensor<4x6xi64>, tensor<4x6xf64>
  }
  func.func private @sort(%arg0: tensor<4x6xf64>) -> tensor<4x6xf64> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f64>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f64>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f64>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f64>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<4x6xf64>) -> tensor<4x6xf64>
    return %0 : tensor<4x6xf64>
  }
  func.func private @argsort(%arg0: tensor<4x6xi64>) -> tensor<4x6xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<4x6xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<4x6xi64>, tensor<4x6xi64>) -> (tensor<4x6xi64>, tensor<4x6xi64>)
    return %1#1 : tensor<4x6xi64>
  }
  func.func private @floor_divide(%arg0: tensor<4x6xi64>, %arg1: tensor<i64>) -> tensor<4x6xi64> {
    %0 = stablehlo.convert %arg1 : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %2 = stablehlo.divide %arg0, %1 : tensor<4x6xi64>
    %3 = stablehlo.sign %arg0 : tensor<4x6xi64>
    %4 = stablehlo.sign %0 : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %8 = stablehlo.remainder %arg0, %7 : tensor<4x6xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %11 = stablehlo.and %6, %10 : tensor<4x6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %13 = stablehlo.subtract %2, %12 : tensor<4x6xi64>
    %14 = call @_where(%11, %13, %2) : (tensor<4x6xi1>, tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi64>
    return %14 : tensor<4x6xi64>
  }
  func.func private @_where(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xi64>, %arg2: tensor<4x6xi64>) -> tensor<4x6xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xi64>
    return %0 : tensor<4x6xi64>
  }
  func.func private @cumsum(%arg0: tensor<4x6xi64>) -> tensor<4x6xi64> {
    %0 = call @cumsum_0(%arg0) : (tensor<4x6xi64>) -> tensor<4x6xi64>
    return %0 : tensor<4x6xi64>
  }
  func.func private @cumsum_0(%arg0: tensor<4x6xi64>) -> tensor<4x6xi64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<i64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i64>
      stablehlo.return %2 : tensor<i64>
    }) : (tensor<4x6xi64>, tensor<i64>) -> tensor<4x6xi64>
    return %1 : tensor<4x6xi64>
  }
}
