module @jit_gspmd_mlp_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<8x6xf32>, %arg3: tensor<4x6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6x8xf32> {jax.result_info = "result[1]"}, tensor<8x6xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %2 = stablehlo.custom_call @Sharding(%arg1) {backend_config = "", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<6x8xf32>) -> tensor<6x4xf32>
    %4 = stablehlo.custom_call @Sharding(%arg2) {backend_config = "", mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %5 = stablehlo.custom_call @SPMDFullToShardShape(%4) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x6xf32>) -> tensor<4x6xf32>
    %6 = stablehlo.custom_call @Sharding(%arg3) {backend_config = "", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %7 = stablehlo.custom_call @SPMDFullToShardShape(%6) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %8:3 = call @shmap_body(%1, %3, %5, %7) : (tensor<2x6xf32>, tensor<6x4xf32>, tensor<4x6xf32>, tensor<2x6xf32>) -> (tensor<f32>, tensor<6x4xf32>, tensor<4x6xf32>)
    %9 = stablehlo.custom_call @Sharding(%8#0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<f32>) -> tensor<f32>
    %10 = stablehlo.custom_call @SPMDShardToFullShape(%9) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<f32>) -> tensor<f32>
    %11 = stablehlo.custom_call @Sharding(%8#1) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %12 = stablehlo.custom_call @SPMDShardToFullShape(%11) {backend_config = "", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<6x4xf32>) -> tensor<6x8xf32>
    %13 = stablehlo.custom_call @Sharding(%8#2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %14 = stablehlo.custom_call @SPMDShardToFullShape(%13) {backend_config = "", mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<4x6xf32>) -> tensor<8x6xf32>
    return %10, %12, %14 : tensor<f32>, tensor<6x8xf32>, tensor<8x6xf32>
  }
  func.func private @shmap_body(%arg0: tensor<2x6xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<4x6xf32>, %arg3: tensor<2x6xf32>) -> (tensor<f32> {jax.result_info = "[]"}, tensor<6x4xf32> {jax.result_info = "[None, ('tp',)]"}, tensor<4x6xf32> {jax.result_info = "[('tp',), None]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.tanh %0 : tensor<2x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<2x4xf32>
    %4 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
    %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %31 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %6 = stablehlo.subtract %5, %arg3 : tensor<2x6xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<2x6xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %9 = stablehlo.multiply %8, %6 : tensor<2x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %12 = stablehlo.multiply %11, %9 : tensor<2x6xf32>
    %13 = "stablehlo.all_reduce"(%12) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %31 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %14 = stablehlo.dot_general %13, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<6x4xf32>
    %15 = stablehlo.transpose %14, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %16 = stablehlo.dot_general %13, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<4x6xf32>) -> tensor<2x4xf32>
    %17 = stablehlo.multiply %16, %3 : tensor<2x4xf32>
    %18 = stablehlo.multiply %17, %1 : tensor<2x4xf32>
    %19 = stablehlo.add %17, %18 : tensor<2x4xf32>
    %20 = stablehlo.dot_general %19, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    %21 = stablehlo.transpose %20, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %22 = "stablehlo.all_reduce"(%10) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %31 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    %23 = "stablehlo.all_reduce"(%21) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %31 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %cst_3 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<6x4xf32>
    %26 = stablehlo.subtract %arg1, %25 : tensor<6x4xf32>
    %27 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %31 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %cst_4 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<4x6xf32>
    %30 = stablehlo.subtract %arg2, %29 : tensor<4x6xf32>
    return %22, %26, %30 : tensor<f32>, tensor<6x4xf32>, tensor<4x6xf32>
  }
}
