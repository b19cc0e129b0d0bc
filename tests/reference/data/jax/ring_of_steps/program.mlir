module @jit_ring_of_steps attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]> {stablehlo.mesh = {axes = [{name = "i", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xf32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"i"}, {}]>, <@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}]>] manual_axes={"i"} (%arg2: tensor<2x4xf32>, %arg3: tensor<2x4xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %c_0 = stablehlo.constant dense<0> : tensor<i32>
      %2:5 = stablehlo.while(%iterArg = %arg2, %iterArg_1 = %c_0, %iterArg_2 = %c, %iterArg_3 = %arg3, %iterArg_4 = %1) : tensor<2x4xf32>, tensor<i32>, tensor<i32>, tensor<2x4xf32>, tensor<2xf32>
      cond {
        %c_5 = stablehlo.constant dense<4> : tensor<i32>
        %3 = stablehlo.compare LT, %iterArg_1, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      } do {
        %3:3 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3, %iterArg_4) : (tensor<2x4xf32>, tensor<i32>, tensor<2x4xf32>, tensor<2xf32>) -> (tensor<i32>, tensor<2x4xf32>, tensor<2xf32>)
        %c_5 = stablehlo.constant dense<1> : tensor<i32>
        %4 = stablehlo.add %iterArg_1, %c_5 : tensor<i32>
        stablehlo.return %iterArg, %4, %3#0, %3#1, %3#2 : tensor<2x4xf32>, tensor<i32>, tensor<i32>, tensor<2x4xf32>, tensor<2xf32>
      }
      sdy.return %2#4 : tensor<2xf32>
    } : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @closed_call(%arg0: tensor<2x4xf32>, %arg1: tensor<i32>, %arg2: tensor<2x4xf32>, %arg3: tensor<2xf32>) -> (tensor<i32>, tensor<2x4xf32>, tensor<2xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.add %arg3, %4 : tensor<2xf32>
    return %0, %1, %5 : tensor<i32>, tensor<2x4xf32>, tensor<2xf32>
  }
}
