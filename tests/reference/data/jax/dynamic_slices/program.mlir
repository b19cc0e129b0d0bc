module @jit_dynamic_slices attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x6xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<3x2xf32> {jax.result_info = "result[0]"}, tensor<5x6xf32> {jax.result_info = "result[1]"}, tensor<5x6xf32> {jax.result_info = "result[2]"}, tensor<5x2xf32> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare LT, %arg2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<6> : tensor<i32>
    %4 = stablehlo.add %arg2, %c_2 : tensor<i32>
    %5 = stablehlo.select %3, %4, %arg2 : tensor<i1>, tensor<i32>
    %6 = stablehlo.dynamic_slice %arg0, %2, %5, sizes = [3, 2] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %arg1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<5> : tensor<i32>
    %8 = stablehlo.add %arg1, %c_4 : tensor<i32>
    %9 = stablehlo.select %7, %8, %arg1 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.compare LT, %arg2, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<6> : tensor<i32>
    %11 = stablehlo.add %arg2, %c_6 : tensor<i32>
    %12 = stablehlo.select %10, %11, %arg2 : tensor<i1>, tensor<i32>
    %13 = stablehlo.dynamic_slice %arg0, %9, %12, sizes = [3, 2] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.compare LT, %arg2, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<5> : tensor<i32>
    %15 = stablehlo.add %arg2, %c_8 : tensor<i32>
    %16 = stablehlo.select %14, %15, %arg2 : tensor<i1>, tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.compare LT, %arg1, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_10 = stablehlo.constant dense<6> : tensor<i32>
    %18 = stablehlo.add %arg1, %c_10 : tensor<i32>
    %19 = stablehlo.select %17, %18, %arg1 : tensor<i1>, tensor<i32>
    %20 = stablehlo.dynamic_update_slice %arg0, %13, %16, %19 : (tensor<5x6xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %21 = stablehlo.compare LT, %arg1, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_12 = stablehlo.constant dense<5> : tensor<i32>
    %22 = stablehlo.add %arg1, %c_12 : tensor<i32>
    %23 = stablehlo.select %21, %22, %arg1 : tensor<i1>, tensor<i32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.compare LT, %arg2, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_14 = stablehlo.constant dense<6> : tensor<i32>
    %25 = stablehlo.add %arg2, %c_14 : tensor<i32>
    %26 = stablehlo.select %24, %25, %arg2 : tensor<i1>, tensor<i32>
    %27 = stablehlo.dynamic_slice %arg0, %23, %26, sizes = [3, 2] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.compare LT, %arg1, %c_15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_16 = stablehlo.constant dense<5> : tensor<i32>
    %29 = stablehlo.add %arg1, %c_16 : tensor<i32>
    %30 = stablehlo.select %28, %29, %arg1 : tensor<i1>, tensor<i32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %31 = stablehlo.compare LT, %arg2, %c_17, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_18 = stablehlo.constant dense<6> : tensor<i32>
    %32 = stablehlo.add %arg2, %c_18 : tensor<i32>
    %33 = stablehlo.select %31, %32, %arg2 : tensor<i1>, tensor<i32>
    %34 = stablehlo.dynamic_slice %arg0, %30, %33, sizes = [3, 2] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %35 = stablehlo.compare LT, %arg2, %c_19, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_20 = stablehlo.constant dense<5> : tensor<i32>
    %36 = stablehlo.add %arg2, %c_20 : tensor<i32>
    %37 = stablehlo.select %35, %36, %arg2 : tensor<i1>, tensor<i32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %38 = stablehlo.compare LT, %arg1, %c_21, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_22 = stablehlo.constant dense<6> : tensor<i32>
    %39 = stablehlo.add %arg1, %c_22 : tensor<i32>
    %40 = stablehlo.select %38, %39, %arg1 : tensor<i1>, tensor<i32>
    %41 = stablehlo.dynamic_update_slice %arg0, %34, %37, %40 : (tensor<5x6xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
    %42 = stablehlo.slice %41 [0:3, 0:2] : (tensor<5x6xf32>) -> tensor<3x2xf32>
    %43 = stablehlo.multiply %27, %42 : tensor<3x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %46 = stablehlo.multiply %27, %45 : tensor<3x2xf32>
    %47 = stablehlo.multiply %45, %42 : tensor<3x2xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.pad %46, %cst_24, low = [0, 0], high = [2, 4], interior = [0, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<5x6xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %50 = stablehlo.dynamic_update_slice %48, %49, %37, %40 : (tensor<5x6xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
    %51 = stablehlo.dynamic_slice %48, %37, %40, sizes = [3, 2] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<5x6xf32>
    %53 = stablehlo.dynamic_update_slice %52, %51, %30, %33 : (tensor<5x6xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
    %54 = stablehlo.add %50, %53 : tensor<5x6xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<5x6xf32>
    %56 = stablehlo.dynamic_update_slice %55, %47, %23, %26 : (tensor<5x6xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
    %57 = stablehlo.add %54, %56 : tensor<5x6xf32>
    %58 = stablehlo.iota dim = 0 : tensor<5xi32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %59 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %60 = stablehlo.compare LT, %58, %59, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_29 = stablehlo.constant dense<6> : tensor<i32>
    %61 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %62 = stablehlo.add %58, %61 : tensor<5xi32>
    %63 = stablehlo.select %60, %62, %58 : tensor<5xi1>, tensor<5xi32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %65 = "stablehlo.gather"(%arg0, %64) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 2>}> : (tensor<5x6xf32>, tensor<5x1xi32>) -> tensor<5x2xf32>
    return %6, %20, %57, %65 : tensor<3x2xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x2xf32>
  }
}
