module @jit_sharded_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=2]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"dp"}, {}]>, <@mesh, [{}, {"tp"}]>] out_shardings=[<@mesh, [{"dp", "tp"}, {}]>, <@mesh, [{"tp"}]>, <@mesh, [{"dp"}, {"tp"}]>] manual_axes={"dp", "tp"} (%arg2: tensor<2x8xf32>, %arg3: tensor<8x2xf32>) {
      %7 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
      %8 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %33 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %33 : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %10 = stablehlo.divide %8, %9 : tensor<2x2xf32>
      %11 = stablehlo.subtract %7, %10 : tensor<2x2xf32>
      %12 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %33 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %33 : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %13 = stablehlo.add %11, %12 : tensor<2x2xf32>
      %c = stablehlo.constant dense<2> : tensor<ui32>
      %c_3 = stablehlo.constant dense<2> : tensor<ui32>
      %14 = stablehlo.partition_id : tensor<ui32>
      %15 = stablehlo.divide %14, %c : tensor<ui32>
      %16 = stablehlo.remainder %15, %c_3 : tensor<ui32>
      %17 = stablehlo.convert %16 : (tensor<ui32>) -> tensor<i32>
      %18 = stablehlo.convert %17 : (tensor<i32>) -> tensor<f32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %20 = stablehlo.add %13, %19 : tensor<2x2xf32>
      %21 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<4x8xf32>
      %22 = "stablehlo.reduce_scatter"(%21) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %33 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %33 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
      %23 = "stablehlo.collective_permute"(%20) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %24 = "stablehlo.all_to_all"(%20) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x2xf32>) -> tensor<1x4xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %25 = stablehlo.reduce(%22 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<f32>
      %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %27 = stablehlo.add %20, %26 : tensor<2x2xf32>
      %28 = stablehlo.add %27, %23 : tensor<2x2xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %29 = stablehlo.reduce(%24 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x4xf32>, tensor<f32>) -> tensor<f32>
      %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %31 = stablehlo.add %28, %30 : tensor<2x2xf32>
      %32 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1xf32>
      sdy.return %arg2, %32, %31 : tensor<2x8xf32>, tensor<1xf32>, tensor<2x2xf32>
    } : (tensor<4x8xf32>, tensor<8x4xf32>) -> (tensor<8x8xf32>, tensor<2xf32>, tensor<4x4xf32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0#2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %3 = sdy.manual_computation(%2, %0#0, %0#1) in_shardings=[<@mesh, [{"dp"}, {"tp"}]>, <@mesh, [{"dp", "tp"}, {}]>, <@mesh, [{"tp"}]>] out_shardings=[<@mesh, [{}, {"tp"}]>] manual_axes={"dp", "tp"} (%arg2: tensor<2x2xf32>, %arg3: tensor<2x8xf32>, %arg4: tensor<1xf32>) {
      %7 = stablehlo.reshape %arg4 : (tensor<1xf32>) -> tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.reduce(%arg2 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
      %10 = "stablehlo.all_to_all"(%9) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<1x4xf32>) -> tensor<2x2xf32>
      %11 = stablehlo.add %arg2, %10 : tensor<2x2xf32>
      %12 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[2, 0], [0, 2], [3, 1], [1, 3]]> : tensor<4x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %13 = stablehlo.add %11, %12 : tensor<2x2xf32>
      %14 = "stablehlo.all_reduce"(%13) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %24 = stablehlo.add %arg5, %arg6 : tensor<f32>
        stablehlo.return %24 : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %15 = stablehlo.negate %13 : tensor<2x2xf32>
      %16 = stablehlo.add %14, %13 : tensor<2x2xf32>
      %17 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %24 = stablehlo.add %arg5, %arg6 : tensor<f32>
        stablehlo.return %24 : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %18 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %19 = stablehlo.divide %17, %18 : tensor<2x2xf32>
      %20 = stablehlo.add %16, %19 : tensor<2x2xf32>
      %21 = stablehlo.dot_general %20, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
      %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
      %23 = "stablehlo.all_reduce"(%22) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %24 = stablehlo.add %arg5, %arg6 : tensor<f32>
        stablehlo.return %24 : tensor<f32>
      }) : (tensor<8x2xf32>) -> tensor<8x2xf32>
      sdy.return %23 : tensor<8x2xf32>
    } : (tensor<4x4xf32>, tensor<8x8xf32>, tensor<2xf32>) -> tensor<8x4xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<8x4xf32>
    %6 = stablehlo.subtract %arg1, %5 : tensor<8x4xf32>
    return %6 : tensor<8x4xf32>
  }
}
