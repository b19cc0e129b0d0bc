module @jit_indexing attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<5xi32>) -> (tensor<5x8xf32> {jax.result_info = "result[0]"}, tensor<4x5xf32> {jax.result_info = "result[1]"}, tensor<5xf32> {jax.result_info = "result[2]"}, tensor<4x8xf32> {jax.result_info = "result[3]"}, tensor<4x8xf32> {jax.result_info = "result[4]"}, tensor<4x8xf32> {jax.result_info = "result[5]"}, tensor<4x8xf32> {jax.result_info = "result[6]"}, tensor<4x8xf32> {jax.result_info = "result[7]"}, tensor<4x8xf32> {jax.result_info = "result[8]"}, tensor<4x8xf32> {jax.result_info = "result[9]"}, tensor<4x8xi1> {jax.result_info = "result[10]"}, tensor<2x2xf32> {jax.result_info = "result[11]"}, tensor<4x8xf32> {jax.result_info = "result[12]"}, tensor<4x5xf32> {jax.result_info = "result[13]"}, tensor<4x3xf32> {jax.result_info = "result[14]"}, tensor<4x8xf32> {jax.result_info = "result[15]"}, tensor<5x8xf32> {jax.result_info = "result[16]"}, tensor<5xi32> {jax.result_info = "result[17]"}, tensor<4x8xf32> {jax.result_info = "result[18]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<5xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<5xi1>, tensor<5xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %8 = stablehlo.compare LT, %arg1, %7, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_2 = stablehlo.constant dense<8> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %10 = stablehlo.add %arg1, %9 : tensor<5xi32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<5xi1>, tensor<5xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %13 = "stablehlo.gather"(%arg0, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1>}> : (tensor<4x8xf32>, tensor<5x1xi32>) -> tensor<4x5xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %15 = stablehlo.compare LT, %arg1, %14, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_4 = stablehlo.constant dense<4> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %17 = stablehlo.add %arg1, %16 : tensor<5xi32>
    %18 = stablehlo.select %15, %17, %arg1 : tensor<5xi1>, tensor<5xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %20 = stablehlo.compare LT, %arg1, %19, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_6 = stablehlo.constant dense<8> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %22 = stablehlo.add %arg1, %21 : tensor<5xi32>
    %23 = stablehlo.select %20, %22, %arg1 : tensor<5xi1>, tensor<5xi32>
    %24 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %25 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %26 = stablehlo.concatenate %24, %25, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
    %27 = "stablehlo.gather"(%arg0, %26) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<5x2xi32>) -> tensor<5xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %29 = stablehlo.compare LT, %arg1, %28, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_8 = stablehlo.constant dense<4> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %31 = stablehlo.add %arg1, %30 : tensor<5xi32>
    %32 = stablehlo.select %29, %31, %arg1 : tensor<5xi1>, tensor<5xi32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %35 = "stablehlo.scatter"(%arg0, %33, %34) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<4x8xf32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %37 = stablehlo.compare LT, %arg1, %36, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_10 = stablehlo.constant dense<4> : tensor<i32>
    %38 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %39 = stablehlo.add %arg1, %38 : tensor<5xi32>
    %40 = stablehlo.select %37, %39, %arg1 : tensor<5xi1>, tensor<5xi32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %43 = "stablehlo.scatter"(%arg0, %41, %42) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %187 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %187 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<4x8xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %44 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %45 = stablehlo.compare LT, %arg1, %44, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_13 = stablehlo.constant dense<8> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %47 = stablehlo.add %arg1, %46 : tensor<5xi32>
    %48 = stablehlo.select %45, %47, %arg1 : tensor<5xi1>, tensor<5xi32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %cst_14 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %51 = "stablehlo.scatter"(%arg0, %49, %50) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %187 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %187 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<5x1xi32>, tensor<4x5xf32>) -> tensor<4x8xf32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %52 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %53 = stablehlo.compare LT, %arg1, %52, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_16 = stablehlo.constant dense<4> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %55 = stablehlo.add %arg1, %54 : tensor<5xi32>
    %56 = stablehlo.select %53, %55, %arg1 : tensor<5xi1>, tensor<5xi32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %58 = stablehlo.compare LT, %arg1, %57, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_18 = stablehlo.constant dense<8> : tensor<i32>
    %59 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %60 = stablehlo.add %arg1, %59 : tensor<5xi32>
    %61 = stablehlo.select %58, %60, %arg1 : tensor<5xi1>, tensor<5xi32>
    %62 = stablehlo.broadcast_in_dim %56, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %63 = stablehlo.broadcast_in_dim %61, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %64 = stablehlo.concatenate %62, %63, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
    %cst_19 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %66 = "stablehlo.scatter"(%arg0, %64, %65) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %187 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
      stablehlo.return %187 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<4x8xf32>
    %67 = stablehlo.iota dim = 0 : tensor<40xf32>
    %68 = stablehlo.reshape %67 : (tensor<40xf32>) -> tensor<5x8xf32>
    %cst_20 = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %70 = stablehlo.subtract %68, %69 : tensor<5x8xf32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %71 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %72 = stablehlo.compare LT, %arg1, %71, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_22 = stablehlo.constant dense<4> : tensor<i32>
    %73 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %74 = stablehlo.add %arg1, %73 : tensor<5xi32>
    %75 = stablehlo.select %72, %74, %arg1 : tensor<5xi1>, tensor<5xi32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %77 = "stablehlo.scatter"(%arg0, %76, %70) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %187 = stablehlo.minimum %arg2, %arg3 : tensor<f32>
      stablehlo.return %187 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<4x8xf32>
    %78 = stablehlo.iota dim = 0 : tensor<40xf32>
    %79 = stablehlo.reshape %78 : (tensor<40xf32>) -> tensor<5x8xf32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %80 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %81 = stablehlo.compare LT, %arg1, %80, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_24 = stablehlo.constant dense<4> : tensor<i32>
    %82 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %83 = stablehlo.add %arg1, %82 : tensor<5xi32>
    %84 = stablehlo.select %81, %83, %arg1 : tensor<5xi1>, tensor<5xi32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %86 = "stablehlo.scatter"(%arg0, %85, %79) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<4x8xf32>
    %87 = stablehlo.slice %arg1 [0:1] : (tensor<5xi32>) -> tensor<1xi32>
    %88 = stablehlo.reshape %87 : (tensor<1xi32>) -> tensor<i32>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %89 = stablehlo.compare LT, %88, %c_25, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_26 = stablehlo.constant dense<8> : tensor<i32>
    %90 = stablehlo.add %88, %c_26 : tensor<i32>
    %91 = stablehlo.select %89, %90, %88 : tensor<i1>, tensor<i32>
    %c_27 = stablehlo.constant dense<1> : tensor<i32>
    %92 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %93 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %94 = stablehlo.concatenate %92, %93, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst_28 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %96 = "stablehlo.scatter"(%arg0, %94, %95) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<4x8xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %98 = stablehlo.compare GT, %arg0, %97, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %99 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %100 = stablehlo.compare LT, %arg1, %99, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_31 = stablehlo.constant dense<4> : tensor<i32>
    %101 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %102 = stablehlo.add %arg1, %101 : tensor<5xi32>
    %103 = stablehlo.select %100, %102, %arg1 : tensor<5xi1>, tensor<5xi32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %c_32 = stablehlo.constant dense<true> : tensor<i1>
    %105 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<i1>) -> tensor<5x8xi1>
    %106 = "stablehlo.scatter"(%98, %104, %105) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i1>, %arg3: tensor<i1>):
      stablehlo.return %arg3 : tensor<i1>
    }) : (tensor<4x8xi1>, tensor<5x1xi32>, tensor<5x8xi1>) -> tensor<4x8xi1>
    %107 = stablehlo.slice %arg1 [0:1] : (tensor<5xi32>) -> tensor<1xi32>
    %108 = stablehlo.reshape %107 : (tensor<1xi32>) -> tensor<i32>
    %109 = stablehlo.slice %arg1 [3:4] : (tensor<5xi32>) -> tensor<1xi32>
    %110 = stablehlo.reshape %109 : (tensor<1xi32>) -> tensor<i32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %111 = stablehlo.compare LT, %108, %c_33, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_34 = stablehlo.constant dense<4> : tensor<i32>
    %112 = stablehlo.add %108, %c_34 : tensor<i32>
    %113 = stablehlo.select %111, %112, %108 : tensor<i1>, tensor<i32>
    %c_35 = stablehlo.constant dense<0> : tensor<i32>
    %114 = stablehlo.compare LT, %110, %c_35, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_36 = stablehlo.constant dense<8> : tensor<i32>
    %115 = stablehlo.add %110, %c_36 : tensor<i32>
    %116 = stablehlo.select %114, %115, %110 : tensor<i1>, tensor<i32>
    %117 = stablehlo.dynamic_slice %arg0, %113, %116, sizes = [2, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %119 = stablehlo.slice %arg1 [1:2] : (tensor<5xi32>) -> tensor<1xi32>
    %120 = stablehlo.reshape %119 : (tensor<1xi32>) -> tensor<i32>
    %121 = stablehlo.slice %arg1 [3:4] : (tensor<5xi32>) -> tensor<1xi32>
    %122 = stablehlo.reshape %121 : (tensor<1xi32>) -> tensor<i32>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %123 = stablehlo.compare LT, %120, %c_38, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_39 = stablehlo.constant dense<4> : tensor<i32>
    %124 = stablehlo.add %120, %c_39 : tensor<i32>
    %125 = stablehlo.select %123, %124, %120 : tensor<i1>, tensor<i32>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %126 = stablehlo.compare LT, %122, %c_40, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_41 = stablehlo.constant dense<8> : tensor<i32>
    %127 = stablehlo.add %122, %c_41 : tensor<i32>
    %128 = stablehlo.select %126, %127, %122 : tensor<i1>, tensor<i32>
    %129 = stablehlo.dynamic_update_slice %arg0, %118, %125, %128 : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %130 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<5xi32>) -> tensor<1x5xi32>
    %c_42 = stablehlo.constant dense<1> : tensor<i32>
    %131 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %132 = stablehlo.broadcast_in_dim %130, dims = [0, 1] : (tensor<1x5xi32>) -> tensor<4x5xi32>
    %133 = stablehlo.broadcast_in_dim %131, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x5xi32>
    %134 = stablehlo.multiply %132, %133 : tensor<4x5xi32>
    %135 = call @take_along_axis(%arg0, %134) : (tensor<4x8xf32>, tensor<4x5xi32>) -> tensor<4x5xf32>
    %136 = stablehlo.slice %arg1 [0:4] : (tensor<5xi32>) -> tensor<4xi32>
    %c_43 = stablehlo.constant dense<0> : tensor<i32>
    %137 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %138 = stablehlo.compare LT, %136, %137, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_44 = stablehlo.constant dense<8> : tensor<i32>
    %139 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %140 = stablehlo.add %136, %139 : tensor<4xi32>
    %141 = stablehlo.select %138, %140, %136 : tensor<4xi1>, tensor<4xi32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %143 = "stablehlo.gather"(%arg0, %142) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
    %144 = stablehlo.slice %arg1 [0:4] : (tensor<5xi32>) -> tensor<4xi32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %145 = stablehlo.broadcast_in_dim %c_45, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %146 = stablehlo.compare LT, %144, %145, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_46 = stablehlo.constant dense<8> : tensor<i32>
    %147 = stablehlo.broadcast_in_dim %c_46, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %148 = stablehlo.add %144, %147 : tensor<4xi32>
    %149 = stablehlo.select %146, %148, %144 : tensor<4xi1>, tensor<4xi32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %cst_47 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %152 = "stablehlo.scatter"(%arg0, %150, %151) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4x8xf32>
    %153 = call @_take(%arg0, %arg1) : (tensor<4x8xf32>, tensor<5xi32>) -> tensor<5x8xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %155 = stablehlo.compare GT, %arg0, %154, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %156 = call @cumsum(%155) : (tensor<4x8xi1>) -> tensor<32xi32>
    %c_49 = stablehlo.constant dense<0> : tensor<i32>
    %157 = stablehlo.broadcast_in_dim %c_49, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %c_50 = stablehlo.constant dense<0> : tensor<i32>
    %158 = call @clip(%156, %c_50) : (tensor<32xi32>, tensor<i32>) -> tensor<32xi32>
    %c_51 = stablehlo.constant dense<0> : tensor<i32>
    %159 = stablehlo.broadcast_in_dim %c_51, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %160 = stablehlo.compare LT, %158, %159, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_52 = stablehlo.constant dense<5> : tensor<i32>
    %161 = stablehlo.broadcast_in_dim %c_52, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %162 = stablehlo.add %158, %161 : tensor<32xi32>
    %163 = stablehlo.select %160, %162, %158 : tensor<32xi1>, tensor<32xi32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %c_53 = stablehlo.constant dense<1> : tensor<i32>
    %165 = stablehlo.broadcast_in_dim %c_53, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %166 = "stablehlo.scatter"(%157, %164, %165) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %187 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %187 : tensor<i32>
    }) : (tensor<5xi32>, tensor<32x1xi32>, tensor<32xi32>) -> tensor<5xi32>
    %167 = call @cumsum_1(%166) : (tensor<5xi32>) -> tensor<5xi32>
    %c_54 = stablehlo.constant dense<8> : tensor<i32>
    %168 = call @floor_divide(%167, %c_54) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
    %c_55 = stablehlo.constant dense<4> : tensor<i32>
    %169 = call @remainder(%168, %c_55) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
    %c_56 = stablehlo.constant dense<1> : tensor<i32>
    %170 = call @floor_divide(%167, %c_56) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
    %c_57 = stablehlo.constant dense<8> : tensor<i32>
    %171 = call @remainder(%170, %c_57) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
    %c_58 = stablehlo.constant dense<0> : tensor<i32>
    %172 = stablehlo.broadcast_in_dim %c_58, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %173 = stablehlo.compare LT, %arg1, %172, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_59 = stablehlo.constant dense<4> : tensor<i32>
    %174 = stablehlo.broadcast_in_dim %c_59, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %175 = stablehlo.add %arg1, %174 : tensor<5xi32>
    %176 = stablehlo.select %173, %175, %arg1 : tensor<5xi1>, tensor<5xi32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %178 = "stablehlo.gather"(%arg0, %177) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
    %179 = stablehlo.multiply %178, %178 : tensor<5x8xf32>
    %cst_60 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %181 = stablehlo.multiply %180, %178 : tensor<5x8xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%179 init: %cst_61) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_62 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %184 = stablehlo.multiply %183, %181 : tensor<5x8xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %186 = "stablehlo.scatter"(%185, %177, %184) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %187 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %187 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<4x8xf32>
    return %6, %13, %27, %35, %43, %51, %66, %77, %86, %96, %106, %117, %129, %135, %143, %152, %153, %169, %186 : tensor<5x8xf32>, tensor<4x5xf32>, tensor<5xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi1>, tensor<2x2xf32>, tensor<4x8xf32>, tensor<4x5xf32>, tensor<4x3xf32>, tensor<4x8xf32>, tensor<5x8xf32>, tensor<5xi32>, tensor<4x8xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x8xf32>, %arg1: tensor<4x5xi32>) -> tensor<4x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x5xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi1>
    %c_0 = stablehlo.constant dense<8> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x5xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4x5xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<4x5xi1>, tensor<4x5xi32>
    %5 = stablehlo.reshape %4 : (tensor<4x5xi32>) -> tensor<4x5x1xi32>
    %c_1 = stablehlo.constant dense<7> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x5x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x5x1xi32>, tensor<4x5x1xi32>) -> tensor<4x5x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<4x5x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<4x5x1xi32>, tensor<4x5x1xi32>) -> tensor<4x5x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<4x5x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<4x5x1xi1>, tensor<i1>) -> tensor<4x5xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<4x5xi1>, tensor<4x5xf32>
    return %15 : tensor<4x5xf32>
  }
  func.func private @_take(%arg0: tensor<4x8xf32>, %arg1: tensor<5xi32>) -> tensor<5x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<5xi32>
    %4 = call @_where(%1, %3, %arg1) : (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<5x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<5x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<5x1xi1>, tensor<i1>) -> tensor<5xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<5xi1>) -> tensor<5x8xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<5x8xi1>, tensor<5x8xf32>
    return %16 : tensor<5x8xf32>
  }
  func.func private @_where(%arg0: tensor<5xi1>, %arg1: tensor<5xi32>, %arg2: tensor<5xi32>) -> tensor<5xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<5xi1>, tensor<5xi32>
    return %0 : tensor<5xi32>
  }
  func.func private @cumsum(%arg0: tensor<4x8xi1>) -> tensor<32xi32> {
    %0 = stablehlo.reshape %arg0 : (tensor<4x8xi1>) -> tensor<32xi1>
    %1 = stablehlo.convert %0 : (tensor<32xi1>) -> tensor<32xi32>
    %2 = call @cumsum_0(%1) : (tensor<32xi32>) -> tensor<32xi32>
    return %2 : tensor<32xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<32xi32>) -> tensor<32xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[31, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 32>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<32xi32>, tensor<i32>) -> tensor<32xi32>
    return %1 : tensor<32xi32>
  }
  func.func private @clip(%arg0: tensor<32xi32>, %arg1: tensor<i32>) -> tensor<32xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<32xi32>
    return %2 : tensor<32xi32>
  }
  func.func private @cumsum_1(%arg0: tensor<5xi32>) -> tensor<5xi32> {
    %0 = call @cumsum_2(%arg0) : (tensor<5xi32>) -> tensor<5xi32>
    return %0 : tensor<5xi32>
  }
  func.func private @cumsum_2(%arg0: tensor<5xi32>) -> tensor<5xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[4, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 5>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
    return %1 : tensor<5xi32>
  }
  func.func private @floor_divide(%arg0: tensor<5xi32>, %arg1: tensor<i32>) -> tensor<5xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %1 = stablehlo.divide %arg0, %0 : tensor<5xi32>
    %2 = stablehlo.sign %arg0 : tensor<5xi32>
    %3 = stablehlo.sign %arg1 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %5 = stablehlo.compare NE, %2, %4, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %7 = stablehlo.remainder %arg0, %6 : tensor<5xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %9 = stablehlo.compare NE, %7, %8, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %10 = stablehlo.and %5, %9 : tensor<5xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %12 = stablehlo.subtract %1, %11 : tensor<5xi32>
    %13 = call @_where(%10, %12, %1) : (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    return %13 : tensor<5xi32>
  }
  func.func private @remainder(%arg0: tensor<5xi32>, %arg1: tensor<i32>) -> tensor<5xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_3(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<5xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<5xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
    %12 = stablehlo.and %11, %6 : tensor<5xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %14 = stablehlo.add %4, %13 : tensor<5xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<5xi1>, tensor<5xi32>
    return %15 : tensor<5xi32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
