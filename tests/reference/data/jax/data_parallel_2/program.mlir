module @jit_data_parallel_2 attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<3x2xf32>, %arg1: tensor<8x3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{"data"}, {}]>] out_shardings=[<@mesh, []>, <@mesh, [{}, {}]>] manual_axes={"data"} (%arg2: tensor<3x2xf32>, %arg3: tensor<4x3xf32>) {
      %1 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
      %2 = stablehlo.tanh %1 : tensor<4x2xf32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
      %4 = stablehlo.subtract %3, %2 : tensor<4x2xf32>
      %5 = stablehlo.multiply %2, %2 : tensor<4x2xf32>
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
      %7 = stablehlo.multiply %6, %2 : tensor<4x2xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
      %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %9 = stablehlo.divide %8, %cst_2 : tensor<f32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %10 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
      %12 = stablehlo.multiply %11, %7 : tensor<4x2xf32>
      %13 = stablehlo.multiply %12, %4 : tensor<4x2xf32>
      %14 = stablehlo.multiply %13, %2 : tensor<4x2xf32>
      %15 = stablehlo.add %13, %14 : tensor<4x2xf32>
      %16 = stablehlo.dot_general %15, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
      %17 = stablehlo.transpose %16, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %18 = "stablehlo.all_reduce"(%9) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %26 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %26 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %19 = stablehlo.divide %18, %cst_5 : tensor<f32>
      %20 = "stablehlo.all_reduce"(%17) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %26 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %26 : tensor<f32>
      }) : (tensor<3x2xf32>) -> tensor<3x2xf32>
      %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %21 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
      %22 = stablehlo.multiply %21, %20 : tensor<3x2xf32>
      %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %23 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
      %24 = stablehlo.divide %22, %23 : tensor<3x2xf32>
      %25 = stablehlo.subtract %arg2, %24 : tensor<3x2xf32>
      sdy.return %19, %25 : tensor<f32>, tensor<3x2xf32>
    } : (tensor<3x2xf32>, tensor<8x3xf32>) -> (tensor<f32>, tensor<3x2xf32>)
    return %0#0, %0#1 : tensor<f32>, tensor<3x2xf32>
  }
}
