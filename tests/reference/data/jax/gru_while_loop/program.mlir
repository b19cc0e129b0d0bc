module @jit_gru_while_loop attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<5x2x3xf32>) -> (tensor<i32> {jax.result_info = "result[0]"}, tensor<2x4xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1:6 = stablehlo.while(%iterArg = %arg2, %iterArg_1 = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %c, %iterArg_4 = %0, %iterArg_5 = %cst_0) : tensor<5x2x3xf32>, tensor<7x12xf32>, tensor<12xf32>, tensor<i32>, tensor<2x4xf32>, tensor<f32>
    cond {
      %c_6 = stablehlo.constant dense<5> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %cst_7 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %3 = stablehlo.compare GT, %iterArg_5, %cst_7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_8 = stablehlo.constant dense<false> : tensor<i1>
      %4 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i1>) -> tensor<i1>
      %5 = stablehlo.compare NE, %2, %4, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.convert %5 : tensor<i1>
      %7 = stablehlo.and %6, %3 : tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %2 = stablehlo.convert %iterArg_3 : tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare LT, %2, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_7 = stablehlo.constant dense<5> : tensor<i32>
      %4 = stablehlo.add %2, %c_7 : tensor<i32>
      %5 = stablehlo.select %3, %4, %2 : tensor<i1>, tensor<i32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.compare LT, %c_8, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %c_11 = stablehlo.constant dense<2> : tensor<i32>
      %7 = stablehlo.add %c_10, %c_11 : tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.select %6, %7, %c_12 : tensor<i1>, tensor<i32>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.compare LT, %c_13, %c_14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %c_16 = stablehlo.constant dense<3> : tensor<i32>
      %10 = stablehlo.add %c_15, %c_16 : tensor<i32>
      %c_17 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.select %9, %10, %c_17 : tensor<i1>, tensor<i32>
      %12 = stablehlo.dynamic_slice %iterArg, %5, %8, %11, sizes = [1, 2, 3] : (tensor<5x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
      %13 = stablehlo.reshape %12 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
      %14 = stablehlo.concatenate %13, %iterArg_4, dim = 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
      %15 = stablehlo.slice %iterArg_1 [0:7, 0:8] : (tensor<7x12xf32>) -> tensor<7x8xf32>
      %16 = stablehlo.dot_general %14, %15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x7xf32>, tensor<7x8xf32>) -> tensor<2x8xf32>
      %17 = stablehlo.slice %iterArg_2 [0:8] : (tensor<12xf32>) -> tensor<8xf32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<2x8xf32>
      %20 = stablehlo.add %16, %19 : tensor<2x8xf32>
      %21 = stablehlo.negate %20 : tensor<2x8xf32>
      %22 = stablehlo.exponential %21 : tensor<2x8xf32>
      %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %23 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
      %24 = stablehlo.add %23, %22 : tensor<2x8xf32>
      %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %25 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
      %26 = stablehlo.divide %25, %24 : tensor<2x8xf32>
      %27 = stablehlo.slice %26 [0:2, 0:4] : (tensor<2x8xf32>) -> tensor<2x4xf32>
      %28 = stablehlo.slice %26 [0:2, 4:8] : (tensor<2x8xf32>) -> tensor<2x4xf32>
      %29 = stablehlo.convert %iterArg_3 : tensor<i32>
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %30 = stablehlo.compare LT, %29, %c_20, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_21 = stablehlo.constant dense<5> : tensor<i32>
      %31 = stablehlo.add %29, %c_21 : tensor<i32>
      %32 = stablehlo.select %30, %31, %29 : tensor<i1>, tensor<i32>
      %c_22 = stablehlo.constant dense<0> : tensor<i32>
      %c_23 = stablehlo.constant dense<0> : tensor<i32>
      %33 = stablehlo.compare LT, %c_22, %c_23, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_24 = stablehlo.constant dense<0> : tensor<i32>
      %c_25 = stablehlo.constant dense<2> : tensor<i32>
      %34 = stablehlo.add %c_24, %c_25 : tensor<i32>
      %c_26 = stablehlo.constant dense<0> : tensor<i32>
      %35 = stablehlo.select %33, %34, %c_26 : tensor<i1>, tensor<i32>
      %c_27 = stablehlo.constant dense<0> : tensor<i32>
      %c_28 = stablehlo.constant dense<0> : tensor<i32>
      %36 = stablehlo.compare LT, %c_27, %c_28, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_29 = stablehlo.constant dense<0> : tensor<i32>
      %c_30 = stablehlo.constant dense<3> : tensor<i32>
      %37 = stablehlo.add %c_29, %c_30 : tensor<i32>
      %c_31 = stablehlo.constant dense<0> : tensor<i32>
      %38 = stablehlo.select %36, %37, %c_31 : tensor<i1>, tensor<i32>
      %39 = stablehlo.dynamic_slice %iterArg, %32, %35, %38, sizes = [1, 2, 3] : (tensor<5x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
      %40 = stablehlo.reshape %39 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
      %41 = stablehlo.multiply %27, %iterArg_4 : tensor<2x4xf32>
      %42 = stablehlo.concatenate %40, %41, dim = 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
      %43 = stablehlo.slice %iterArg_1 [0:7, 8:12] : (tensor<7x12xf32>) -> tensor<7x4xf32>
      %44 = stablehlo.dot_general %42, %43, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x7xf32>, tensor<7x4xf32>) -> tensor<2x4xf32>
      %45 = stablehlo.slice %iterArg_2 [8:12] : (tensor<12xf32>) -> tensor<4xf32>
      %46 = stablehlo.broadcast_in_dim %45, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<2x4xf32>
      %48 = stablehlo.add %44, %47 : tensor<2x4xf32>
      %49 = stablehlo.tanh %48 : tensor<2x4xf32>
      %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %50 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %51 = stablehlo.subtract %50, %28 : tensor<2x4xf32>
      %52 = stablehlo.multiply %51, %49 : tensor<2x4xf32>
      %53 = stablehlo.multiply %28, %iterArg_4 : tensor<2x4xf32>
      %54 = stablehlo.add %52, %53 : tensor<2x4xf32>
      %c_33 = stablehlo.constant dense<1> : tensor<i32>
      %55 = stablehlo.add %iterArg_3, %c_33 : tensor<i32>
      %56 = stablehlo.subtract %54, %iterArg_4 : tensor<2x4xf32>
      %57 = stablehlo.abs %56 : tensor<2x4xf32>
      %cst_34 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %58 = stablehlo.reduce(%57 init: %cst_34) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %iterArg, %iterArg_1, %iterArg_2, %55, %54, %58 : tensor<5x2x3xf32>, tensor<7x12xf32>, tensor<12xf32>, tensor<i32>, tensor<2x4xf32>, tensor<f32>
    }
    return %1#3, %1#4, %1#5 : tensor<i32>, tensor<2x4xf32>, tensor<f32>
  }
}
