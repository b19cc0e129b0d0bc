module @jit_floats_to_integers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<169xf32>, %arg1: tensor<169xf32>) -> (tensor<169xi8> {jax.result_info = "result[0]"}, tensor<169xi16> {jax.result_info = "result[1]"}, tensor<169xi32> {jax.result_info = "result[2]"}, tensor<169xi1> {jax.result_info = "result[3]"}, tensor<169xui8> {jax.result_info = "result[4]"}, tensor<169xui16> {jax.result_info = "result[5]"}, tensor<169xui32> {jax.result_info = "result[6]"}, tensor<169xi32> {jax.result_info = "result[7]"}, tensor<169xf16> {jax.result_info = "result[8]"}) {
    %0 = call @nan_to_num(%arg0) : (tensor<169xf32>) -> tensor<169xf32>
    %c = stablehlo.constant dense<-100> : tensor<i32>
    %c_0 = stablehlo.constant dense<100> : tensor<i32>
    %1 = call @clip(%0, %c, %c_0) : (tensor<169xf32>, tensor<i32>, tensor<i32>) -> tensor<169xf32>
    %2 = stablehlo.convert %1 : (tensor<169xf32>) -> tensor<169xi8>
    %3 = stablehlo.convert %1 : (tensor<169xf32>) -> tensor<169xi16>
    %4 = stablehlo.convert %1 : (tensor<169xf32>) -> tensor<169xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %6 = stablehlo.compare NE, %1, %5, FLOAT : (tensor<169xf32>, tensor<169xf32>) -> tensor<169xi1>
    %7 = stablehlo.convert %6 : tensor<169xi1>
    %8 = stablehlo.abs %1 : tensor<169xf32>
    %9 = stablehlo.convert %8 : (tensor<169xf32>) -> tensor<169xui8>
    %10 = stablehlo.abs %1 : tensor<169xf32>
    %11 = stablehlo.convert %10 : (tensor<169xf32>) -> tensor<169xui16>
    %12 = stablehlo.abs %1 : tensor<169xf32>
    %13 = stablehlo.convert %12 : (tensor<169xf32>) -> tensor<169xui32>
    %14 = stablehlo.bitcast_convert %1 : (tensor<169xf32>) -> tensor<169xi32>
    %15 = stablehlo.convert %1 : (tensor<169xf32>) -> tensor<169xi16>
    %16 = stablehlo.convert %15 : (tensor<169xi16>) -> tensor<169xf16>
    return %2, %3, %4, %7, %9, %11, %13, %14, %16 : tensor<169xi8>, tensor<169xi16>, tensor<169xi32>, tensor<169xi1>, tensor<169xui8>, tensor<169xui16>, tensor<169xui32>, tensor<169xi32>, tensor<169xf16>
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
  func.func private @clip(%arg0: tensor<169xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<169xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<169xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<169xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<169xf32>
    return %5 : tensor<169xf32>
  }
}
