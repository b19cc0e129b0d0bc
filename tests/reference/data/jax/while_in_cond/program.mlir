module @jit_while_in_cond attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}, tensor<4xf32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3][0]"}, tensor<4xf32> {jax.result_info = "result[3][1]"}) {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.compare GT, %arg0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      stablehlo.return %arg1 : tensor<4xf32>
    }, {
      %10 = stablehlo.while(%iterArg = %arg1) : tensor<4xf32>
      cond {
        %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %11 = stablehlo.reduce(%iterArg init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %12 = stablehlo.compare GT, %11, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %12 : tensor<i1>
      } do {
        %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %12 = stablehlo.divide %iterArg, %11 : tensor<4xf32>
        stablehlo.return %12 : tensor<4xf32>
      }
      stablehlo.return %10 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %3 = stablehlo.compare GT, %arg0, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.convert %3 : (tensor<i1>) -> tensor<i32>
    %5 = "stablehlo.case"(%4) ({
      %10 = stablehlo.negate %arg1 : tensor<4xf32>
      stablehlo.return %10 : tensor<4xf32>
    }, {
      %10 = stablehlo.while(%iterArg = %arg1) : tensor<4xf32>
      cond {
        %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %11 = stablehlo.reduce(%iterArg init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %12 = stablehlo.compare GT, %11, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %12 : tensor<i1>
      } do {
        %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %12 = stablehlo.divide %iterArg, %11 : tensor<4xf32>
        stablehlo.return %12 : tensor<4xf32>
      }
      stablehlo.return %10 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6:3 = stablehlo.while(%iterArg = %c_1, %iterArg_3 = %arg0, %iterArg_4 = %arg1) : tensor<i32>, tensor<i32>, tensor<4xf32>
    cond {
      %10 = stablehlo.compare LT, %iterArg, %iterArg_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %iterArg, %c_5 : tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %11 = stablehlo.reduce(%iterArg_4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %cst_6 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
      %12 = stablehlo.compare GT, %11, %cst_6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %13 = stablehlo.convert %12 : (tensor<i1>) -> tensor<i32>
      %14 = "stablehlo.case"(%13) ({
        %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %15 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %16 = stablehlo.multiply %iterArg_4, %15 : tensor<4xf32>
        %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %17 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %18 = stablehlo.add %16, %17 : tensor<4xf32>
        stablehlo.return %18 : tensor<4xf32>
      }, {
        %cst_7 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
        %15 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %16 = stablehlo.subtract %iterArg_4, %15 : tensor<4xf32>
        stablehlo.return %16 : tensor<4xf32>
      }) : (tensor<i32>) -> tensor<4xf32>
      stablehlo.return %10, %iterArg_3, %14 : tensor<i32>, tensor<i32>, tensor<4xf32>
    }
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %7 = stablehlo.compare GT, %arg0, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.convert %7 : (tensor<i1>) -> tensor<i32>
    %9:2 = "stablehlo.case"(%8) ({
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      stablehlo.return %cst, %arg1 : tensor<f32>, tensor<4xf32>
    }, {
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %11:4 = stablehlo.while(%iterArg = %arg1, %iterArg_5 = %c_4, %iterArg_6 = %cst, %iterArg_7 = %10) : tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<4xf32>
      cond {
        %c_8 = stablehlo.constant dense<4> : tensor<i32>
        %12 = stablehlo.compare LT, %iterArg_5, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %12 : tensor<i1>
      } do {
        %12 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_5) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
        %13:2 = func.call @closed_call(%iterArg_6, %12) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
        %14 = func.call @dynamic_update_index_in_dim(%iterArg_7, %13#1, %iterArg_5) : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
        %c_8 = stablehlo.constant dense<1> : tensor<i32>
        %15 = stablehlo.add %iterArg_5, %c_8 : tensor<i32>
        stablehlo.return %iterArg, %15, %13#0, %14 : tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<4xf32>
      }
      stablehlo.return %11#2, %11#3 : tensor<f32>, tensor<4xf32>
    }) : (tensor<i32>) -> (tensor<f32>, tensor<4xf32>)
    return %2, %5, %6#2, %9#0, %9#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.add %0, %arg1 : tensor<f32>
    %2 = stablehlo.convert %arg0 : tensor<f32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<f32>
    return %1, %3 : tensor<f32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
