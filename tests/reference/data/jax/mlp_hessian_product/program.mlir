module @jit_mlp_hessian_product attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<6x8xf32>, %arg3: tensor<8x4xf32>, %arg4: tensor<5x6xf32>, %arg5: tensor<5xi32>) -> (tensor<8xf32> {jax.result_info = "result['b1']"}, tensor<4xf32> {jax.result_info = "result['b2']"}, tensor<6x8xf32> {jax.result_info = "result['w1']"}, tensor<8x4xf32> {jax.result_info = "result['w2']"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %4 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x6xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
    %5 = stablehlo.dot_general %arg4, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x6xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
    %6 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %7 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<5x8xf32>
    %9 = stablehlo.add %4, %8 : tensor<5x8xf32>
    %10 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<5x8xf32>
    %11 = stablehlo.add %5, %10 : tensor<5x8xf32>
    %12 = call @relu(%9) : (tensor<5x8xf32>) -> tensor<5x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %14 = stablehlo.compare GT, %9, %13, FLOAT : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %16 = stablehlo.select %14, %11, %15 : tensor<5x8xi1>, tensor<5x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %18 = stablehlo.compare GT, %9, %17, FLOAT : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %20 = stablehlo.dot_general %12, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<8x4xf32>) -> tensor<5x4xf32>
    %21 = stablehlo.dot_general %16, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<8x4xf32>) -> tensor<5x4xf32>
    %22 = stablehlo.dot_general %12, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<8x4xf32>) -> tensor<5x4xf32>
    %23 = stablehlo.add %21, %22 : tensor<5x4xf32>
    %24 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %25 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %26 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<5x4xf32>
    %27 = stablehlo.add %20, %26 : tensor<5x4xf32>
    %28 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<5x4xf32>
    %29 = stablehlo.add %23, %28 : tensor<5x4xf32>
    %30 = call @_one_hot(%arg5) : (tensor<5xi32>) -> tensor<5x4xf32>
    %31:6 = call @log_softmax(%27, %29) : (tensor<5x4xf32>, tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>)
    %32 = stablehlo.multiply %30, %31#0 : tensor<5x4xf32>
    %33 = stablehlo.multiply %30, %31#3 : tensor<5x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%32 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%33 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%34 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%35 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %cst_11 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %38 = stablehlo.divide %36, %cst_11 : tensor<f32>
    %cst_12 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %39 = stablehlo.divide %37, %cst_12 : tensor<f32>
    %40 = stablehlo.negate %38 : tensor<f32>
    %41 = stablehlo.negate %39 : tensor<f32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.negate %cst_13 : tensor<f32>
    %cst_14 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %43 = stablehlo.divide %42, %cst_14 : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
    %46 = stablehlo.multiply %30, %45 : tensor<5x4xf32>
    %47:2 = call @log_softmax_0(%31#1, %31#2, %46, %31#4, %31#5) : (tensor<5x4xf32>, tensor<5x1xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47#0 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%47#1 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<4xf32>
    %50 = stablehlo.reshape %48 : (tensor<4xf32>) -> tensor<1x4xf32>
    %51 = stablehlo.reshape %49 : (tensor<4xf32>) -> tensor<1x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%50 init: %cst_17) applies stablehlo.add across dimensions = [0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%51 init: %cst_18) applies stablehlo.add across dimensions = [0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %54 = stablehlo.dot_general %47#0, %12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<5x8xf32>) -> tensor<4x8xf32>
    %55 = stablehlo.dot_general %47#1, %12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<5x8xf32>) -> tensor<4x8xf32>
    %56 = stablehlo.dot_general %47#0, %16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<5x8xf32>) -> tensor<4x8xf32>
    %57 = stablehlo.add %55, %56 : tensor<4x8xf32>
    %58 = stablehlo.transpose %54, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %59 = stablehlo.transpose %57, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %60 = stablehlo.dot_general %47#0, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<8x4xf32>) -> tensor<5x8xf32>
    %61 = stablehlo.dot_general %47#1, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<8x4xf32>) -> tensor<5x8xf32>
    %62 = stablehlo.dot_general %47#0, %3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<8x4xf32>) -> tensor<5x8xf32>
    %63 = stablehlo.add %61, %62 : tensor<5x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %65 = stablehlo.select %18, %60, %64 : tensor<5x8xi1>, tensor<5x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %67 = stablehlo.select %18, %63, %66 : tensor<5x8xi1>, tensor<5x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.reduce(%65 init: %cst_21) applies stablehlo.add across dimensions = [0] : (tensor<5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%67 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %70 = stablehlo.reshape %68 : (tensor<8xf32>) -> tensor<1x8xf32>
    %71 = stablehlo.reshape %69 : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%70 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%71 init: %cst_24) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %74 = stablehlo.dot_general %65, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<5x6xf32>) -> tensor<8x6xf32>
    %75 = stablehlo.dot_general %67, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<5x6xf32>) -> tensor<8x6xf32>
    %76 = stablehlo.transpose %74, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
    %77 = stablehlo.transpose %75, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
    return %73, %53, %77, %59 : tensor<8xf32>, tensor<4xf32>, tensor<6x8xf32>, tensor<8x4xf32>
  }
  func.func private @relu(%arg0: tensor<5x8xf32>) -> tensor<5x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<5x8xf32>
    return %1 : tensor<5x8xf32>
  }
  func.func private @_one_hot(%arg0: tensor<5xi32>) -> tensor<5x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<5x1xi32>) -> tensor<5x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<5x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<5x4xi32>, tensor<5x4xi32>) -> tensor<5x4xi1>
    %5 = stablehlo.convert %4 : (tensor<5x4xi1>) -> tensor<5x4xf32>
    return %5 : tensor<5x4xf32>
  }
  func.func private @log_softmax(%arg0: tensor<5x4xf32>, %arg1: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %1 = stablehlo.reshape %0 : (tensor<5xf32>) -> tensor<5x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xi1>
    %4 = stablehlo.convert %3 : (tensor<5x4xi1>) -> tensor<5x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %6 = stablehlo.multiply %arg1, %4 : tensor<5x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %8 = stablehlo.divide %7, %5 : tensor<5xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %10 = stablehlo.maximum %9, %0 : tensor<5xf32>
    %11 = stablehlo.compare EQ, %0, %10, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %14 = stablehlo.select %11, %12, %13 : tensor<5xi1>, tensor<5xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %16 = stablehlo.compare EQ, %15, %10, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %19 = stablehlo.select %16, %17, %18 : tensor<5xi1>, tensor<5xf32>
    %20 = stablehlo.divide %14, %19 : tensor<5xf32>
    %21 = stablehlo.multiply %8, %20 : tensor<5xf32>
    %22 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
    %25 = stablehlo.subtract %arg0, %24 : tensor<5x4xf32>
    %26 = stablehlo.exponential %25 : tensor<5x4xf32>
    %27 = stablehlo.multiply %arg1, %26 : tensor<5x4xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%26 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%27 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %31 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %32 = stablehlo.log %30 : tensor<5x1xf32>
    %33 = stablehlo.divide %31, %30 : tensor<5x1xf32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
    %35 = stablehlo.subtract %25, %34 : tensor<5x4xf32>
    %36 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
    %37 = stablehlo.subtract %arg1, %36 : tensor<5x4xf32>
    return %35, %26, %30, %37, %27, %31 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<5x4xf32>, %arg1: tensor<5x1xf32>, %arg2: tensor<5x4xf32>, %arg3: tensor<5x4xf32>, %arg4: tensor<5x1xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
    %0 = stablehlo.negate %arg2 : tensor<5x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %2 = stablehlo.reshape %1 : (tensor<5xf32>) -> tensor<5x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<5x1xf32>
    %4 = stablehlo.negate %arg4 : tensor<5x1xf32>
    %5 = stablehlo.multiply %4, %2 : tensor<5x1xf32>
    %6 = stablehlo.multiply %arg1, %arg1 : tensor<5x1xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %8 = stablehlo.divide %7, %6 : tensor<5x1xf32>
    %9 = stablehlo.multiply %5, %8 : tensor<5x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%9 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
    %14 = stablehlo.multiply %12, %arg0 : tensor<5x4xf32>
    %15 = stablehlo.multiply %13, %arg0 : tensor<5x4xf32>
    %16 = stablehlo.multiply %12, %arg3 : tensor<5x4xf32>
    %17 = stablehlo.add %15, %16 : tensor<5x4xf32>
    %18 = stablehlo.add %arg2, %14 : tensor<5x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
    %20 = stablehlo.add %19, %17 : tensor<5x4xf32>
    return %18, %20 : tensor<5x4xf32>, tensor<5x4xf32>
  }
}
