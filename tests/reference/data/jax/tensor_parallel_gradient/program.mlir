module @jit_tensor_parallel_gradient attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["model"=2]> {stablehlo.mesh = {axes = [{name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<8x6xf32>) -> (tensor<6x8xf32> {jax.result_info = "result[0]"}, tensor<8x6xf32> {jax.result_info = "result[1]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {"model"}]>, <@mesh, [{"model"}, {}]>] out_shardings=[<@mesh, [{"model"}, {}]>, <@mesh, [{"model"}, {}]>, <@mesh, [{}, {}]>] manual_axes={"model"} (%arg3: tensor<4x6xf32>, %arg4: tensor<6x4xf32>, %arg5: tensor<4x6xf32>) {
      %10 = stablehlo.dot_general %arg3, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
      %11 = stablehlo.tanh %10 : tensor<4x4xf32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %13 = stablehlo.subtract %12, %11 : tensor<4x4xf32>
      %14 = stablehlo.dot_general %11, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      %15 = "stablehlo.all_reduce"(%14) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %16 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      sdy.return %11, %13, %15 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x6xf32>
    } : (tensor<4x6xf32>, tensor<6x8xf32>, tensor<8x6xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x6xf32>)
    %1 = stablehlo.multiply %0#2, %0#2 : tensor<4x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.multiply %2, %0#2 : tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %6 = stablehlo.multiply %5, %3 : tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %8 = stablehlo.divide %6, %7 : tensor<4x6xf32>
    %9:2 = sdy.manual_computation(%8, %arg0, %0#0, %0#1, %arg2) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"model"}, {}]>, <@mesh, [{"model"}, {}]>, <@mesh, [{"model"}, {}]>] out_shardings=[<@mesh, [{}, {"model"}]>, <@mesh, [{"model"}, {}]>] manual_axes={"model"} (%arg3: tensor<4x6xf32>, %arg4: tensor<4x6xf32>, %arg5: tensor<4x4xf32>, %arg6: tensor<4x4xf32>, %arg7: tensor<4x6xf32>) {
      %10 = "stablehlo.all_reduce"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %19 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %19 : tensor<f32>
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %11 = stablehlo.dot_general %10, %arg5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
      %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
      %13 = stablehlo.dot_general %10, %arg7, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>
      %14 = stablehlo.multiply %13, %arg6 : tensor<4x4xf32>
      %15 = stablehlo.multiply %14, %arg5 : tensor<4x4xf32>
      %16 = stablehlo.add %14, %15 : tensor<4x4xf32>
      %17 = stablehlo.dot_general %16, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
      sdy.return %18, %12 : tensor<6x4xf32>, tensor<4x6xf32>
    } : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x6xf32>) -> (tensor<6x8xf32>, tensor<8x6xf32>)
    return %9#0, %9#1 : tensor<6x8xf32>, tensor<8x6xf32>
  }
}
