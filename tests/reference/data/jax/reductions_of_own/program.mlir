module @jit_reductions_of_own attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xi32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<6xi32> {jax.result_info = "result[1]"}, tensor<i32> {jax.result_info = "result[2]"}, tensor<4xf32> {jax.result_info = "result[3][0]"}, tensor<4xi32> {jax.result_info = "result[3][1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      %5 = stablehlo.add %arg2, %arg3 : tensor<f32>
      %6 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
      %7 = stablehlo.add %5, %6 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4x6xi32>, tensor<i32>) -> tensor<6xi32>
    %c_0 = stablehlo.constant dense<-1> : tensor<i32>
    %2 = stablehlo.reduce(%arg1 init: %c_0) applies stablehlo.and across dimensions = [0, 1] : (tensor<4x6xi32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.abs %arg0 : tensor<4x6xf32>
    %cst_1 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %c_2 = stablehlo.constant dense<-1> : tensor<i32>
    %4:2 = stablehlo.reduce(%3 init: %cst_1), (%arg1 init: %c_2) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<i32>, %arg5: tensor<i32>)  {
      %5 = stablehlo.maximum %arg2, %arg4 : tensor<f32>
      %6 = stablehlo.compare GE, %arg2, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %7 = func.call @_where(%6, %arg3, %arg5) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      stablehlo.return %5, %7 : tensor<f32>, tensor<i32>
    }
    return %0, %1, %2, %4#0, %4#1 : tensor<4xf32>, tensor<6xi32>, tensor<i32>, tensor<4xf32>, tensor<4xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
