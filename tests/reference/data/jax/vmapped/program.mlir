module @jit_vmapped attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x5xf32>, %arg1: tensor<3x5xf32>, %arg2: tensor<3xi32>) -> (tensor<3x4xf32> {jax.result_info = "result[0]"}, tensor<4x3xf32> {jax.result_info = "result[1]"}, tensor<3x4x5xf32> {jax.result_info = "result[2]"}, tensor<3xf32> {jax.result_info = "result[3]"}, tensor<3x5xf32> {jax.result_info = "result[4]"}, tensor<3xf32> {jax.result_info = "result[5]"}, tensor<4x3x4xf32> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x5xf32>, tensor<3x5xf32>) -> tensor<3x4xf32>
    %1 = stablehlo.slice %arg1 [0:1, 0:5] : (tensor<3x5xf32>) -> tensor<1x5xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x5xf32>) -> tensor<5xf32>
    %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4x5xf32>, tensor<5xf32>) -> tensor<3x4xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %5 = call @sort(%arg0) : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %7 = stablehlo.compare LT, %arg2, %6, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %9 = stablehlo.add %arg2, %8 : tensor<3xi32>
    %10 = stablehlo.select %7, %9, %arg2 : tensor<3xi1>, tensor<3xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %12 = "stablehlo.gather"(%arg1, %11) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<3x5xf32>, tensor<3x1xi32>) -> tensor<3x1xf32>
    %13 = stablehlo.reshape %12 : (tensor<3x1xf32>) -> tensor<3xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %15 = stablehlo.compare LT, %arg2, %14, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %17 = stablehlo.add %arg2, %16 : tensor<3xi32>
    %18 = stablehlo.select %15, %17, %arg2 : tensor<3xi1>, tensor<3xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %21 = "stablehlo.scatter"(%arg1, %19, %20) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %28 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<3x5xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<3x5xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %24:3 = stablehlo.while(%iterArg = %22, %iterArg_5 = %arg2, %iterArg_6 = %23) : tensor<3xi32>, tensor<3xi32>, tensor<3xf32>
    cond {
      %28 = stablehlo.compare LT, %iterArg, %iterArg_5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %c_7 = stablehlo.constant dense<false> : tensor<i1>
      %29 = stablehlo.reduce(%28 init: %c_7) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %29 : tensor<i1>
    } do {
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %28 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %29 = stablehlo.add %iterArg, %28 : tensor<3xi32>
      %30 = stablehlo.convert %iterArg : (tensor<3xi32>) -> tensor<3xf32>
      %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %32 = stablehlo.multiply %30, %31 : tensor<3xf32>
      %33 = stablehlo.add %iterArg_6, %32 : tensor<3xf32>
      %34 = stablehlo.compare LT, %iterArg, %iterArg_5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %36 = stablehlo.select %35, %29, %iterArg : tensor<3xi1>, tensor<3xi32>
      %37 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %38 = stablehlo.select %37, %iterArg_5, %iterArg_5 : tensor<3xi1>, tensor<3xi32>
      %39 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %40 = stablehlo.select %39, %33, %iterArg_6 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %36, %38, %40 : tensor<3xi32>, tensor<3xi32>, tensor<3xf32>
    }
    %25 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<3x4x5xf32>) -> tensor<3x5x4xf32>
    %26 = stablehlo.dot_general %arg0, %25, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x5xf32>, tensor<3x5x4xf32>) -> tensor<3x4x4xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0, 2] : (tensor<3x4x4xf32>) -> tensor<4x3x4xf32>
    return %0, %4, %5, %13, %21, %24#2, %27 : tensor<3x4xf32>, tensor<4x3xf32>, tensor<3x4x5xf32>, tensor<3xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<4x3x4xf32>
  }
  func.func private @sort(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 2 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
