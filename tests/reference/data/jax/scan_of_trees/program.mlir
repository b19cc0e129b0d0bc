module @jit_scan_of_trees attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xf32>, %arg1: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0][0][0]"}, tensor<i32> {jax.result_info = "result[0][0][1]"}, tensor<5xf32> {jax.result_info = "result[0][0][2]['last']"}, tensor<5xf32> {jax.result_info = "result[0][0][2]['sum']"}, tensor<2xi32> {jax.result_info = "result[0][1][0]"}, tensor<2x2xf32> {jax.result_info = "result[0][1][1]"}, tensor<2xi1> {jax.result_info = "result[0][1][2]"}, tensor<3xf32> {jax.result_info = "result[1][0]"}, tensor<4x3xf32> {jax.result_info = "result[1][1]"}, tensor<5xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %c_4 = stablehlo.constant dense<false> : tensor<i1>
    %4 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<2xi1>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %5:10 = stablehlo.while(%iterArg = %arg0, %iterArg_9 = %arg1, %iterArg_10 = %c_5, %iterArg_11 = %cst_1, %iterArg_12 = %c, %iterArg_13 = %1, %iterArg_14 = %0, %iterArg_15 = %2, %iterArg_16 = %3, %iterArg_17 = %4) : tensor<2x5xf32>, tensor<3xf32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi32>, tensor<2x2xf32>, tensor<2xi1>
    cond {
      %c_18 = stablehlo.constant dense<2> : tensor<i32>
      %17 = stablehlo.compare LT, %iterArg_10, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %17 : tensor<i1>
    } do {
      %17 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_10) : (tensor<2x5xf32>, tensor<i32>) -> tensor<5xf32>
      %18:7 = func.call @closed_call(%iterArg_9, %iterArg_11, %iterArg_12, %iterArg_13, %iterArg_14, %17) : (tensor<3xf32>, tensor<f32>, tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<f32>, tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<i32>, tensor<2xf32>, tensor<i1>)
      %19 = func.call @dynamic_update_index_in_dim(%iterArg_15, %18#4, %iterArg_10) : (tensor<2xi32>, tensor<i32>, tensor<i32>) -> tensor<2xi32>
      %20 = func.call @dynamic_update_index_in_dim_0(%iterArg_16, %18#5, %iterArg_10) : (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2x2xf32>
      %21 = func.call @dynamic_update_index_in_dim_1(%iterArg_17, %18#6, %iterArg_10) : (tensor<2xi1>, tensor<i1>, tensor<i32>) -> tensor<2xi1>
      %c_18 = stablehlo.constant dense<1> : tensor<i32>
      %22 = stablehlo.add %iterArg_10, %c_18 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_9, %22, %18#0, %18#1, %18#2, %18#3, %19, %20, %21 : tensor<2x5xf32>, tensor<3xf32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi32>, tensor<2x2xf32>, tensor<2xi1>
    }
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %7:3 = stablehlo.while(%iterArg = %c_7, %iterArg_9 = %arg1, %iterArg_10 = %6) : tensor<i32>, tensor<3xf32>, tensor<4x3xf32>
    cond {
      %c_11 = stablehlo.constant dense<4> : tensor<i32>
      %17 = stablehlo.compare LT, %iterArg, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %17 : tensor<i1>
    } do {
      %17:2 = func.call @closed_call_2(%iterArg_9) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
      %18 = func.call @dynamic_update_index_in_dim_3(%iterArg_10, %17#1, %iterArg) : (tensor<4x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<4x3xf32>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %19 = stablehlo.add %iterArg, %c_11 : tensor<i32>
      stablehlo.return %19, %17#0, %18 : tensor<i32>, tensor<3xf32>, tensor<4x3xf32>
    }
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %9 = stablehlo.slice %arg0 [0:0, 0:5] : (tensor<2x5xf32>) -> tensor<0x5xf32>
    %10 = stablehlo.slice %arg0 [0:2, 0:5] : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %11 = stablehlo.slice %10 [0:1, 0:5] : (tensor<2x5xf32>) -> tensor<1x5xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x5xf32>) -> tensor<5xf32>
    %13 = call @closed_call_4(%8, %12) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %14 = stablehlo.slice %10 [1:2, 0:5] : (tensor<2x5xf32>) -> tensor<1x5xf32>
    %15 = stablehlo.reshape %14 : (tensor<1x5xf32>) -> tensor<5xf32>
    %16 = call @closed_call_4(%13, %15) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    return %5#3, %5#4, %5#5, %5#6, %5#7, %5#8, %5#9, %7#1, %7#2, %16 : tensor<f32>, tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi32>, tensor<2x2xf32>, tensor<2xi1>, tensor<3xf32>, tensor<4x3xf32>, tensor<5xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x5xf32>, %arg1: tensor<i32>) -> tensor<5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 5] : (tensor<2x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x5xf32>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<5xf32>, %arg4: tensor<5xf32>, %arg5: tensor<5xf32>) -> (tensor<f32>, tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<i32>, tensor<2xf32>, tensor<i1>) {
    %0 = stablehlo.add %arg4, %arg5 : tensor<5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg5 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.convert %arg1 : tensor<f32>
    %3 = stablehlo.add %2, %1 : tensor<f32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.add %arg2, %c : tensor<i32>
    %5 = stablehlo.slice %arg5 [0:2] : (tensor<5xf32>) -> tensor<2xf32>
    %6 = stablehlo.slice %arg0 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %9 = stablehlo.multiply %5, %8 : tensor<2xf32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %10 = call @remainder(%arg2, %c_0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.compare EQ, %10, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    return %3, %4, %arg5, %0, %arg2, %9, %11 : tensor<f32>, tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<i32>, tensor<2xf32>, tensor<i1>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare EQ, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @_where(%0, %c_0, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare NE, %2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare LT, %2, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = stablehlo.and %6, %3 : tensor<i1>
    %8 = stablehlo.add %2, %1 : tensor<i32>
    %9 = stablehlo.select %7, %8, %2 : tensor<i1>, tensor<i32>
    return %9 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<2xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
    return %1 : tensor<2xi32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>) -> tensor<2x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<2x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<2xi1>, %arg1: tensor<i1>, %arg2: tensor<i32>) -> tensor<2xi1> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<2xi1>, tensor<1xi1>, tensor<i32>) -> tensor<2xi1>
    return %1 : tensor<2xi1>
  }
  func.func private @closed_call_2(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<3xf32>
    return %1, %arg0 : tensor<3xf32>, tensor<3xf32>
  }
  func.func private @dynamic_update_index_in_dim_3(%arg0: tensor<4x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>) -> tensor<4x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  }
  func.func private @closed_call_4(%arg0: tensor<5xf32>, %arg1: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}
