module @jit_lstm_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x12xf32>, %arg1: tensor<6x2xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<5x12xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16:18 = stablehlo.while(%iterArg = %arg1, %iterArg_23 = %arg0, %iterArg_24 = %c, %iterArg_25 = %0, %iterArg_26 = %1, %iterArg_27 = %3, %iterArg_28 = %4, %iterArg_29 = %5, %iterArg_30 = %6, %iterArg_31 = %7, %iterArg_32 = %8, %iterArg_33 = %9, %iterArg_34 = %10, %iterArg_35 = %11, %iterArg_36 = %12, %iterArg_37 = %13, %iterArg_38 = %14, %iterArg_39 = %15) : tensor<6x2xf32>, tensor<5x12xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<6x3xf32>, tensor<6x5xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>
    cond {
      %c_40 = stablehlo.constant dense<6> : tensor<i32>
      %25 = stablehlo.compare LT, %iterArg_24, %c_40, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %25 : tensor<i1>
    } do {
      %25 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_24) : (tensor<6x2xf32>, tensor<i32>) -> tensor<2xf32>
      %26:15 = func.call @closed_call(%iterArg_23, %iterArg_25, %iterArg_26, %25) : (tensor<5x12xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      %27 = func.call @dynamic_update_index_in_dim(%iterArg_27, %26#2, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %28 = func.call @dynamic_update_index_in_dim_0(%iterArg_28, %26#3, %iterArg_24) : (tensor<6x5xf32>, tensor<5xf32>, tensor<i32>) -> tensor<6x5xf32>
      %29 = func.call @dynamic_update_index_in_dim(%iterArg_29, %26#4, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %30 = func.call @dynamic_update_index_in_dim(%iterArg_30, %26#5, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %31 = func.call @dynamic_update_index_in_dim(%iterArg_31, %26#6, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %32 = func.call @dynamic_update_index_in_dim(%iterArg_32, %26#7, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %33 = func.call @dynamic_update_index_in_dim(%iterArg_33, %26#8, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %34 = func.call @dynamic_update_index_in_dim(%iterArg_34, %26#9, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %35 = func.call @dynamic_update_index_in_dim(%iterArg_35, %26#10, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %36 = func.call @dynamic_update_index_in_dim(%iterArg_36, %26#11, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %37 = func.call @dynamic_update_index_in_dim(%iterArg_37, %26#12, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %38 = func.call @dynamic_update_index_in_dim(%iterArg_38, %26#13, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %39 = func.call @dynamic_update_index_in_dim(%iterArg_39, %26#14, %iterArg_24) : (tensor<6x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6x3xf32>
      %c_40 = stablehlo.constant dense<1> : tensor<i32>
      %40 = stablehlo.add %iterArg_24, %c_40 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_23, %40, %26#0, %26#1, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39 : tensor<6x2xf32>, tensor<5x12xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<6x3xf32>, tensor<6x5xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>
    }
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16#5 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<5x12xf32>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %24:19 = stablehlo.while(%iterArg = %20, %iterArg_23 = %16#6, %iterArg_24 = %16#7, %iterArg_25 = %16#8, %iterArg_26 = %16#9, %iterArg_27 = %16#10, %iterArg_28 = %16#11, %iterArg_29 = %16#12, %iterArg_30 = %16#13, %iterArg_31 = %16#14, %iterArg_32 = %16#15, %iterArg_33 = %16#16, %iterArg_34 = %16#17, %iterArg_35 = %2, %iterArg_36 = %arg0, %iterArg_37 = %c_22, %iterArg_38 = %23, %iterArg_39 = %21, %iterArg_40 = %22) : tensor<6x3xf32>, tensor<6x5xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<2xf32>, tensor<5x12xf32>, tensor<i32>, tensor<5x12xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c_41 = stablehlo.constant dense<6> : tensor<i32>
      %25 = stablehlo.compare LT, %iterArg_37, %c_41, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %25 : tensor<i1>
    } do {
      %c_41 = stablehlo.constant dense<6> : tensor<i32>
      %25 = stablehlo.subtract %c_41, %iterArg_37 : tensor<i32>
      %c_42 = stablehlo.constant dense<1> : tensor<i32>
      %26 = stablehlo.subtract %25, %c_42 : tensor<i32>
      %27 = func.call @dynamic_index_in_dim_1(%iterArg, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %28 = func.call @dynamic_index_in_dim_2(%iterArg_23, %26) : (tensor<6x5xf32>, tensor<i32>) -> tensor<5xf32>
      %29 = func.call @dynamic_index_in_dim_1(%iterArg_24, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %30 = func.call @dynamic_index_in_dim_1(%iterArg_25, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %31 = func.call @dynamic_index_in_dim_1(%iterArg_26, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %32 = func.call @dynamic_index_in_dim_1(%iterArg_27, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %33 = func.call @dynamic_index_in_dim_1(%iterArg_28, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %34 = func.call @dynamic_index_in_dim_1(%iterArg_29, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %35 = func.call @dynamic_index_in_dim_1(%iterArg_30, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %36 = func.call @dynamic_index_in_dim_1(%iterArg_31, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %37 = func.call @dynamic_index_in_dim_1(%iterArg_32, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %38 = func.call @dynamic_index_in_dim_1(%iterArg_33, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %39 = func.call @dynamic_index_in_dim_1(%iterArg_34, %26) : (tensor<6x3xf32>, tensor<i32>) -> tensor<3xf32>
      %40:3 = func.call @closed_call_3(%iterArg_35, %iterArg_36, %iterArg_38, %iterArg_39, %iterArg_40, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39) : (tensor<2xf32>, tensor<5x12xf32>, tensor<5x12xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<5x12xf32>, tensor<3xf32>, tensor<3xf32>)
      %c_43 = stablehlo.constant dense<1> : tensor<i32>
      %41 = stablehlo.add %iterArg_37, %c_43 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_23, %iterArg_24, %iterArg_25, %iterArg_26, %iterArg_27, %iterArg_28, %iterArg_29, %iterArg_30, %iterArg_31, %iterArg_32, %iterArg_33, %iterArg_34, %iterArg_35, %iterArg_36, %41, %40#0, %40#1, %40#2 : tensor<6x3xf32>, tensor<6x5xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>, tensor<2xf32>, tensor<5x12xf32>, tensor<i32>, tensor<5x12xf32>, tensor<3xf32>, tensor<3xf32>
    }
    return %17, %24#16 : tensor<f32>, tensor<5x12xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6x2xf32>, %arg1: tensor<i32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<6x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @closed_call(%arg0: tensor<5x12xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<2xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.concatenate %arg1, %arg3, dim = 0 : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
    %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5xf32>, tensor<5x12xf32>) -> tensor<12xf32>
    %2 = stablehlo.slice %1 [0:3] : (tensor<12xf32>) -> tensor<3xf32>
    %3 = stablehlo.slice %1 [3:6] : (tensor<12xf32>) -> tensor<3xf32>
    %4 = stablehlo.slice %1 [6:9] : (tensor<12xf32>) -> tensor<3xf32>
    %5 = stablehlo.slice %1 [9:12] : (tensor<12xf32>) -> tensor<3xf32>
    %6 = stablehlo.negate %3 : tensor<3xf32>
    %7 = stablehlo.exponential %6 : tensor<3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %9 = stablehlo.add %8, %7 : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.divide %10, %9 : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %13 = stablehlo.subtract %12, %11 : tensor<3xf32>
    %14 = stablehlo.multiply %11, %13 : tensor<3xf32>
    %15 = stablehlo.multiply %11, %arg2 : tensor<3xf32>
    %16 = stablehlo.negate %2 : tensor<3xf32>
    %17 = stablehlo.exponential %16 : tensor<3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %19 = stablehlo.add %18, %17 : tensor<3xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %21 = stablehlo.divide %20, %19 : tensor<3xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %23 = stablehlo.subtract %22, %21 : tensor<3xf32>
    %24 = stablehlo.multiply %21, %23 : tensor<3xf32>
    %25 = stablehlo.tanh %4 : tensor<3xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %27 = stablehlo.subtract %26, %25 : tensor<3xf32>
    %28 = stablehlo.multiply %21, %25 : tensor<3xf32>
    %29 = stablehlo.add %15, %28 : tensor<3xf32>
    %30 = stablehlo.negate %5 : tensor<3xf32>
    %31 = stablehlo.exponential %30 : tensor<3xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %33 = stablehlo.add %32, %31 : tensor<3xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %35 = stablehlo.divide %34, %33 : tensor<3xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %37 = stablehlo.subtract %36, %35 : tensor<3xf32>
    %38 = stablehlo.multiply %35, %37 : tensor<3xf32>
    %39 = stablehlo.tanh %29 : tensor<3xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %41 = stablehlo.subtract %40, %39 : tensor<3xf32>
    %42 = stablehlo.multiply %35, %39 : tensor<3xf32>
    return %42, %29, %42, %0, %14, %arg2, %11, %24, %25, %27, %21, %38, %39, %41, %35 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>) -> tensor<6x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<6x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<6x3xf32>
    return %1 : tensor<6x3xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<6x5xf32>, %arg1: tensor<5xf32>, %arg2: tensor<i32>) -> tensor<6x5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<6x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
    return %1 : tensor<6x5xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<6x3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<6x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<6x5xf32>, %arg1: tensor<i32>) -> tensor<5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 5] : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x5xf32>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
  func.func private @closed_call_3(%arg0: tensor<2xf32>, %arg1: tensor<5x12xf32>, %arg2: tensor<5x12xf32>, %arg3: tensor<3xf32>, %arg4: tensor<3xf32>, %arg5: tensor<3xf32>, %arg6: tensor<5xf32>, %arg7: tensor<3xf32>, %arg8: tensor<3xf32>, %arg9: tensor<3xf32>, %arg10: tensor<3xf32>, %arg11: tensor<3xf32>, %arg12: tensor<3xf32>, %arg13: tensor<3xf32>, %arg14: tensor<3xf32>, %arg15: tensor<3xf32>, %arg16: tensor<3xf32>, %arg17: tensor<3xf32>) -> (tensor<5x12xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.add %arg3, %arg5 : tensor<3xf32>
    %1 = stablehlo.multiply %arg17, %0 : tensor<3xf32>
    %2 = stablehlo.multiply %0, %arg15 : tensor<3xf32>
    %3 = stablehlo.multiply %1, %arg16 : tensor<3xf32>
    %4 = stablehlo.add %arg4, %3 : tensor<3xf32>
    %5 = stablehlo.multiply %3, %arg15 : tensor<3xf32>
    %6 = stablehlo.add %4, %5 : tensor<3xf32>
    %7 = stablehlo.multiply %2, %arg14 : tensor<3xf32>
    %8 = stablehlo.multiply %arg13, %6 : tensor<3xf32>
    %9 = stablehlo.multiply %6, %arg11 : tensor<3xf32>
    %10 = stablehlo.multiply %8, %arg12 : tensor<3xf32>
    %11 = stablehlo.multiply %10, %arg11 : tensor<3xf32>
    %12 = stablehlo.add %10, %11 : tensor<3xf32>
    %13 = stablehlo.multiply %9, %arg10 : tensor<3xf32>
    %14 = stablehlo.multiply %arg9, %6 : tensor<3xf32>
    %15 = stablehlo.multiply %6, %arg8 : tensor<3xf32>
    %16 = stablehlo.multiply %15, %arg7 : tensor<3xf32>
    %17 = stablehlo.concatenate %13, %16, %12, %7, dim = 0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<12xf32>
    %18 = stablehlo.dot_general %17, %arg6, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<12xf32>, tensor<5xf32>) -> tensor<12x5xf32>
    %19 = stablehlo.transpose %18, dims = [1, 0] : (tensor<12x5xf32>) -> tensor<5x12xf32>
    %20 = stablehlo.add %arg2, %19 : tensor<5x12xf32>
    %21 = stablehlo.dot_general %17, %arg1, contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12xf32>, tensor<5x12xf32>) -> tensor<5xf32>
    %22 = stablehlo.slice %21 [0:3] : (tensor<5xf32>) -> tensor<3xf32>
    %23 = stablehlo.slice %21 [3:5] : (tensor<5xf32>) -> tensor<2xf32>
    return %20, %22, %14 : tensor<5x12xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
