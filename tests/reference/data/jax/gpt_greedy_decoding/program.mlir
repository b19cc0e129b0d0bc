module @jit_gpt_greedy_decoding attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<8x24xf32>, %arg5: tensor<8xf32>, %arg6: tensor<8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<16x8xf32>, %arg9: tensor<8xf32>, %arg10: tensor<8xf32>, %arg11: tensor<8x8xf32>, %arg12: tensor<8x24xf32>, %arg13: tensor<8xf32>, %arg14: tensor<8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<6x8xf32>, %arg17: tensor<11x8xf32>, %arg18: tensor<1x3xi32>) -> (tensor<1x6xi32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1x6xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %2 = "stablehlo.scatter"(%0, %1, %arg18) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg19: tensor<i32>, %arg20: tensor<i32>):
      stablehlo.return %arg20 : tensor<i32>
    }) : (tensor<1x6xi32>, tensor<1xi32>, tensor<1x3xi32>) -> tensor<1x6xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %3:21 = stablehlo.while(%iterArg = %arg17, %iterArg_3 = %arg16, %iterArg_4 = %arg1, %iterArg_5 = %arg5, %iterArg_6 = %arg4, %iterArg_7 = %arg3, %iterArg_8 = %arg2, %iterArg_9 = %arg6, %iterArg_10 = %arg7, %iterArg_11 = %arg0, %iterArg_12 = %arg9, %iterArg_13 = %arg13, %iterArg_14 = %arg12, %iterArg_15 = %arg11, %iterArg_16 = %arg10, %iterArg_17 = %arg14, %iterArg_18 = %arg15, %iterArg_19 = %arg8, %iterArg_20 = %c_2, %iterArg_21 = %c_1, %iterArg_22 = %2) : tensor<11x8xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<i32>, tensor<i32>, tensor<1x6xi32>
    cond {
      %c_23 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_20, %c_23, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4:2 = func.call @closed_call(%iterArg, %iterArg_3, %iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11, %iterArg_12, %iterArg_13, %iterArg_14, %iterArg_15, %iterArg_16, %iterArg_17, %iterArg_18, %iterArg_19, %iterArg_21, %iterArg_22) : (tensor<11x8xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<i32>, tensor<1x6xi32>) -> (tensor<i32>, tensor<1x6xi32>)
      %c_23 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_20, %c_23 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_3, %iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11, %iterArg_12, %iterArg_13, %iterArg_14, %iterArg_15, %iterArg_16, %iterArg_17, %iterArg_18, %iterArg_19, %5, %4#0, %4#1 : tensor<11x8xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<i32>, tensor<i32>, tensor<1x6xi32>
    }
    return %3#20 : tensor<1x6xi32>
  }
  func.func private @closed_call(%arg0: tensor<11x8xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8x24xf32>, %arg5: tensor<8x8xf32>, %arg6: tensor<8xf32>, %arg7: tensor<8xf32>, %arg8: tensor<8x16xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<8xf32>, %arg11: tensor<8xf32>, %arg12: tensor<8x24xf32>, %arg13: tensor<8x8xf32>, %arg14: tensor<8xf32>, %arg15: tensor<8xf32>, %arg16: tensor<8x16xf32>, %arg17: tensor<16x8xf32>, %arg18: tensor<i32>, %arg19: tensor<1x6xi32>) -> (tensor<i32>, tensor<1x6xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg18, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1x6xi32>
    %2 = stablehlo.compare LT, %arg19, %1, SIGNED : (tensor<1x6xi32>, tensor<1x6xi32>) -> tensor<1x6xi1>
    %c_1 = stablehlo.constant dense<11> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<1x6xi32>
    %4 = stablehlo.add %arg19, %3 : tensor<1x6xi32>
    %5 = stablehlo.select %2, %4, %arg19 : tensor<1x6xi1>, tensor<1x6xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x6xi32>) -> tensor<1x6x1xi32>
    %7 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<11x8xf32>, tensor<1x6x1xi32>) -> tensor<1x6x8xf32>
    %8 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<6x8xf32>) -> tensor<1x6x8xf32>
    %9 = stablehlo.add %7, %8 : tensor<1x6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<1x6x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %15 = stablehlo.subtract %9, %14 : tensor<1x6x8xf32>
    %16 = stablehlo.multiply %15, %15 : tensor<1x6x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %20 = stablehlo.divide %18, %19 : tensor<1x6x1xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %22 = stablehlo.add %20, %21 : tensor<1x6x1xf32>
    %23 = stablehlo.rsqrt %22 : tensor<1x6x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %25 = stablehlo.multiply %15, %24 : tensor<1x6x8xf32>
    %26 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x6x8xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<1x6x8xf32>
    %29 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x6x8xf32>
    %31 = stablehlo.add %28, %30 : tensor<1x6x8xf32>
    %32 = stablehlo.dot_general %31, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xf32>, tensor<8x24xf32>) -> tensor<1x6x24xf32>
    %33 = stablehlo.slice %32 [0:1, 0:6, 0:8] : (tensor<1x6x24xf32>) -> tensor<1x6x8xf32>
    %34 = stablehlo.slice %32 [0:1, 0:6, 8:16] : (tensor<1x6x24xf32>) -> tensor<1x6x8xf32>
    %35 = stablehlo.slice %32 [0:1, 0:6, 16:24] : (tensor<1x6x24xf32>) -> tensor<1x6x8xf32>
    %36 = stablehlo.reshape %33 : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
    %37 = stablehlo.transpose %36, dims = [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
    %38 = stablehlo.reshape %34 : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
    %39 = stablehlo.transpose %38, dims = [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
    %40 = stablehlo.reshape %35 : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
    %41 = stablehlo.transpose %40, dims = [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
    %42 = stablehlo.dot_general %37, %39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x6xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<1x2x6x6xf32>
    %44 = stablehlo.divide %42, %43 : tensor<1x2x6x6xf32>
    %c_7 = stablehlo.constant dense<true> : tensor<i1>
    %45 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %46 = call @tril(%45) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst_8 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %47 = call @_where(%46, %44, %cst_8) : (tensor<6x6xi1>, tensor<1x2x6x6xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_9) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x6x6xf32>, tensor<f32>) -> tensor<1x2x6xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<1x2x6xf32>
    %50 = stablehlo.maximum %49, %48 : tensor<1x2x6xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<1x2x6xf32>) -> tensor<1x2x6x1xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<1x2x6x1xf32>) -> tensor<1x2x6x6xf32>
    %53 = stablehlo.subtract %47, %52 : tensor<1x2x6x6xf32>
    %54 = stablehlo.exponential %53 : tensor<1x2x6x6xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<1x2x6x6xf32>, tensor<f32>) -> tensor<1x2x6xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<1x2x6xf32>) -> tensor<1x2x6x1xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<1x2x6x1xf32>) -> tensor<1x2x6x6xf32>
    %58 = stablehlo.divide %54, %57 : tensor<1x2x6x6xf32>
    %59 = stablehlo.dot_general %58, %41, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x6x6xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
    %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<1x2x6x4xf32>) -> tensor<1x6x2x4xf32>
    %61 = stablehlo.reshape %60 : (tensor<1x6x2x4xf32>) -> tensor<1x6x8xf32>
    %62 = stablehlo.dot_general %61, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
    %63 = stablehlo.add %9, %62 : tensor<1x6x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_13 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %67 = stablehlo.divide %65, %66 : tensor<1x6x1xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %69 = stablehlo.subtract %63, %68 : tensor<1x6x8xf32>
    %70 = stablehlo.multiply %69, %69 : tensor<1x6x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%70 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_15 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %74 = stablehlo.divide %72, %73 : tensor<1x6x1xf32>
    %cst_16 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %76 = stablehlo.add %74, %75 : tensor<1x6x1xf32>
    %77 = stablehlo.rsqrt %76 : tensor<1x6x1xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %79 = stablehlo.multiply %69, %78 : tensor<1x6x8xf32>
    %80 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x6x8xf32>
    %82 = stablehlo.multiply %79, %81 : tensor<1x6x8xf32>
    %83 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x6x8xf32>
    %85 = stablehlo.add %82, %84 : tensor<1x6x8xf32>
    %86 = stablehlo.dot_general %85, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xf32>, tensor<8x16xf32>) -> tensor<1x6x16xf32>
    %87 = stablehlo.multiply %86, %86 : tensor<1x6x16xf32>
    %88 = stablehlo.multiply %87, %86 : tensor<1x6x16xf32>
    %cst_17 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<1x6x16xf32>
    %90 = stablehlo.multiply %89, %88 : tensor<1x6x16xf32>
    %91 = stablehlo.add %86, %90 : tensor<1x6x16xf32>
    %cst_18 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<1x6x16xf32>
    %93 = stablehlo.multiply %92, %91 : tensor<1x6x16xf32>
    %94 = stablehlo.tanh %93 : tensor<1x6x16xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<1x6x16xf32>
    %96 = stablehlo.add %95, %94 : tensor<1x6x16xf32>
    %cst_20 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<1x6x16xf32>
    %98 = stablehlo.multiply %97, %96 : tensor<1x6x16xf32>
    %99 = stablehlo.multiply %86, %98 : tensor<1x6x16xf32>
    %100 = stablehlo.dot_general %99, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x16xf32>, tensor<16x8xf32>) -> tensor<1x6x8xf32>
    %101 = stablehlo.add %63, %100 : tensor<1x6x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_22 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %105 = stablehlo.divide %103, %104 : tensor<1x6x1xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %107 = stablehlo.subtract %101, %106 : tensor<1x6x8xf32>
    %108 = stablehlo.multiply %107, %107 : tensor<1x6x8xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.reduce(%108 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_24 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %112 = stablehlo.divide %110, %111 : tensor<1x6x1xf32>
    %cst_25 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %114 = stablehlo.add %112, %113 : tensor<1x6x1xf32>
    %115 = stablehlo.rsqrt %114 : tensor<1x6x1xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %117 = stablehlo.multiply %107, %116 : tensor<1x6x8xf32>
    %118 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x6x8xf32>
    %120 = stablehlo.multiply %117, %119 : tensor<1x6x8xf32>
    %121 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %122 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x6x8xf32>
    %123 = stablehlo.add %120, %122 : tensor<1x6x8xf32>
    %124 = stablehlo.dot_general %123, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xf32>, tensor<8x24xf32>) -> tensor<1x6x24xf32>
    %125 = stablehlo.slice %124 [0:1, 0:6, 0:8] : (tensor<1x6x24xf32>) -> tensor<1x6x8xf32>
    %126 = stablehlo.slice %124 [0:1, 0:6, 8:16] : (tensor<1x6x24xf32>) -> tensor<1x6x8xf32>
    %127 = stablehlo.slice %124 [0:1, 0:6, 16:24] : (tensor<1x6x24xf32>) -> tensor<1x6x8xf32>
    %128 = stablehlo.reshape %125 : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
    %129 = stablehlo.transpose %128, dims = [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
    %130 = stablehlo.reshape %126 : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
    %131 = stablehlo.transpose %130, dims = [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
    %132 = stablehlo.reshape %127 : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
    %133 = stablehlo.transpose %132, dims = [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
    %134 = stablehlo.dot_general %129, %131, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x6xf32>
    %cst_26 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<1x2x6x6xf32>
    %136 = stablehlo.divide %134, %135 : tensor<1x2x6x6xf32>
    %c_27 = stablehlo.constant dense<true> : tensor<i1>
    %137 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %138 = call @tril(%137) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst_28 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %139 = call @_where(%138, %136, %cst_28) : (tensor<6x6xi1>, tensor<1x2x6x6xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
    %cst_29 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %140 = stablehlo.reduce(%139 init: %cst_29) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x6x6xf32>, tensor<f32>) -> tensor<1x2x6xf32>
    %cst_30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<1x2x6xf32>
    %142 = stablehlo.maximum %141, %140 : tensor<1x2x6xf32>
    %143 = stablehlo.broadcast_in_dim %142, dims = [0, 1, 2] : (tensor<1x2x6xf32>) -> tensor<1x2x6x1xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2, 3] : (tensor<1x2x6x1xf32>) -> tensor<1x2x6x6xf32>
    %145 = stablehlo.subtract %139, %144 : tensor<1x2x6x6xf32>
    %146 = stablehlo.exponential %145 : tensor<1x2x6x6xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_31) applies stablehlo.add across dimensions = [3] : (tensor<1x2x6x6xf32>, tensor<f32>) -> tensor<1x2x6xf32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2] : (tensor<1x2x6xf32>) -> tensor<1x2x6x1xf32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [0, 1, 2, 3] : (tensor<1x2x6x1xf32>) -> tensor<1x2x6x6xf32>
    %150 = stablehlo.divide %146, %149 : tensor<1x2x6x6xf32>
    %151 = stablehlo.dot_general %150, %133, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x6x6xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
    %152 = stablehlo.transpose %151, dims = [0, 2, 1, 3] : (tensor<1x2x6x4xf32>) -> tensor<1x6x2x4xf32>
    %153 = stablehlo.reshape %152 : (tensor<1x6x2x4xf32>) -> tensor<1x6x8xf32>
    %154 = stablehlo.dot_general %153, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
    %155 = stablehlo.add %101, %154 : tensor<1x6x8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %156 = stablehlo.reduce(%155 init: %cst_32) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_33 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %159 = stablehlo.divide %157, %158 : tensor<1x6x1xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %161 = stablehlo.subtract %155, %160 : tensor<1x6x8xf32>
    %162 = stablehlo.multiply %161, %161 : tensor<1x6x8xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.reduce(%162 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_35 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %166 = stablehlo.divide %164, %165 : tensor<1x6x1xf32>
    %cst_36 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %168 = stablehlo.add %166, %167 : tensor<1x6x1xf32>
    %169 = stablehlo.rsqrt %168 : tensor<1x6x1xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %171 = stablehlo.multiply %161, %170 : tensor<1x6x8xf32>
    %172 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %173 = stablehlo.broadcast_in_dim %172, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x6x8xf32>
    %174 = stablehlo.multiply %171, %173 : tensor<1x6x8xf32>
    %175 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x6x8xf32>
    %177 = stablehlo.add %174, %176 : tensor<1x6x8xf32>
    %178 = stablehlo.dot_general %177, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xf32>, tensor<8x16xf32>) -> tensor<1x6x16xf32>
    %179 = stablehlo.multiply %178, %178 : tensor<1x6x16xf32>
    %180 = stablehlo.multiply %179, %178 : tensor<1x6x16xf32>
    %cst_37 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<1x6x16xf32>
    %182 = stablehlo.multiply %181, %180 : tensor<1x6x16xf32>
    %183 = stablehlo.add %178, %182 : tensor<1x6x16xf32>
    %cst_38 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<1x6x16xf32>
    %185 = stablehlo.multiply %184, %183 : tensor<1x6x16xf32>
    %186 = stablehlo.tanh %185 : tensor<1x6x16xf32>
    %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<1x6x16xf32>
    %188 = stablehlo.add %187, %186 : tensor<1x6x16xf32>
    %cst_40 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<1x6x16xf32>
    %190 = stablehlo.multiply %189, %188 : tensor<1x6x16xf32>
    %191 = stablehlo.multiply %178, %190 : tensor<1x6x16xf32>
    %192 = stablehlo.dot_general %191, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x16xf32>, tensor<16x8xf32>) -> tensor<1x6x8xf32>
    %193 = stablehlo.add %155, %192 : tensor<1x6x8xf32>
    %194 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<11x8xf32>) -> tensor<8x11xf32>
    %195 = stablehlo.dot_general %193, %194, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xf32>, tensor<8x11xf32>) -> tensor<1x6x11xf32>
    %c_41 = stablehlo.constant dense<1> : tensor<i32>
    %196 = stablehlo.subtract %arg18, %c_41 : tensor<i32>
    %197 = call @dynamic_index_in_dim(%195, %196) : (tensor<1x6x11xf32>, tensor<i32>) -> tensor<1x11xf32>
    %198 = call @argmax(%197) : (tensor<1x11xf32>) -> tensor<1xi32>
    %199 = stablehlo.broadcast_in_dim %198, dims = [0] : (tensor<1xi32>) -> tensor<1x1xi32>
    %c_42 = stablehlo.constant dense<0> : tensor<i32>
    %200 = stablehlo.compare LT, %arg18, %c_42, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %201 = stablehlo.convert %arg18 : tensor<i32>
    %c_43 = stablehlo.constant dense<6> : tensor<i32>
    %202 = stablehlo.add %201, %c_43 : tensor<i32>
    %203 = stablehlo.select %200, %202, %arg18 : tensor<i1>, tensor<i32>
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %204 = stablehlo.dynamic_update_slice %arg19, %199, %c_44, %203 : (tensor<1x6xi32>, tensor<1x1xi32>, tensor<i32>, tensor<i32>) -> tensor<1x6xi32>
    return %0, %204 : tensor<i32>, tensor<1x6xi32>
  }
  func.func private @tril(%arg0: tensor<6x6xi1>) -> tensor<6x6xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %2 = stablehlo.add %0, %1 : tensor<6x6xi32>
    %3 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<6x6xi1>, tensor<6x6xi1>
    return %6 : tensor<6x6xi1>
  }
  func.func private @_where(%arg0: tensor<6x6xi1>, %arg1: tensor<1x2x6x6xf32>, %arg2: tensor<f32>) -> tensor<1x2x6x6xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<6x6xi1>) -> tensor<1x2x6x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x2x6x6xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x6x6xi1>, tensor<1x2x6x6xf32>
    return %3 : tensor<1x2x6x6xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<1x6x11xf32>, %arg1: tensor<i32>) -> tensor<1x11xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = stablehlo.convert %arg1 : tensor<i32>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %2 = stablehlo.add %1, %c_0 : tensor<i32>
    %3 = stablehlo.select %0, %2, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_slice %arg0, %c_1, %3, %c_2, sizes = [1, 1, 11] : (tensor<1x6x11xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x11xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x1x11xf32>) -> tensor<1x11xf32>
    return %5 : tensor<1x11xf32>
  }
  func.func private @argmax(%arg0: tensor<1x11xf32>) -> tensor<1xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<1x11xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<1x11xf32>, tensor<1x11xi32>, tensor<f32>, tensor<i32>) -> (tensor<1xf32>, tensor<1xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<1xi32>
  }
}
