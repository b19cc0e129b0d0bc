module @jit_sort_by_several_keys attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x7xf32>, %arg1: tensor<4x7xi32>) -> (tensor<7xi32> {jax.result_info = "result[0]"}, tensor<4x7xi32> {jax.result_info = "result[1][0]"}, tensor<4x7xf32> {jax.result_info = "result[1][1]"}, tensor<4x7xi32> {jax.result_info = "result[2][0]"}, tensor<4x7xf32> {jax.result_info = "result[2][1]"}, tensor<4x7xi32> {jax.result_info = "result[2][2]"}) {
    %0 = stablehlo.slice %arg1 [0:1, 0:7] : (tensor<4x7xi32>) -> tensor<1x7xi32>
    %1 = stablehlo.reshape %0 : (tensor<1x7xi32>) -> tensor<7xi32>
    %2 = stablehlo.slice %arg1 [1:2, 0:7] : (tensor<4x7xi32>) -> tensor<1x7xi32>
    %3 = stablehlo.reshape %2 : (tensor<1x7xi32>) -> tensor<7xi32>
    %4 = call @lexsort(%1, %3) : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi32>
    %5:2 = "stablehlo.sort"(%arg1, %arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %8 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }) : (tensor<4x7xi32>, tensor<4x7xf32>) -> (tensor<4x7xi32>, tensor<4x7xf32>)
    %6 = stablehlo.negate %arg1 : tensor<4x7xi32>
    %7:3 = "stablehlo.sort"(%arg1, %arg0, %6) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.compare EQ, %arg4, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.select %8, %cst_0, %arg4 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %11 = stablehlo.select %10, %cst_1, %9 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %12 = stablehlo.compare EQ, %arg5, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %13 = stablehlo.select %12, %cst_3, %arg5 : tensor<i1>, tensor<f32>
      %14 = stablehlo.compare NE, %arg5, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %15 = stablehlo.select %14, %cst_4, %13 : tensor<i1>, tensor<f32>
      %16 = stablehlo.compare LT, %11, %15, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %17 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %18 = stablehlo.compare EQ, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %19 = stablehlo.and %18, %16 : tensor<i1>
      %20 = stablehlo.or %17, %19 : tensor<i1>
      stablehlo.return %20 : tensor<i1>
    }) : (tensor<4x7xi32>, tensor<4x7xf32>, tensor<4x7xi32>) -> (tensor<4x7xi32>, tensor<4x7xf32>, tensor<4x7xi32>)
    return %4, %5#0, %5#1, %7#0, %7#1, %7#2 : tensor<7xi32>, tensor<4x7xi32>, tensor<4x7xf32>, tensor<4x7xi32>, tensor<4x7xf32>, tensor<4x7xi32>
  }
  func.func private @lexsort(%arg0: tensor<7xi32>, %arg1: tensor<7xi32>) -> tensor<7xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<7xi32>
    %1:3 = "stablehlo.sort"(%arg1, %arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i32>):
      %2 = stablehlo.compare LT, %arg4, %arg5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.compare EQ, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %5 = stablehlo.and %4, %2 : tensor<i1>
      %6 = stablehlo.or %3, %5 : tensor<i1>
      stablehlo.return %6 : tensor<i1>
    }) : (tensor<7xi32>, tensor<7xi32>, tensor<7xi32>) -> (tensor<7xi32>, tensor<7xi32>, tensor<7xi32>)
    return %1#2 : tensor<7xi32>
  }
}
