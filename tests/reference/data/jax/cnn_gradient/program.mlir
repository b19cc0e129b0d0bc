module @jit_cnn_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x3xf32>, %arg1: tensor<4x1x3x3xf32>, %arg2: tensor<4x2x3x3xf32>, %arg3: tensor<4x1x1xf32>, %arg4: tensor<4x1x1xf32>, %arg5: tensor<4x1x1xf32>, %arg6: tensor<6x4x3x3xf32>, %arg7: tensor<4x1x1xf32>, %arg8: tensor<2x2x8x8xf32>) -> (tensor<6x3xf32> {jax.result_info = "result[0]['dense']"}, tensor<4x1x3x3xf32> {jax.result_info = "result[0]['depthwise']"}, tensor<4x2x3x3xf32> {jax.result_info = "result[0]['first']"}, tensor<4x1x1xf32> {jax.result_info = "result[0]['mean']"}, tensor<4x1x1xf32> {jax.result_info = "result[0]['scale']"}, tensor<4x1x1xf32> {jax.result_info = "result[0]['shift']"}, tensor<6x4x3x3xf32> {jax.result_info = "result[0]['strided']"}, tensor<4x1x1xf32> {jax.result_info = "result[0]['variance']"}, tensor<2x2x8x8xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg8, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<2x4x8x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<2x4x8x8xf32>
    %cst = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x1x1xf32>
    %5 = stablehlo.add %arg7, %4 : tensor<4x1x1xf32>
    %6 = stablehlo.rsqrt %5 : tensor<4x1x1xf32>
    %7 = stablehlo.divide %6, %5 : tensor<4x1x1xf32>
    %cst_0 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<4x1x1xf32>
    %10 = stablehlo.broadcast_in_dim %6, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %12 = stablehlo.multiply %3, %11 : tensor<2x4x8x8xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<2x4x8x8xf32>
    %16 = stablehlo.broadcast_in_dim %arg5, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %18 = stablehlo.add %15, %17 : tensor<2x4x8x8xf32>
    %19 = call @relu(%18) : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4x8x8xf32>
    %21 = stablehlo.compare GT, %18, %20, FLOAT : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4x8x8xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<f32>
    %24 = "stablehlo.reduce_window"(%19, %23) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %93 = stablehlo.maximum %arg9, %arg10 : tensor<f32>
      stablehlo.return %93 : tensor<f32>
    }) : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x4x4xf32>
    %25 = stablehlo.convolution(%24, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<4x1x3x3xf32>) -> tensor<2x4x4x4xf32>
    %26 = stablehlo.convolution(%25, %arg6) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x2x2xf32>
    %27:3 = call @silu(%26) : (tensor<2x6x2x2xf32>) -> (tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>)
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<f32>
    %29 = "stablehlo.reduce_window"(%27#0, %28) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %93 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %93 : tensor<f32>
    }) : (tensor<2x6x2x2xf32>, tensor<f32>) -> tensor<2x6x1x1xf32>
    %cst_5 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x6x1x1xf32>
    %31 = stablehlo.divide %29, %30 : tensor<2x6x1x1xf32>
    %32 = stablehlo.reshape %31 : (tensor<2x6x1x1xf32>) -> tensor<2x6xf32>
    %33 = stablehlo.dot_general %32, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
    %34 = stablehlo.tanh %33 : tensor<2x3xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %36 = stablehlo.subtract %35, %34 : tensor<2x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%34 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %39 = stablehlo.multiply %38, %36 : tensor<2x3xf32>
    %40 = stablehlo.multiply %39, %34 : tensor<2x3xf32>
    %41 = stablehlo.add %39, %40 : tensor<2x3xf32>
    %42 = stablehlo.dot_general %41, %32, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<3x6xf32>
    %43 = stablehlo.transpose %42, dims = [1, 0] : (tensor<3x6xf32>) -> tensor<6x3xf32>
    %44 = stablehlo.dot_general %41, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<6x3xf32>) -> tensor<2x6xf32>
    %45 = stablehlo.reshape %44 : (tensor<2x6xf32>) -> tensor<2x6x1x1xf32>
    %cst_9 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x6x1x1xf32>
    %47 = stablehlo.divide %45, %46 : tensor<2x6x1x1xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.pad %47, %cst_10, low = [0, 0, 1, 1], high = [0, 0, 1, 1], interior = [0, 0, 1, 1] : (tensor<2x6x1x1xf32>, tensor<f32>) -> tensor<2x6x3x3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<f32>
    %50 = "stablehlo.reduce_window"(%48, %49) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %93 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %93 : tensor<f32>
    }) : (tensor<2x6x3x3xf32>, tensor<f32>) -> tensor<2x6x2x2xf32>
    %51 = call @silu_0(%27#1, %27#2, %26, %50) : (tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>) -> tensor<2x6x2x2xf32>
    %52 = stablehlo.convolution(%25, %51) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<2x6x2x2xf32>) -> tensor<6x4x3x3xf32>
    %53 = stablehlo.reverse %arg6, dims = [2, 3] : tensor<6x4x3x3xf32>
    %54 = stablehlo.convolution(%51, %53) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x2x2xf32>, tensor<6x4x3x3xf32>) -> tensor<2x4x4x4xf32>
    %55 = stablehlo.convolution(%24, %54) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<4x1x3x3xf32>
    %56 = stablehlo.reshape %arg1 : (tensor<4x1x3x3xf32>) -> tensor<4x1x1x3x3xf32>
    %57 = stablehlo.transpose %56, dims = [1, 0, 2, 3, 4] : (tensor<4x1x1x3x3xf32>) -> tensor<1x4x1x3x3xf32>
    %58 = stablehlo.reshape %57 : (tensor<1x4x1x3x3xf32>) -> tensor<1x4x3x3xf32>
    %59 = stablehlo.reverse %58, dims = [2, 3] : tensor<1x4x3x3xf32>
    %60 = stablehlo.convolution(%54, %59) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<1x4x3x3xf32>) -> tensor<2x4x4x4xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %61 = stablehlo.pad %19, %cst_12, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = "stablehlo.select_and_scatter"(%61, %60, %cst_13) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %93 = stablehlo.compare GE, %arg9, %arg10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %93 : tensor<i1>
    }, {
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %93 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %93 : tensor<f32>
    }) : (tensor<2x4x8x8xf32>, tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
    %63 = stablehlo.slice %62 [0:2, 0:4, 0:8, 0:8] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x4x8x8xf32>
    %65 = stablehlo.select %21, %63, %64 : tensor<2x4x8x8xi1>, tensor<2x4x8x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.reduce(%65 init: %cst_15) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %67 = stablehlo.reshape %66 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.reduce(%67 init: %cst_16) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %70 = stablehlo.multiply %12, %65 : tensor<2x4x8x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%70 init: %cst_17) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %72 = stablehlo.reshape %71 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %73 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %74 = stablehlo.multiply %65, %73 : tensor<2x4x8x8xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%72 init: %cst_18) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %77 = stablehlo.multiply %3, %74 : tensor<2x4x8x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_19) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %79 = stablehlo.reshape %78 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %80 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %81 = stablehlo.multiply %74, %80 : tensor<2x4x8x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%79 init: %cst_20) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %84 = stablehlo.multiply %83, %9 : tensor<4x1x1xf32>
    %85 = stablehlo.negate %81 : tensor<2x4x8x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.reduce(%85 init: %cst_21) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %87 = stablehlo.reshape %86 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_22) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %90 = stablehlo.convolution(%arg8, %81) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<4x2x3x3xf32>
    %91 = stablehlo.reverse %arg2, dims = [2, 3] : tensor<4x2x3x3xf32>
    %92 = stablehlo.convolution(%81, %91) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<2x2x8x8xf32>
    return %43, %55, %90, %89, %76, %69, %52, %84, %92 : tensor<6x3xf32>, tensor<4x1x3x3xf32>, tensor<4x2x3x3xf32>, tensor<4x1x1xf32>, tensor<4x1x1xf32>, tensor<4x1x1xf32>, tensor<6x4x3x3xf32>, tensor<4x1x1xf32>, tensor<2x2x8x8xf32>
  }
  func.func private @relu(%arg0: tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x8x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x4x8x8xf32>
    return %1 : tensor<2x4x8x8xf32>
  }
  func.func private @silu(%arg0: tensor<2x6x2x2xf32>) -> (tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<2x6x2x2xf32>
    %1 = stablehlo.exponential %0 : tensor<2x6x2x2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x2x2xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x6x2x2xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6x2x2xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x6x2x2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6x2x2xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<2x6x2x2xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<2x6x2x2xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<2x6x2x2xf32>
    return %9, %8, %5 : tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>
  }
  func.func private @silu_0(%arg0: tensor<2x6x2x2xf32>, %arg1: tensor<2x6x2x2xf32>, %arg2: tensor<2x6x2x2xf32>, %arg3: tensor<2x6x2x2xf32>) -> tensor<2x6x2x2xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<2x6x2x2xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<2x6x2x2xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<2x6x2x2xf32>
    %3 = stablehlo.add %1, %2 : tensor<2x6x2x2xf32>
    return %3 : tensor<2x6x2x2xf32>
  }
}
