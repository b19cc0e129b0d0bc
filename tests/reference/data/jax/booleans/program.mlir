module @jit_booleans attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xi1>, %arg1: tensor<9xi1>) -> (tensor<9xi1> {jax.result_info = "result[0]"}, tensor<9xi1> {jax.result_info = "result[1]"}, tensor<9xi1> {jax.result_info = "result[2]"}, tensor<9xi1> {jax.result_info = "result[3]"}, tensor<i32> {jax.result_info = "result[4]"}, tensor<9xf32> {jax.result_info = "result[5]"}, tensor<9xi1> {jax.result_info = "result[6]"}, tensor<9xi1> {jax.result_info = "result[7]"}, tensor<9xi1> {jax.result_info = "result[8]"}, tensor<9xi32> {jax.result_info = "result[9]"}, tensor<9xi32> {jax.result_info = "result[10]"}, tensor<i1> {jax.result_info = "result[11]"}, tensor<i32> {jax.result_info = "result[12]"}) {
    %0 = stablehlo.and %arg0, %arg1 : tensor<9xi1>
    %1 = stablehlo.or %arg0, %arg1 : tensor<9xi1>
    %2 = stablehlo.xor %arg0, %arg1 : tensor<9xi1>
    %3 = stablehlo.not %arg0 : tensor<9xi1>
    %4 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.reduce(%4 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<9xi32>, tensor<i32>) -> tensor<i32>
    %6 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xf32>
    %7 = stablehlo.convert %arg1 : (tensor<9xi1>) -> tensor<9xf32>
    %8 = stablehlo.add %6, %7 : tensor<9xf32>
    %9 = call @sort(%arg0) : (tensor<9xi1>) -> tensor<9xi1>
    %10 = stablehlo.compare EQ, %arg0, %arg1, UNSIGNED : (tensor<9xi1>, tensor<9xi1>) -> tensor<9xi1>
    %11 = stablehlo.compare LT, %arg0, %arg1, UNSIGNED : (tensor<9xi1>, tensor<9xi1>) -> tensor<9xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %12 = call @_where(%arg0, %c_0, %c_1) : (tensor<9xi1>, tensor<i32>, tensor<i32>) -> tensor<9xi32>
    %13 = call @cumsum(%arg1) : (tensor<9xi1>) -> tensor<9xi32>
    %14 = stablehlo.and %arg0, %arg1 : tensor<9xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %15 = stablehlo.reduce(%14 init: %c_2) applies stablehlo.or across dimensions = [0] : (tensor<9xi1>, tensor<i1>) -> tensor<i1>
    %16 = call @argmax(%arg1) : (tensor<9xi1>) -> tensor<i32>
    return %0, %1, %2, %3, %5, %8, %9, %10, %11, %12, %13, %15, %16 : tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<i32>, tensor<9xf32>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi32>, tensor<9xi32>, tensor<i1>, tensor<i32>
  }
  func.func private @sort(%arg0: tensor<9xi1>) -> tensor<9xi1> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i1>, %arg2: tensor<i1>):
      %1 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<9xi1>) -> tensor<9xi1>
    return %0 : tensor<9xi1>
  }
  func.func private @_where(%arg0: tensor<9xi1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<9xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<9xi1>, tensor<9xi32>
    return %2 : tensor<9xi32>
  }
  func.func private @cumsum(%arg0: tensor<9xi1>) -> tensor<9xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xi32>
    %1 = call @cumsum_0(%0) : (tensor<9xi32>) -> tensor<9xi32>
    return %1 : tensor<9xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<9xi32>) -> tensor<9xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[8, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 9>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<9xi32>, tensor<i32>) -> tensor<9xi32>
    return %1 : tensor<9xi32>
  }
  func.func private @argmax(%arg0: tensor<9xi1>) -> tensor<i32> {
    %0 = stablehlo.iota dim = 0 : tensor<9xi32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<9xi1>, tensor<9xi32>, tensor<i1>, tensor<i32>) -> (tensor<i1>, tensor<i32>)
     reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i1>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i1>, tensor<i32>
    }
    return %1#1 : tensor<i32>
  }
}
