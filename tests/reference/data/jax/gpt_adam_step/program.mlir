module @jit_gpt_adam_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<8x24xf32>, %arg5: tensor<8xf32>, %arg6: tensor<8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<16x8xf32>, %arg9: tensor<8xf32>, %arg10: tensor<8xf32>, %arg11: tensor<8x8xf32>, %arg12: tensor<8x24xf32>, %arg13: tensor<8xf32>, %arg14: tensor<8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<6x8xf32>, %arg17: tensor<11x8xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<8xf32>, %arg20: tensor<8xf32>, %arg21: tensor<8x8xf32>, %arg22: tensor<8x24xf32>, %arg23: tensor<8xf32>, %arg24: tensor<8xf32>, %arg25: tensor<8x16xf32>, %arg26: tensor<16x8xf32>, %arg27: tensor<8xf32>, %arg28: tensor<8xf32>, %arg29: tensor<8x8xf32>, %arg30: tensor<8x24xf32>, %arg31: tensor<8xf32>, %arg32: tensor<8xf32>, %arg33: tensor<8x16xf32>, %arg34: tensor<6x8xf32>, %arg35: tensor<11x8xf32>, %arg36: tensor<16x8xf32>, %arg37: tensor<8xf32>, %arg38: tensor<8xf32>, %arg39: tensor<8x8xf32>, %arg40: tensor<8x24xf32>, %arg41: tensor<8xf32>, %arg42: tensor<8xf32>, %arg43: tensor<8x16xf32>, %arg44: tensor<16x8xf32>, %arg45: tensor<8xf32>, %arg46: tensor<8xf32>, %arg47: tensor<8x8xf32>, %arg48: tensor<8x24xf32>, %arg49: tensor<8xf32>, %arg50: tensor<8xf32>, %arg51: tensor<8x16xf32>, %arg52: tensor<6x8xf32>, %arg53: tensor<11x8xf32>, %arg54: tensor<f32>, %arg55: tensor<2x7xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['blocks'][0]['down']"}, tensor<8xf32> {jax.result_info = "result[1]['blocks'][0]['norm1']"}, tensor<8xf32> {jax.result_info = "result[1]['blocks'][0]['norm2']"}, tensor<8x8xf32> {jax.result_info = "result[1]['blocks'][0]['out']"}, tensor<8x24xf32> {jax.result_info = "result[1]['blocks'][0]['qkv']"}, tensor<8xf32> {jax.result_info = "result[1]['blocks'][0]['shift1']"}, tensor<8xf32> {jax.result_info = "result[1]['blocks'][0]['shift2']"}, tensor<8x16xf32> {jax.result_info = "result[1]['blocks'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[1]['blocks'][1]['down']"}, tensor<8xf32> {jax.result_info = "result[1]['blocks'][1]['norm1']"}, tensor<8xf32> {jax.result_info = "result[1]['blocks'][1]['norm2']"}, tensor<8x8xf32> {jax.result_info = "result[1]['blocks'][1]['out']"}, tensor<8x24xf32> {jax.result_info = "result[1]['blocks'][1]['qkv']"}, tensor<8xf32> {jax.result_info = "result[1]['blocks'][1]['shift1']"}, tensor<8xf32> {jax.result_info = "result[1]['blocks'][1]['shift2']"}, tensor<8x16xf32> {jax.result_info = "result[1]['blocks'][1]['up']"}, tensor<6x8xf32> {jax.result_info = "result[1]['places']"}, tensor<11x8xf32> {jax.result_info = "result[1]['tokens']"}, tensor<16x8xf32> {jax.result_info = "result[2]['blocks'][0]['down']"}, tensor<8xf32> {jax.result_info = "result[2]['blocks'][0]['norm1']"}, tensor<8xf32> {jax.result_info = "result[2]['blocks'][0]['norm2']"}, tensor<8x8xf32> {jax.result_info = "result[2]['blocks'][0]['out']"}, tensor<8x24xf32> {jax.result_info = "result[2]['blocks'][0]['qkv']"}, tensor<8xf32> {jax.result_info = "result[2]['blocks'][0]['shift1']"}, tensor<8xf32> {jax.result_info = "result[2]['blocks'][0]['shift2']"}, tensor<8x16xf32> {jax.result_info = "result[2]['blocks'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[2]['blocks'][1]['down']"}, tensor<8xf32> {jax.result_info = "result[2]['blocks'][1]['norm1']"}, tensor<8xf32> {jax.result_info = "result[2]['blocks'][1]['norm2']"}, tensor<8x8xf32> {jax.result_info = "result[2]['blocks'][1]['out']"}, tensor<8x24xf32> {jax.result_info = "result[2]['blocks'][1]['qkv']"}, tensor<8xf32> {jax.result_info = "result[2]['blocks'][1]['shift1']"}, tensor<8xf32> {jax.result_info = "result[2]['blocks'][1]['shift2']"}, tensor<8x16xf32> {jax.result_info = "result[2]['blocks'][1]['up']"}, tensor<6x8xf32> {jax.result_info = "result[2]['places']"}, tensor<11x8xf32> {jax.result_info = "result[2]['tokens']"}, tensor<16x8xf32> {jax.result_info = "result[3]['blocks'][0]['down']"}, tensor<8xf32> {jax.result_info = "result[3]['blocks'][0]['norm1']"}, tensor<8xf32> {jax.result_info = "result[3]['blocks'][0]['norm2']"}, tensor<8x8xf32> {jax.result_info = "result[3]['blocks'][0]['out']"}, tensor<8x24xf32> {jax.result_info = "result[3]['blocks'][0]['qkv']"}, tensor<8xf32> {jax.result_info = "result[3]['blocks'][0]['shift1']"}, tensor<8xf32> {jax.result_info = "result[3]['blocks'][0]['shift2']"}, tensor<8x16xf32> {jax.result_info = "result[3]['blocks'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[3]['blocks'][1]['down']"}, tensor<8xf32> {jax.result_info = "result[3]['blocks'][1]['norm1']"}, tensor<8xf32> {jax.result_info = "result[3]['blocks'][1]['norm2']"}, tensor<8x8xf32> {jax.result_info = "result[3]['blocks'][1]['out']"}, tensor<8x24xf32> {jax.result_info = "result[3]['blocks'][1]['qkv']"}, tensor<8xf32> {jax.result_info = "result[3]['blocks'][1]['shift1']"}, tensor<8xf32> {jax.result_info = "result[3]['blocks'][1]['shift2']"}, tensor<8x16xf32> {jax.result_info = "result[3]['blocks'][1]['up']"}, tensor<6x8xf32> {jax.result_info = "result[3]['places']"}, tensor<11x8xf32> {jax.result_info = "result[3]['tokens']"}) {
    %0 = stablehlo.slice %arg55 [0:2, 0:6] : (tensor<2x7xi32>) -> tensor<2x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x6xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<2x6xi32>, tensor<2x6xi32>) -> tensor<2x6xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x6xi32>
    %4 = stablehlo.add %0, %3 : tensor<2x6xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<2x6xi1>, tensor<2x6xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x6xi32>) -> tensor<2x6x1xi32>
    %7 = "stablehlo.gather"(%arg17, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<11x8xf32>, tensor<2x6x1xi32>) -> tensor<2x6x8xf32>
    %8 = stablehlo.broadcast_in_dim %arg16, dims = [1, 2] : (tensor<6x8xf32>) -> tensor<1x6x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x6x8xf32>) -> tensor<2x6x8xf32>
    %10 = stablehlo.add %7, %9 : tensor<2x6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<2x6x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %16 = stablehlo.subtract %10, %15 : tensor<2x6x8xf32>
    %17 = stablehlo.multiply %16, %16 : tensor<2x6x8xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x6x8xf32>
    %19 = stablehlo.multiply %18, %16 : tensor<2x6x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%17 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %23 = stablehlo.divide %21, %22 : tensor<2x6x1xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %25 = stablehlo.add %23, %24 : tensor<2x6x1xf32>
    %26 = stablehlo.rsqrt %25 : tensor<2x6x1xf32>
    %27 = stablehlo.divide %26, %25 : tensor<2x6x1xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<2x6x1xf32>
    %30 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %31 = stablehlo.multiply %16, %30 : tensor<2x6x8xf32>
    %32 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<2x6x8xf32>
    %35 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %37 = stablehlo.add %34, %36 : tensor<2x6x8xf32>
    %38 = stablehlo.dot_general %37, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x24xf32>) -> tensor<2x6x24xf32>
    %39 = stablehlo.slice %38 [0:2, 0:6, 0:8] : (tensor<2x6x24xf32>) -> tensor<2x6x8xf32>
    %40 = stablehlo.slice %38 [0:2, 0:6, 8:16] : (tensor<2x6x24xf32>) -> tensor<2x6x8xf32>
    %41 = stablehlo.slice %38 [0:2, 0:6, 16:24] : (tensor<2x6x24xf32>) -> tensor<2x6x8xf32>
    %42 = stablehlo.reshape %39 : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    %43 = stablehlo.transpose %42, dims = [0, 2, 1, 3] : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %44 = stablehlo.reshape %40 : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    %45 = stablehlo.transpose %44, dims = [0, 2, 1, 3] : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %46 = stablehlo.reshape %41 : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    %47 = stablehlo.transpose %46, dims = [0, 2, 1, 3] : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %48 = stablehlo.dot_general %43, %45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x6xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %50 = stablehlo.divide %48, %49 : tensor<2x2x6x6xf32>
    %c_8 = stablehlo.constant dense<true> : tensor<i1>
    %51 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %52 = call @tril(%51) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst_9 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %53:3 = call @_where(%52, %50, %cst_9) : (tensor<6x6xi1>, tensor<2x2x6x6xf32>, tensor<f32>) -> (tensor<2x2x6x6xf32>, tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>)
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %54 = stablehlo.reduce(%53#0 init: %cst_10) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %55 = stablehlo.reshape %54 : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %57 = stablehlo.compare EQ, %53#0, %56, FLOAT : (tensor<2x2x6x6xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xi1>
    %58 = stablehlo.convert %57 : (tensor<2x2x6x6xi1>) -> tensor<2x2x6x6xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %61 = stablehlo.maximum %60, %54 : tensor<2x2x6xf32>
    %62 = stablehlo.compare EQ, %54, %61, FLOAT : (tensor<2x2x6xf32>, tensor<2x2x6xf32>) -> tensor<2x2x6xi1>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %65 = stablehlo.select %62, %63, %64 : tensor<2x2x6xi1>, tensor<2x2x6xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %67 = stablehlo.compare EQ, %66, %61, FLOAT : (tensor<2x2x6xf32>, tensor<2x2x6xf32>) -> tensor<2x2x6xi1>
    %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %70 = stablehlo.select %67, %68, %69 : tensor<2x2x6xi1>, tensor<2x2x6xf32>
    %71 = stablehlo.divide %65, %70 : tensor<2x2x6xf32>
    %72 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %74 = stablehlo.subtract %53#0, %73 : tensor<2x2x6x6xf32>
    %75 = stablehlo.exponential %74 : tensor<2x2x6x6xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_18) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %79 = stablehlo.divide %75, %78 : tensor<2x2x6x6xf32>
    %80 = stablehlo.multiply %77, %77 : tensor<2x2x6x1xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x2x6x1xf32>
    %82 = stablehlo.divide %81, %80 : tensor<2x2x6x1xf32>
    %83 = stablehlo.dot_general %79, %47, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x6xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x4xf32>
    %84 = stablehlo.transpose %83, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %85 = stablehlo.reshape %84 : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    %86 = stablehlo.dot_general %85, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32>
    %87 = stablehlo.add %10, %86 : tensor<2x6x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_20) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_21 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %91 = stablehlo.divide %89, %90 : tensor<2x6x1xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %93 = stablehlo.subtract %87, %92 : tensor<2x6x8xf32>
    %94 = stablehlo.multiply %93, %93 : tensor<2x6x8xf32>
    %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x6x8xf32>
    %96 = stablehlo.multiply %95, %93 : tensor<2x6x8xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%94 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_24 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %100 = stablehlo.divide %98, %99 : tensor<2x6x1xf32>
    %cst_25 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %102 = stablehlo.add %100, %101 : tensor<2x6x1xf32>
    %103 = stablehlo.rsqrt %102 : tensor<2x6x1xf32>
    %104 = stablehlo.divide %103, %102 : tensor<2x6x1xf32>
    %cst_26 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %106 = stablehlo.multiply %105, %104 : tensor<2x6x1xf32>
    %107 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %108 = stablehlo.multiply %93, %107 : tensor<2x6x8xf32>
    %109 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %111 = stablehlo.multiply %108, %110 : tensor<2x6x8xf32>
    %112 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %114 = stablehlo.add %111, %113 : tensor<2x6x8xf32>
    %115 = stablehlo.dot_general %114, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x16xf32>) -> tensor<2x6x16xf32>
    %116 = stablehlo.multiply %115, %115 : tensor<2x6x16xf32>
    %117 = stablehlo.multiply %116, %115 : tensor<2x6x16xf32>
    %118 = stablehlo.multiply %115, %115 : tensor<2x6x16xf32>
    %cst_27 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %120 = stablehlo.multiply %119, %118 : tensor<2x6x16xf32>
    %cst_28 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %122 = stablehlo.multiply %121, %117 : tensor<2x6x16xf32>
    %123 = stablehlo.add %115, %122 : tensor<2x6x16xf32>
    %cst_29 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %125 = stablehlo.multiply %124, %123 : tensor<2x6x16xf32>
    %126 = stablehlo.tanh %125 : tensor<2x6x16xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %128 = stablehlo.subtract %127, %126 : tensor<2x6x16xf32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %130 = stablehlo.add %129, %126 : tensor<2x6x16xf32>
    %cst_32 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %132 = stablehlo.multiply %131, %130 : tensor<2x6x16xf32>
    %133 = stablehlo.multiply %115, %132 : tensor<2x6x16xf32>
    %134 = stablehlo.dot_general %133, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xf32>, tensor<16x8xf32>) -> tensor<2x6x8xf32>
    %135 = stablehlo.add %87, %134 : tensor<2x6x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%135 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_34 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %139 = stablehlo.divide %137, %138 : tensor<2x6x1xf32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %141 = stablehlo.subtract %135, %140 : tensor<2x6x8xf32>
    %142 = stablehlo.multiply %141, %141 : tensor<2x6x8xf32>
    %cst_35 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<2x6x8xf32>
    %144 = stablehlo.multiply %143, %141 : tensor<2x6x8xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.reduce(%142 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_37 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %148 = stablehlo.divide %146, %147 : tensor<2x6x1xf32>
    %cst_38 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %150 = stablehlo.add %148, %149 : tensor<2x6x1xf32>
    %151 = stablehlo.rsqrt %150 : tensor<2x6x1xf32>
    %152 = stablehlo.divide %151, %150 : tensor<2x6x1xf32>
    %cst_39 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %154 = stablehlo.multiply %153, %152 : tensor<2x6x1xf32>
    %155 = stablehlo.broadcast_in_dim %151, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %156 = stablehlo.multiply %141, %155 : tensor<2x6x8xf32>
    %157 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %158 = stablehlo.broadcast_in_dim %157, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %159 = stablehlo.multiply %156, %158 : tensor<2x6x8xf32>
    %160 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %161 = stablehlo.broadcast_in_dim %160, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %162 = stablehlo.add %159, %161 : tensor<2x6x8xf32>
    %163 = stablehlo.dot_general %162, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x24xf32>) -> tensor<2x6x24xf32>
    %164 = stablehlo.slice %163 [0:2, 0:6, 0:8] : (tensor<2x6x24xf32>) -> tensor<2x6x8xf32>
    %165 = stablehlo.slice %163 [0:2, 0:6, 8:16] : (tensor<2x6x24xf32>) -> tensor<2x6x8xf32>
    %166 = stablehlo.slice %163 [0:2, 0:6, 16:24] : (tensor<2x6x24xf32>) -> tensor<2x6x8xf32>
    %167 = stablehlo.reshape %164 : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    %168 = stablehlo.transpose %167, dims = [0, 2, 1, 3] : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %169 = stablehlo.reshape %165 : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    %170 = stablehlo.transpose %169, dims = [0, 2, 1, 3] : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %171 = stablehlo.reshape %166 : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    %172 = stablehlo.transpose %171, dims = [0, 2, 1, 3] : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %173 = stablehlo.dot_general %168, %170, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x6xf32>
    %cst_40 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %175 = stablehlo.divide %173, %174 : tensor<2x2x6x6xf32>
    %c_41 = stablehlo.constant dense<true> : tensor<i1>
    %176 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %177 = call @tril(%176) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst_42 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %178:3 = call @_where(%177, %175, %cst_42) : (tensor<6x6xi1>, tensor<2x2x6x6xf32>, tensor<f32>) -> (tensor<2x2x6x6xf32>, tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>)
    %cst_43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %179 = stablehlo.reduce(%178#0 init: %cst_43) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %180 = stablehlo.reshape %179 : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %182 = stablehlo.compare EQ, %178#0, %181, FLOAT : (tensor<2x2x6x6xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xi1>
    %183 = stablehlo.convert %182 : (tensor<2x2x6x6xi1>) -> tensor<2x2x6x6xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.reduce(%183 init: %cst_44) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %186 = stablehlo.maximum %185, %179 : tensor<2x2x6xf32>
    %187 = stablehlo.compare EQ, %179, %186, FLOAT : (tensor<2x2x6xf32>, tensor<2x2x6xf32>) -> tensor<2x2x6xi1>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %190 = stablehlo.select %187, %188, %189 : tensor<2x2x6xi1>, tensor<2x2x6xf32>
    %cst_48 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %192 = stablehlo.compare EQ, %191, %186, FLOAT : (tensor<2x2x6xf32>, tensor<2x2x6xf32>) -> tensor<2x2x6xi1>
    %cst_49 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %193 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %194 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<2x2x6xf32>
    %195 = stablehlo.select %192, %193, %194 : tensor<2x2x6xi1>, tensor<2x2x6xf32>
    %196 = stablehlo.divide %190, %195 : tensor<2x2x6xf32>
    %197 = stablehlo.broadcast_in_dim %186, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %198 = stablehlo.broadcast_in_dim %197, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %199 = stablehlo.subtract %178#0, %198 : tensor<2x2x6x6xf32>
    %200 = stablehlo.exponential %199 : tensor<2x2x6x6xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %201 = stablehlo.reduce(%200 init: %cst_51) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %203 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %204 = stablehlo.divide %200, %203 : tensor<2x2x6x6xf32>
    %205 = stablehlo.multiply %202, %202 : tensor<2x2x6x1xf32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<2x2x6x1xf32>
    %207 = stablehlo.divide %206, %205 : tensor<2x2x6x1xf32>
    %208 = stablehlo.dot_general %204, %172, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x6xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x4xf32>
    %209 = stablehlo.transpose %208, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %210 = stablehlo.reshape %209 : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    %211 = stablehlo.dot_general %210, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32>
    %212 = stablehlo.add %135, %211 : tensor<2x6x8xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %213 = stablehlo.reduce(%212 init: %cst_53) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %214 = stablehlo.broadcast_in_dim %213, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_54 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %216 = stablehlo.divide %214, %215 : tensor<2x6x1xf32>
    %217 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %218 = stablehlo.subtract %212, %217 : tensor<2x6x8xf32>
    %219 = stablehlo.multiply %218, %218 : tensor<2x6x8xf32>
    %cst_55 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<2x6x8xf32>
    %221 = stablehlo.multiply %220, %218 : tensor<2x6x8xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %222 = stablehlo.reduce(%219 init: %cst_56) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %223 = stablehlo.broadcast_in_dim %222, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_57 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %225 = stablehlo.divide %223, %224 : tensor<2x6x1xf32>
    %cst_58 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %227 = stablehlo.add %225, %226 : tensor<2x6x1xf32>
    %228 = stablehlo.rsqrt %227 : tensor<2x6x1xf32>
    %229 = stablehlo.divide %228, %227 : tensor<2x6x1xf32>
    %cst_59 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %231 = stablehlo.multiply %230, %229 : tensor<2x6x1xf32>
    %232 = stablehlo.broadcast_in_dim %228, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %233 = stablehlo.multiply %218, %232 : tensor<2x6x8xf32>
    %234 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %235 = stablehlo.broadcast_in_dim %234, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %236 = stablehlo.multiply %233, %235 : tensor<2x6x8xf32>
    %237 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %238 = stablehlo.broadcast_in_dim %237, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %239 = stablehlo.add %236, %238 : tensor<2x6x8xf32>
    %240 = stablehlo.dot_general %239, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x16xf32>) -> tensor<2x6x16xf32>
    %241 = stablehlo.multiply %240, %240 : tensor<2x6x16xf32>
    %242 = stablehlo.multiply %241, %240 : tensor<2x6x16xf32>
    %243 = stablehlo.multiply %240, %240 : tensor<2x6x16xf32>
    %cst_60 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %245 = stablehlo.multiply %244, %243 : tensor<2x6x16xf32>
    %cst_61 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %247 = stablehlo.multiply %246, %242 : tensor<2x6x16xf32>
    %248 = stablehlo.add %240, %247 : tensor<2x6x16xf32>
    %cst_62 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %250 = stablehlo.multiply %249, %248 : tensor<2x6x16xf32>
    %251 = stablehlo.tanh %250 : tensor<2x6x16xf32>
    %cst_63 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %253 = stablehlo.subtract %252, %251 : tensor<2x6x16xf32>
    %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %254 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %255 = stablehlo.add %254, %251 : tensor<2x6x16xf32>
    %cst_65 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %257 = stablehlo.multiply %256, %255 : tensor<2x6x16xf32>
    %258 = stablehlo.multiply %240, %257 : tensor<2x6x16xf32>
    %259 = stablehlo.dot_general %258, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xf32>, tensor<16x8xf32>) -> tensor<2x6x8xf32>
    %260 = stablehlo.add %212, %259 : tensor<2x6x8xf32>
    %261 = stablehlo.transpose %arg17, dims = [1, 0] : (tensor<11x8xf32>) -> tensor<8x11xf32>
    %262 = stablehlo.dot_general %260, %261, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x11xf32>) -> tensor<2x6x11xf32>
    %263:3 = call @log_softmax(%262) : (tensor<2x6x11xf32>) -> (tensor<2x6x11xf32>, tensor<2x6x11xf32>, tensor<2x6x1xf32>)
    %264 = stablehlo.slice %arg55 [0:2, 1:7] : (tensor<2x7xi32>) -> tensor<2x6xi32>
    %265 = stablehlo.broadcast_in_dim %264, dims = [0, 1] : (tensor<2x6xi32>) -> tensor<2x6x1xi32>
    %266:2 = call @take_along_axis(%263#0, %265) : (tensor<2x6x11xf32>, tensor<2x6x1xi32>) -> (tensor<2x6x1xf32>, tensor<2x6x1x1xi32>)
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %267 = stablehlo.reduce(%266#0 init: %cst_66) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_67 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %268 = stablehlo.divide %267, %cst_67 : tensor<f32>
    %269 = stablehlo.negate %268 : tensor<f32>
    %cst_68 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %270 = stablehlo.negate %cst_68 : tensor<f32>
    %cst_69 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %271 = stablehlo.divide %270, %cst_69 : tensor<f32>
    %272 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %273 = call @take_along_axis_0(%266#1, %272) : (tensor<2x6x1x1xi32>, tensor<2x6x1xf32>) -> tensor<2x6x11xf32>
    %274 = call @log_softmax_1(%263#1, %263#2, %273) : (tensor<2x6x11xf32>, tensor<2x6x1xf32>, tensor<2x6x11xf32>) -> tensor<2x6x11xf32>
    %275 = stablehlo.dot_general %274, %260, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x11xf32>, tensor<2x6x8xf32>) -> tensor<11x8xf32>
    %276 = stablehlo.transpose %275, dims = [1, 0] : (tensor<11x8xf32>) -> tensor<8x11xf32>
    %277 = stablehlo.dot_general %274, %261, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x11xf32>, tensor<8x11xf32>) -> tensor<2x6x8xf32>
    %278 = stablehlo.transpose %276, dims = [1, 0] : (tensor<8x11xf32>) -> tensor<11x8xf32>
    %279 = stablehlo.dot_general %277, %258, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<2x6x16xf32>) -> tensor<8x16xf32>
    %280 = stablehlo.transpose %279, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %281 = stablehlo.dot_general %277, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<16x8xf32>) -> tensor<2x6x16xf32>
    %282 = stablehlo.multiply %240, %281 : tensor<2x6x16xf32>
    %283 = stablehlo.multiply %281, %257 : tensor<2x6x16xf32>
    %cst_70 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %285 = stablehlo.multiply %284, %282 : tensor<2x6x16xf32>
    %286 = stablehlo.multiply %285, %253 : tensor<2x6x16xf32>
    %287 = stablehlo.multiply %286, %251 : tensor<2x6x16xf32>
    %288 = stablehlo.add %286, %287 : tensor<2x6x16xf32>
    %cst_71 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %290 = stablehlo.multiply %289, %288 : tensor<2x6x16xf32>
    %291 = stablehlo.add %283, %290 : tensor<2x6x16xf32>
    %cst_72 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %292 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %293 = stablehlo.multiply %292, %290 : tensor<2x6x16xf32>
    %294 = stablehlo.multiply %293, %245 : tensor<2x6x16xf32>
    %295 = stablehlo.add %291, %294 : tensor<2x6x16xf32>
    %296 = stablehlo.dot_general %295, %239, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xf32>, tensor<2x6x8xf32>) -> tensor<16x8xf32>
    %297 = stablehlo.transpose %296, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %298 = stablehlo.dot_general %295, %arg15, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xf32>, tensor<8x16xf32>) -> tensor<2x6x8xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_73) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %300 = stablehlo.reshape %299 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %301 = stablehlo.reduce(%300 init: %cst_74) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %302 = stablehlo.multiply %233, %298 : tensor<2x6x8xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%302 init: %cst_75) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %304 = stablehlo.reshape %303 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %305 = stablehlo.broadcast_in_dim %234, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %306 = stablehlo.multiply %298, %305 : tensor<2x6x8xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.reduce(%304 init: %cst_76) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %308 = stablehlo.multiply %218, %306 : tensor<2x6x8xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %309 = stablehlo.reduce(%308 init: %cst_77) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %310 = stablehlo.reshape %309 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %311 = stablehlo.broadcast_in_dim %228, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %312 = stablehlo.multiply %306, %311 : tensor<2x6x8xf32>
    %313 = stablehlo.multiply %310, %231 : tensor<2x6x1xf32>
    %cst_78 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %314 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %315 = stablehlo.divide %313, %314 : tensor<2x6x1xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %316 = stablehlo.reduce(%315 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %317 = stablehlo.broadcast_in_dim %316, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %318 = stablehlo.multiply %317, %221 : tensor<2x6x8xf32>
    %319 = stablehlo.add %312, %318 : tensor<2x6x8xf32>
    %320 = stablehlo.negate %319 : tensor<2x6x8xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %321 = stablehlo.reduce(%320 init: %cst_80) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %322 = stablehlo.reshape %321 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %323 = stablehlo.add %277, %319 : tensor<2x6x8xf32>
    %cst_81 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %325 = stablehlo.divide %322, %324 : tensor<2x6x1xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %326 = stablehlo.reduce(%325 init: %cst_82) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %327 = stablehlo.broadcast_in_dim %326, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %328 = stablehlo.add %323, %327 : tensor<2x6x8xf32>
    %329 = stablehlo.dot_general %328, %210, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<8x8xf32>
    %330 = stablehlo.transpose %329, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %331 = stablehlo.dot_general %328, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32>
    %332 = stablehlo.reshape %331 : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    %333 = stablehlo.transpose %332, dims = [0, 2, 1, 3] : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %334 = stablehlo.dot_general %333, %204, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x4xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x4x6xf32>
    %335 = stablehlo.transpose %334, dims = [0, 1, 3, 2] : (tensor<2x2x4x6xf32>) -> tensor<2x2x6x4xf32>
    %336 = stablehlo.dot_general %333, %172, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x6xf32>
    %337 = stablehlo.broadcast_in_dim %207, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %338 = stablehlo.multiply %336, %337 : tensor<2x2x6x6xf32>
    %339 = stablehlo.multiply %338, %200 : tensor<2x2x6x6xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.reduce(%339 init: %cst_83) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %341 = stablehlo.reshape %340 : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %342 = stablehlo.negate %341 : tensor<2x2x6x1xf32>
    %343 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %344 = stablehlo.divide %336, %343 : tensor<2x2x6x6xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %345 = stablehlo.reduce(%342 init: %cst_84) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x1xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %346 = stablehlo.broadcast_in_dim %345, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x6xf32>
    %347 = stablehlo.add %344, %346 : tensor<2x2x6x6xf32>
    %348 = stablehlo.multiply %347, %200 : tensor<2x2x6x6xf32>
    %349 = call @_where_2(%178#1, %178#2, %348) : (tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xf32>
    %cst_85 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %350 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %351 = stablehlo.divide %349, %350 : tensor<2x2x6x6xf32>
    %352 = stablehlo.dot_general %351, %168, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x6xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x4xf32>
    %353 = stablehlo.dot_general %351, %170, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x6xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x4xf32>
    %354 = stablehlo.transpose %335, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %355 = stablehlo.reshape %354 : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    %356 = stablehlo.transpose %352, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %357 = stablehlo.reshape %356 : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    %358 = stablehlo.transpose %353, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %359 = stablehlo.reshape %358 : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    %360 = stablehlo.concatenate %359, %357, %355, dim = 2 : (tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x24xf32>
    %361 = stablehlo.dot_general %360, %162, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x24xf32>, tensor<2x6x8xf32>) -> tensor<24x8xf32>
    %362 = stablehlo.transpose %361, dims = [1, 0] : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %363 = stablehlo.dot_general %360, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x24xf32>, tensor<8x24xf32>) -> tensor<2x6x8xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %364 = stablehlo.reduce(%363 init: %cst_86) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %365 = stablehlo.reshape %364 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %366 = stablehlo.reduce(%365 init: %cst_87) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %367 = stablehlo.multiply %156, %363 : tensor<2x6x8xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %368 = stablehlo.reduce(%367 init: %cst_88) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %369 = stablehlo.reshape %368 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %370 = stablehlo.broadcast_in_dim %157, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %371 = stablehlo.multiply %363, %370 : tensor<2x6x8xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %372 = stablehlo.reduce(%369 init: %cst_89) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %373 = stablehlo.multiply %141, %371 : tensor<2x6x8xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %374 = stablehlo.reduce(%373 init: %cst_90) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %375 = stablehlo.reshape %374 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %376 = stablehlo.broadcast_in_dim %151, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %377 = stablehlo.multiply %371, %376 : tensor<2x6x8xf32>
    %378 = stablehlo.multiply %375, %154 : tensor<2x6x1xf32>
    %cst_91 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %379 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %380 = stablehlo.divide %378, %379 : tensor<2x6x1xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %381 = stablehlo.reduce(%380 init: %cst_92) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %382 = stablehlo.broadcast_in_dim %381, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %383 = stablehlo.multiply %382, %144 : tensor<2x6x8xf32>
    %384 = stablehlo.add %377, %383 : tensor<2x6x8xf32>
    %385 = stablehlo.negate %384 : tensor<2x6x8xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %386 = stablehlo.reduce(%385 init: %cst_93) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %387 = stablehlo.reshape %386 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %388 = stablehlo.add %328, %384 : tensor<2x6x8xf32>
    %cst_94 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %389 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %390 = stablehlo.divide %387, %389 : tensor<2x6x1xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %391 = stablehlo.reduce(%390 init: %cst_95) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %392 = stablehlo.broadcast_in_dim %391, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %393 = stablehlo.add %388, %392 : tensor<2x6x8xf32>
    %394 = stablehlo.dot_general %393, %133, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<2x6x16xf32>) -> tensor<8x16xf32>
    %395 = stablehlo.transpose %394, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %396 = stablehlo.dot_general %393, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<16x8xf32>) -> tensor<2x6x16xf32>
    %397 = stablehlo.multiply %115, %396 : tensor<2x6x16xf32>
    %398 = stablehlo.multiply %396, %132 : tensor<2x6x16xf32>
    %cst_96 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %399 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %400 = stablehlo.multiply %399, %397 : tensor<2x6x16xf32>
    %401 = stablehlo.multiply %400, %128 : tensor<2x6x16xf32>
    %402 = stablehlo.multiply %401, %126 : tensor<2x6x16xf32>
    %403 = stablehlo.add %401, %402 : tensor<2x6x16xf32>
    %cst_97 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %404 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %405 = stablehlo.multiply %404, %403 : tensor<2x6x16xf32>
    %406 = stablehlo.add %398, %405 : tensor<2x6x16xf32>
    %cst_98 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %407 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<2x6x16xf32>
    %408 = stablehlo.multiply %407, %405 : tensor<2x6x16xf32>
    %409 = stablehlo.multiply %408, %120 : tensor<2x6x16xf32>
    %410 = stablehlo.add %406, %409 : tensor<2x6x16xf32>
    %411 = stablehlo.dot_general %410, %114, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xf32>, tensor<2x6x8xf32>) -> tensor<16x8xf32>
    %412 = stablehlo.transpose %411, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %413 = stablehlo.dot_general %410, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x16xf32>, tensor<8x16xf32>) -> tensor<2x6x8xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %414 = stablehlo.reduce(%413 init: %cst_99) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %415 = stablehlo.reshape %414 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %416 = stablehlo.reduce(%415 init: %cst_100) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %417 = stablehlo.multiply %108, %413 : tensor<2x6x8xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %418 = stablehlo.reduce(%417 init: %cst_101) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %419 = stablehlo.reshape %418 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %420 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %421 = stablehlo.multiply %413, %420 : tensor<2x6x8xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %422 = stablehlo.reduce(%419 init: %cst_102) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %423 = stablehlo.multiply %93, %421 : tensor<2x6x8xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %424 = stablehlo.reduce(%423 init: %cst_103) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %425 = stablehlo.reshape %424 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %426 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %427 = stablehlo.multiply %421, %426 : tensor<2x6x8xf32>
    %428 = stablehlo.multiply %425, %106 : tensor<2x6x1xf32>
    %cst_104 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %429 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %430 = stablehlo.divide %428, %429 : tensor<2x6x1xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %431 = stablehlo.reduce(%430 init: %cst_105) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %432 = stablehlo.broadcast_in_dim %431, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %433 = stablehlo.multiply %432, %96 : tensor<2x6x8xf32>
    %434 = stablehlo.add %427, %433 : tensor<2x6x8xf32>
    %435 = stablehlo.negate %434 : tensor<2x6x8xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %436 = stablehlo.reduce(%435 init: %cst_106) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %437 = stablehlo.reshape %436 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %438 = stablehlo.add %393, %434 : tensor<2x6x8xf32>
    %cst_107 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %439 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %440 = stablehlo.divide %437, %439 : tensor<2x6x1xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %441 = stablehlo.reduce(%440 init: %cst_108) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %442 = stablehlo.broadcast_in_dim %441, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %443 = stablehlo.add %438, %442 : tensor<2x6x8xf32>
    %444 = stablehlo.dot_general %443, %85, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<8x8xf32>
    %445 = stablehlo.transpose %444, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %446 = stablehlo.dot_general %443, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32>
    %447 = stablehlo.reshape %446 : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    %448 = stablehlo.transpose %447, dims = [0, 2, 1, 3] : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
    %449 = stablehlo.dot_general %448, %79, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x4xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x4x6xf32>
    %450 = stablehlo.transpose %449, dims = [0, 1, 3, 2] : (tensor<2x2x4x6xf32>) -> tensor<2x2x6x4xf32>
    %451 = stablehlo.dot_general %448, %47, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x6xf32>
    %452 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %453 = stablehlo.multiply %451, %452 : tensor<2x2x6x6xf32>
    %454 = stablehlo.multiply %453, %75 : tensor<2x2x6x6xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %455 = stablehlo.reduce(%454 init: %cst_109) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %456 = stablehlo.reshape %455 : (tensor<2x2x6xf32>) -> tensor<2x2x6x1xf32>
    %457 = stablehlo.negate %456 : tensor<2x2x6x1xf32>
    %458 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<2x2x6x1xf32>) -> tensor<2x2x6x6xf32>
    %459 = stablehlo.divide %451, %458 : tensor<2x2x6x6xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %460 = stablehlo.reduce(%457 init: %cst_110) applies stablehlo.add across dimensions = [3] : (tensor<2x2x6x1xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %461 = stablehlo.broadcast_in_dim %460, dims = [0, 1, 2] : (tensor<2x2x6xf32>) -> tensor<2x2x6x6xf32>
    %462 = stablehlo.add %459, %461 : tensor<2x2x6x6xf32>
    %463 = stablehlo.multiply %462, %75 : tensor<2x2x6x6xf32>
    %464 = call @_where_2(%53#1, %53#2, %463) : (tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xf32>
    %cst_111 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %465 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %466 = stablehlo.divide %464, %465 : tensor<2x2x6x6xf32>
    %467 = stablehlo.dot_general %466, %43, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x6xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x4xf32>
    %468 = stablehlo.dot_general %466, %45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x6xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x4xf32>
    %469 = stablehlo.transpose %450, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %470 = stablehlo.reshape %469 : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    %471 = stablehlo.transpose %467, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %472 = stablehlo.reshape %471 : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    %473 = stablehlo.transpose %468, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %474 = stablehlo.reshape %473 : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    %475 = stablehlo.concatenate %474, %472, %470, dim = 2 : (tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x24xf32>
    %476 = stablehlo.dot_general %475, %37, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x24xf32>, tensor<2x6x8xf32>) -> tensor<24x8xf32>
    %477 = stablehlo.transpose %476, dims = [1, 0] : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %478 = stablehlo.dot_general %475, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x24xf32>, tensor<8x24xf32>) -> tensor<2x6x8xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %479 = stablehlo.reduce(%478 init: %cst_112) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %480 = stablehlo.reshape %479 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %481 = stablehlo.reduce(%480 init: %cst_113) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %482 = stablehlo.multiply %31, %478 : tensor<2x6x8xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %483 = stablehlo.reduce(%482 init: %cst_114) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %484 = stablehlo.reshape %483 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %485 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %486 = stablehlo.multiply %478, %485 : tensor<2x6x8xf32>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %487 = stablehlo.reduce(%484 init: %cst_115) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %488 = stablehlo.multiply %16, %486 : tensor<2x6x8xf32>
    %cst_116 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %489 = stablehlo.reduce(%488 init: %cst_116) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %490 = stablehlo.reshape %489 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %491 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %492 = stablehlo.multiply %486, %491 : tensor<2x6x8xf32>
    %493 = stablehlo.multiply %490, %29 : tensor<2x6x1xf32>
    %cst_117 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %494 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %495 = stablehlo.divide %493, %494 : tensor<2x6x1xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %496 = stablehlo.reduce(%495 init: %cst_118) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %497 = stablehlo.broadcast_in_dim %496, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %498 = stablehlo.multiply %497, %19 : tensor<2x6x8xf32>
    %499 = stablehlo.add %492, %498 : tensor<2x6x8xf32>
    %500 = stablehlo.negate %499 : tensor<2x6x8xf32>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %501 = stablehlo.reduce(%500 init: %cst_119) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %502 = stablehlo.reshape %501 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %503 = stablehlo.add %443, %499 : tensor<2x6x8xf32>
    %cst_120 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %504 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %505 = stablehlo.divide %502, %504 : tensor<2x6x1xf32>
    %cst_121 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %506 = stablehlo.reduce(%505 init: %cst_121) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %507 = stablehlo.broadcast_in_dim %506, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %508 = stablehlo.add %503, %507 : tensor<2x6x8xf32>
    %cst_122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %509 = stablehlo.reduce(%508 init: %cst_122) applies stablehlo.add across dimensions = [0] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
    %510 = stablehlo.reshape %509 : (tensor<6x8xf32>) -> tensor<1x6x8xf32>
    %cst_123 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %511 = stablehlo.reduce(%510 init: %cst_123) applies stablehlo.add across dimensions = [0] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
    %cst_124 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %512 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %513 = "stablehlo.scatter"(%512, %6, %508) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg56: tensor<f32>, %arg57: tensor<f32>):
      %983 = stablehlo.add %arg56, %arg57 : tensor<f32>
      stablehlo.return %983 : tensor<f32>
    }) : (tensor<11x8xf32>, tensor<2x6x1xi32>, tensor<2x6x8xf32>) -> tensor<11x8xf32>
    %514 = stablehlo.add %278, %513 : tensor<11x8xf32>
    %cst_125 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %515 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %516 = stablehlo.multiply %515, %arg18 : tensor<16x8xf32>
    %cst_126 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %517 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %518 = stablehlo.multiply %517, %395 : tensor<16x8xf32>
    %519 = stablehlo.add %516, %518 : tensor<16x8xf32>
    %cst_127 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %520 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %521 = stablehlo.multiply %520, %arg19 : tensor<8xf32>
    %cst_128 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %522 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %523 = stablehlo.multiply %522, %487 : tensor<8xf32>
    %524 = stablehlo.add %521, %523 : tensor<8xf32>
    %cst_129 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %525 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %526 = stablehlo.multiply %525, %arg20 : tensor<8xf32>
    %cst_130 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %528 = stablehlo.multiply %527, %422 : tensor<8xf32>
    %529 = stablehlo.add %526, %528 : tensor<8xf32>
    %cst_131 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %530 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %531 = stablehlo.multiply %530, %arg21 : tensor<8x8xf32>
    %cst_132 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %532 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %533 = stablehlo.multiply %532, %445 : tensor<8x8xf32>
    %534 = stablehlo.add %531, %533 : tensor<8x8xf32>
    %cst_133 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %535 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %536 = stablehlo.multiply %535, %arg22 : tensor<8x24xf32>
    %cst_134 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %537 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %538 = stablehlo.multiply %537, %477 : tensor<8x24xf32>
    %539 = stablehlo.add %536, %538 : tensor<8x24xf32>
    %cst_135 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %540 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %541 = stablehlo.multiply %540, %arg23 : tensor<8xf32>
    %cst_136 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %542 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %543 = stablehlo.multiply %542, %481 : tensor<8xf32>
    %544 = stablehlo.add %541, %543 : tensor<8xf32>
    %cst_137 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %545 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %546 = stablehlo.multiply %545, %arg24 : tensor<8xf32>
    %cst_138 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %547 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %548 = stablehlo.multiply %547, %416 : tensor<8xf32>
    %549 = stablehlo.add %546, %548 : tensor<8xf32>
    %cst_139 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %550 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %551 = stablehlo.multiply %550, %arg25 : tensor<8x16xf32>
    %cst_140 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %552 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %553 = stablehlo.multiply %552, %412 : tensor<8x16xf32>
    %554 = stablehlo.add %551, %553 : tensor<8x16xf32>
    %cst_141 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %555 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %556 = stablehlo.multiply %555, %arg26 : tensor<16x8xf32>
    %cst_142 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %557 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %558 = stablehlo.multiply %557, %280 : tensor<16x8xf32>
    %559 = stablehlo.add %556, %558 : tensor<16x8xf32>
    %cst_143 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %560 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %561 = stablehlo.multiply %560, %arg27 : tensor<8xf32>
    %cst_144 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %562 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %563 = stablehlo.multiply %562, %372 : tensor<8xf32>
    %564 = stablehlo.add %561, %563 : tensor<8xf32>
    %cst_145 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %565 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %566 = stablehlo.multiply %565, %arg28 : tensor<8xf32>
    %cst_146 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %567 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %568 = stablehlo.multiply %567, %307 : tensor<8xf32>
    %569 = stablehlo.add %566, %568 : tensor<8xf32>
    %cst_147 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %570 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %571 = stablehlo.multiply %570, %arg29 : tensor<8x8xf32>
    %cst_148 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %572 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %573 = stablehlo.multiply %572, %330 : tensor<8x8xf32>
    %574 = stablehlo.add %571, %573 : tensor<8x8xf32>
    %cst_149 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %575 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %576 = stablehlo.multiply %575, %arg30 : tensor<8x24xf32>
    %cst_150 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %577 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %578 = stablehlo.multiply %577, %362 : tensor<8x24xf32>
    %579 = stablehlo.add %576, %578 : tensor<8x24xf32>
    %cst_151 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %580 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %581 = stablehlo.multiply %580, %arg31 : tensor<8xf32>
    %cst_152 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %582 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %583 = stablehlo.multiply %582, %366 : tensor<8xf32>
    %584 = stablehlo.add %581, %583 : tensor<8xf32>
    %cst_153 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %585 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %586 = stablehlo.multiply %585, %arg32 : tensor<8xf32>
    %cst_154 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %587 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %588 = stablehlo.multiply %587, %301 : tensor<8xf32>
    %589 = stablehlo.add %586, %588 : tensor<8xf32>
    %cst_155 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %590 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %591 = stablehlo.multiply %590, %arg33 : tensor<8x16xf32>
    %cst_156 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %592 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %593 = stablehlo.multiply %592, %297 : tensor<8x16xf32>
    %594 = stablehlo.add %591, %593 : tensor<8x16xf32>
    %cst_157 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %595 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %596 = stablehlo.multiply %595, %arg34 : tensor<6x8xf32>
    %cst_158 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %597 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %598 = stablehlo.multiply %597, %511 : tensor<6x8xf32>
    %599 = stablehlo.add %596, %598 : tensor<6x8xf32>
    %cst_159 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %600 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %601 = stablehlo.multiply %600, %arg35 : tensor<11x8xf32>
    %cst_160 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %602 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %603 = stablehlo.multiply %602, %514 : tensor<11x8xf32>
    %604 = stablehlo.add %601, %603 : tensor<11x8xf32>
    %cst_161 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %605 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %606 = stablehlo.multiply %605, %arg36 : tensor<16x8xf32>
    %cst_162 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %607 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %608 = stablehlo.multiply %607, %395 : tensor<16x8xf32>
    %609 = stablehlo.multiply %608, %395 : tensor<16x8xf32>
    %610 = stablehlo.add %606, %609 : tensor<16x8xf32>
    %cst_163 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %611 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %612 = stablehlo.multiply %611, %arg37 : tensor<8xf32>
    %cst_164 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %613 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %614 = stablehlo.multiply %613, %487 : tensor<8xf32>
    %615 = stablehlo.multiply %614, %487 : tensor<8xf32>
    %616 = stablehlo.add %612, %615 : tensor<8xf32>
    %cst_165 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %617 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %618 = stablehlo.multiply %617, %arg38 : tensor<8xf32>
    %cst_166 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %619 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %620 = stablehlo.multiply %619, %422 : tensor<8xf32>
    %621 = stablehlo.multiply %620, %422 : tensor<8xf32>
    %622 = stablehlo.add %618, %621 : tensor<8xf32>
    %cst_167 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %623 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %624 = stablehlo.multiply %623, %arg39 : tensor<8x8xf32>
    %cst_168 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %625 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %626 = stablehlo.multiply %625, %445 : tensor<8x8xf32>
    %627 = stablehlo.multiply %626, %445 : tensor<8x8xf32>
    %628 = stablehlo.add %624, %627 : tensor<8x8xf32>
    %cst_169 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %629 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %630 = stablehlo.multiply %629, %arg40 : tensor<8x24xf32>
    %cst_170 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %631 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %632 = stablehlo.multiply %631, %477 : tensor<8x24xf32>
    %633 = stablehlo.multiply %632, %477 : tensor<8x24xf32>
    %634 = stablehlo.add %630, %633 : tensor<8x24xf32>
    %cst_171 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %635 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %636 = stablehlo.multiply %635, %arg41 : tensor<8xf32>
    %cst_172 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %637 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %638 = stablehlo.multiply %637, %481 : tensor<8xf32>
    %639 = stablehlo.multiply %638, %481 : tensor<8xf32>
    %640 = stablehlo.add %636, %639 : tensor<8xf32>
    %cst_173 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %641 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %642 = stablehlo.multiply %641, %arg42 : tensor<8xf32>
    %cst_174 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %643 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %644 = stablehlo.multiply %643, %416 : tensor<8xf32>
    %645 = stablehlo.multiply %644, %416 : tensor<8xf32>
    %646 = stablehlo.add %642, %645 : tensor<8xf32>
    %cst_175 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %647 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %648 = stablehlo.multiply %647, %arg43 : tensor<8x16xf32>
    %cst_176 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %649 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %650 = stablehlo.multiply %649, %412 : tensor<8x16xf32>
    %651 = stablehlo.multiply %650, %412 : tensor<8x16xf32>
    %652 = stablehlo.add %648, %651 : tensor<8x16xf32>
    %cst_177 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %653 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %654 = stablehlo.multiply %653, %arg44 : tensor<16x8xf32>
    %cst_178 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %655 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %656 = stablehlo.multiply %655, %280 : tensor<16x8xf32>
    %657 = stablehlo.multiply %656, %280 : tensor<16x8xf32>
    %658 = stablehlo.add %654, %657 : tensor<16x8xf32>
    %cst_179 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %659 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %660 = stablehlo.multiply %659, %arg45 : tensor<8xf32>
    %cst_180 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %661 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %662 = stablehlo.multiply %661, %372 : tensor<8xf32>
    %663 = stablehlo.multiply %662, %372 : tensor<8xf32>
    %664 = stablehlo.add %660, %663 : tensor<8xf32>
    %cst_181 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %665 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %666 = stablehlo.multiply %665, %arg46 : tensor<8xf32>
    %cst_182 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %667 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %668 = stablehlo.multiply %667, %307 : tensor<8xf32>
    %669 = stablehlo.multiply %668, %307 : tensor<8xf32>
    %670 = stablehlo.add %666, %669 : tensor<8xf32>
    %cst_183 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %671 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %672 = stablehlo.multiply %671, %arg47 : tensor<8x8xf32>
    %cst_184 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %673 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %674 = stablehlo.multiply %673, %330 : tensor<8x8xf32>
    %675 = stablehlo.multiply %674, %330 : tensor<8x8xf32>
    %676 = stablehlo.add %672, %675 : tensor<8x8xf32>
    %cst_185 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %677 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %678 = stablehlo.multiply %677, %arg48 : tensor<8x24xf32>
    %cst_186 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %679 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %680 = stablehlo.multiply %679, %362 : tensor<8x24xf32>
    %681 = stablehlo.multiply %680, %362 : tensor<8x24xf32>
    %682 = stablehlo.add %678, %681 : tensor<8x24xf32>
    %cst_187 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %683 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %684 = stablehlo.multiply %683, %arg49 : tensor<8xf32>
    %cst_188 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %685 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %686 = stablehlo.multiply %685, %366 : tensor<8xf32>
    %687 = stablehlo.multiply %686, %366 : tensor<8xf32>
    %688 = stablehlo.add %684, %687 : tensor<8xf32>
    %cst_189 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %689 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %690 = stablehlo.multiply %689, %arg50 : tensor<8xf32>
    %cst_190 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %691 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %692 = stablehlo.multiply %691, %301 : tensor<8xf32>
    %693 = stablehlo.multiply %692, %301 : tensor<8xf32>
    %694 = stablehlo.add %690, %693 : tensor<8xf32>
    %cst_191 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %695 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %696 = stablehlo.multiply %695, %arg51 : tensor<8x16xf32>
    %cst_192 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %697 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %698 = stablehlo.multiply %697, %297 : tensor<8x16xf32>
    %699 = stablehlo.multiply %698, %297 : tensor<8x16xf32>
    %700 = stablehlo.add %696, %699 : tensor<8x16xf32>
    %cst_193 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %701 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %702 = stablehlo.multiply %701, %arg52 : tensor<6x8xf32>
    %cst_194 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %703 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %704 = stablehlo.multiply %703, %511 : tensor<6x8xf32>
    %705 = stablehlo.multiply %704, %511 : tensor<6x8xf32>
    %706 = stablehlo.add %702, %705 : tensor<6x8xf32>
    %cst_195 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %707 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %708 = stablehlo.multiply %707, %arg53 : tensor<11x8xf32>
    %cst_196 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %709 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %710 = stablehlo.multiply %709, %514 : tensor<11x8xf32>
    %711 = stablehlo.multiply %710, %514 : tensor<11x8xf32>
    %712 = stablehlo.add %708, %711 : tensor<11x8xf32>
    %cst_197 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %713 = stablehlo.power %cst_197, %arg54 : tensor<f32>
    %cst_198 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %714 = stablehlo.subtract %cst_198, %713 : tensor<f32>
    %715 = stablehlo.broadcast_in_dim %714, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %716 = stablehlo.divide %519, %715 : tensor<16x8xf32>
    %cst_199 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %717 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %718 = stablehlo.multiply %717, %716 : tensor<16x8xf32>
    %cst_200 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %719 = stablehlo.power %cst_200, %arg54 : tensor<f32>
    %cst_201 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %720 = stablehlo.subtract %cst_201, %719 : tensor<f32>
    %721 = stablehlo.broadcast_in_dim %720, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %722 = stablehlo.divide %610, %721 : tensor<16x8xf32>
    %723 = stablehlo.sqrt %722 : tensor<16x8xf32>
    %cst_202 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %724 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %725 = stablehlo.add %723, %724 : tensor<16x8xf32>
    %726 = stablehlo.divide %718, %725 : tensor<16x8xf32>
    %727 = stablehlo.subtract %arg0, %726 : tensor<16x8xf32>
    %cst_203 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %728 = stablehlo.power %cst_203, %arg54 : tensor<f32>
    %cst_204 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %729 = stablehlo.subtract %cst_204, %728 : tensor<f32>
    %730 = stablehlo.broadcast_in_dim %729, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %731 = stablehlo.divide %524, %730 : tensor<8xf32>
    %cst_205 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %732 = stablehlo.broadcast_in_dim %cst_205, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %733 = stablehlo.multiply %732, %731 : tensor<8xf32>
    %cst_206 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %734 = stablehlo.power %cst_206, %arg54 : tensor<f32>
    %cst_207 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %735 = stablehlo.subtract %cst_207, %734 : tensor<f32>
    %736 = stablehlo.broadcast_in_dim %735, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %737 = stablehlo.divide %616, %736 : tensor<8xf32>
    %738 = stablehlo.sqrt %737 : tensor<8xf32>
    %cst_208 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %739 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %740 = stablehlo.add %738, %739 : tensor<8xf32>
    %741 = stablehlo.divide %733, %740 : tensor<8xf32>
    %742 = stablehlo.subtract %arg1, %741 : tensor<8xf32>
    %cst_209 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %743 = stablehlo.power %cst_209, %arg54 : tensor<f32>
    %cst_210 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %744 = stablehlo.subtract %cst_210, %743 : tensor<f32>
    %745 = stablehlo.broadcast_in_dim %744, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %746 = stablehlo.divide %529, %745 : tensor<8xf32>
    %cst_211 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %747 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %748 = stablehlo.multiply %747, %746 : tensor<8xf32>
    %cst_212 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %749 = stablehlo.power %cst_212, %arg54 : tensor<f32>
    %cst_213 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %750 = stablehlo.subtract %cst_213, %749 : tensor<f32>
    %751 = stablehlo.broadcast_in_dim %750, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %752 = stablehlo.divide %622, %751 : tensor<8xf32>
    %753 = stablehlo.sqrt %752 : tensor<8xf32>
    %cst_214 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %754 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %755 = stablehlo.add %753, %754 : tensor<8xf32>
    %756 = stablehlo.divide %748, %755 : tensor<8xf32>
    %757 = stablehlo.subtract %arg2, %756 : tensor<8xf32>
    %cst_215 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %758 = stablehlo.power %cst_215, %arg54 : tensor<f32>
    %cst_216 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %759 = stablehlo.subtract %cst_216, %758 : tensor<f32>
    %760 = stablehlo.broadcast_in_dim %759, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %761 = stablehlo.divide %534, %760 : tensor<8x8xf32>
    %cst_217 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %762 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %763 = stablehlo.multiply %762, %761 : tensor<8x8xf32>
    %cst_218 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %764 = stablehlo.power %cst_218, %arg54 : tensor<f32>
    %cst_219 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %765 = stablehlo.subtract %cst_219, %764 : tensor<f32>
    %766 = stablehlo.broadcast_in_dim %765, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %767 = stablehlo.divide %628, %766 : tensor<8x8xf32>
    %768 = stablehlo.sqrt %767 : tensor<8x8xf32>
    %cst_220 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %769 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %770 = stablehlo.add %768, %769 : tensor<8x8xf32>
    %771 = stablehlo.divide %763, %770 : tensor<8x8xf32>
    %772 = stablehlo.subtract %arg3, %771 : tensor<8x8xf32>
    %cst_221 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %773 = stablehlo.power %cst_221, %arg54 : tensor<f32>
    %cst_222 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %774 = stablehlo.subtract %cst_222, %773 : tensor<f32>
    %775 = stablehlo.broadcast_in_dim %774, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %776 = stablehlo.divide %539, %775 : tensor<8x24xf32>
    %cst_223 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %777 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %778 = stablehlo.multiply %777, %776 : tensor<8x24xf32>
    %cst_224 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %779 = stablehlo.power %cst_224, %arg54 : tensor<f32>
    %cst_225 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %780 = stablehlo.subtract %cst_225, %779 : tensor<f32>
    %781 = stablehlo.broadcast_in_dim %780, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %782 = stablehlo.divide %634, %781 : tensor<8x24xf32>
    %783 = stablehlo.sqrt %782 : tensor<8x24xf32>
    %cst_226 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %784 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %785 = stablehlo.add %783, %784 : tensor<8x24xf32>
    %786 = stablehlo.divide %778, %785 : tensor<8x24xf32>
    %787 = stablehlo.subtract %arg4, %786 : tensor<8x24xf32>
    %cst_227 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %788 = stablehlo.power %cst_227, %arg54 : tensor<f32>
    %cst_228 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %789 = stablehlo.subtract %cst_228, %788 : tensor<f32>
    %790 = stablehlo.broadcast_in_dim %789, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %791 = stablehlo.divide %544, %790 : tensor<8xf32>
    %cst_229 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %792 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %793 = stablehlo.multiply %792, %791 : tensor<8xf32>
    %cst_230 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %794 = stablehlo.power %cst_230, %arg54 : tensor<f32>
    %cst_231 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %795 = stablehlo.subtract %cst_231, %794 : tensor<f32>
    %796 = stablehlo.broadcast_in_dim %795, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %797 = stablehlo.divide %640, %796 : tensor<8xf32>
    %798 = stablehlo.sqrt %797 : tensor<8xf32>
    %cst_232 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %799 = stablehlo.broadcast_in_dim %cst_232, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %800 = stablehlo.add %798, %799 : tensor<8xf32>
    %801 = stablehlo.divide %793, %800 : tensor<8xf32>
    %802 = stablehlo.subtract %arg5, %801 : tensor<8xf32>
    %cst_233 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %803 = stablehlo.power %cst_233, %arg54 : tensor<f32>
    %cst_234 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %804 = stablehlo.subtract %cst_234, %803 : tensor<f32>
    %805 = stablehlo.broadcast_in_dim %804, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %806 = stablehlo.divide %549, %805 : tensor<8xf32>
    %cst_235 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %807 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %808 = stablehlo.multiply %807, %806 : tensor<8xf32>
    %cst_236 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %809 = stablehlo.power %cst_236, %arg54 : tensor<f32>
    %cst_237 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %810 = stablehlo.subtract %cst_237, %809 : tensor<f32>
    %811 = stablehlo.broadcast_in_dim %810, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %812 = stablehlo.divide %646, %811 : tensor<8xf32>
    %813 = stablehlo.sqrt %812 : tensor<8xf32>
    %cst_238 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %814 = stablehlo.broadcast_in_dim %cst_238, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %815 = stablehlo.add %813, %814 : tensor<8xf32>
    %816 = stablehlo.divide %808, %815 : tensor<8xf32>
    %817 = stablehlo.subtract %arg6, %816 : tensor<8xf32>
    %cst_239 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %818 = stablehlo.power %cst_239, %arg54 : tensor<f32>
    %cst_240 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %819 = stablehlo.subtract %cst_240, %818 : tensor<f32>
    %820 = stablehlo.broadcast_in_dim %819, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %821 = stablehlo.divide %554, %820 : tensor<8x16xf32>
    %cst_241 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %822 = stablehlo.broadcast_in_dim %cst_241, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %823 = stablehlo.multiply %822, %821 : tensor<8x16xf32>
    %cst_242 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %824 = stablehlo.power %cst_242, %arg54 : tensor<f32>
    %cst_243 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %825 = stablehlo.subtract %cst_243, %824 : tensor<f32>
    %826 = stablehlo.broadcast_in_dim %825, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %827 = stablehlo.divide %652, %826 : tensor<8x16xf32>
    %828 = stablehlo.sqrt %827 : tensor<8x16xf32>
    %cst_244 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %829 = stablehlo.broadcast_in_dim %cst_244, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %830 = stablehlo.add %828, %829 : tensor<8x16xf32>
    %831 = stablehlo.divide %823, %830 : tensor<8x16xf32>
    %832 = stablehlo.subtract %arg7, %831 : tensor<8x16xf32>
    %cst_245 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %833 = stablehlo.power %cst_245, %arg54 : tensor<f32>
    %cst_246 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %834 = stablehlo.subtract %cst_246, %833 : tensor<f32>
    %835 = stablehlo.broadcast_in_dim %834, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %836 = stablehlo.divide %559, %835 : tensor<16x8xf32>
    %cst_247 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %837 = stablehlo.broadcast_in_dim %cst_247, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %838 = stablehlo.multiply %837, %836 : tensor<16x8xf32>
    %cst_248 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %839 = stablehlo.power %cst_248, %arg54 : tensor<f32>
    %cst_249 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %840 = stablehlo.subtract %cst_249, %839 : tensor<f32>
    %841 = stablehlo.broadcast_in_dim %840, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %842 = stablehlo.divide %658, %841 : tensor<16x8xf32>
    %843 = stablehlo.sqrt %842 : tensor<16x8xf32>
    %cst_250 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %844 = stablehlo.broadcast_in_dim %cst_250, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %845 = stablehlo.add %843, %844 : tensor<16x8xf32>
    %846 = stablehlo.divide %838, %845 : tensor<16x8xf32>
    %847 = stablehlo.subtract %arg8, %846 : tensor<16x8xf32>
    %cst_251 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %848 = stablehlo.power %cst_251, %arg54 : tensor<f32>
    %cst_252 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %849 = stablehlo.subtract %cst_252, %848 : tensor<f32>
    %850 = stablehlo.broadcast_in_dim %849, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %851 = stablehlo.divide %564, %850 : tensor<8xf32>
    %cst_253 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %852 = stablehlo.broadcast_in_dim %cst_253, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %853 = stablehlo.multiply %852, %851 : tensor<8xf32>
    %cst_254 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %854 = stablehlo.power %cst_254, %arg54 : tensor<f32>
    %cst_255 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %855 = stablehlo.subtract %cst_255, %854 : tensor<f32>
    %856 = stablehlo.broadcast_in_dim %855, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %857 = stablehlo.divide %664, %856 : tensor<8xf32>
    %858 = stablehlo.sqrt %857 : tensor<8xf32>
    %cst_256 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %859 = stablehlo.broadcast_in_dim %cst_256, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %860 = stablehlo.add %858, %859 : tensor<8xf32>
    %861 = stablehlo.divide %853, %860 : tensor<8xf32>
    %862 = stablehlo.subtract %arg9, %861 : tensor<8xf32>
    %cst_257 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %863 = stablehlo.power %cst_257, %arg54 : tensor<f32>
    %cst_258 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %864 = stablehlo.subtract %cst_258, %863 : tensor<f32>
    %865 = stablehlo.broadcast_in_dim %864, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %866 = stablehlo.divide %569, %865 : tensor<8xf32>
    %cst_259 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %867 = stablehlo.broadcast_in_dim %cst_259, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %868 = stablehlo.multiply %867, %866 : tensor<8xf32>
    %cst_260 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %869 = stablehlo.power %cst_260, %arg54 : tensor<f32>
    %cst_261 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %870 = stablehlo.subtract %cst_261, %869 : tensor<f32>
    %871 = stablehlo.broadcast_in_dim %870, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %872 = stablehlo.divide %670, %871 : tensor<8xf32>
    %873 = stablehlo.sqrt %872 : tensor<8xf32>
    %cst_262 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %874 = stablehlo.broadcast_in_dim %cst_262, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %875 = stablehlo.add %873, %874 : tensor<8xf32>
    %876 = stablehlo.divide %868, %875 : tensor<8xf32>
    %877 = stablehlo.subtract %arg10, %876 : tensor<8xf32>
    %cst_263 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %878 = stablehlo.power %cst_263, %arg54 : tensor<f32>
    %cst_264 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %879 = stablehlo.subtract %cst_264, %878 : tensor<f32>
    %880 = stablehlo.broadcast_in_dim %879, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %881 = stablehlo.divide %574, %880 : tensor<8x8xf32>
    %cst_265 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %882 = stablehlo.broadcast_in_dim %cst_265, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %883 = stablehlo.multiply %882, %881 : tensor<8x8xf32>
    %cst_266 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %884 = stablehlo.power %cst_266, %arg54 : tensor<f32>
    %cst_267 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %885 = stablehlo.subtract %cst_267, %884 : tensor<f32>
    %886 = stablehlo.broadcast_in_dim %885, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %887 = stablehlo.divide %676, %886 : tensor<8x8xf32>
    %888 = stablehlo.sqrt %887 : tensor<8x8xf32>
    %cst_268 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %889 = stablehlo.broadcast_in_dim %cst_268, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %890 = stablehlo.add %888, %889 : tensor<8x8xf32>
    %891 = stablehlo.divide %883, %890 : tensor<8x8xf32>
    %892 = stablehlo.subtract %arg11, %891 : tensor<8x8xf32>
    %cst_269 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %893 = stablehlo.power %cst_269, %arg54 : tensor<f32>
    %cst_270 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %894 = stablehlo.subtract %cst_270, %893 : tensor<f32>
    %895 = stablehlo.broadcast_in_dim %894, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %896 = stablehlo.divide %579, %895 : tensor<8x24xf32>
    %cst_271 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %897 = stablehlo.broadcast_in_dim %cst_271, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %898 = stablehlo.multiply %897, %896 : tensor<8x24xf32>
    %cst_272 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %899 = stablehlo.power %cst_272, %arg54 : tensor<f32>
    %cst_273 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %900 = stablehlo.subtract %cst_273, %899 : tensor<f32>
    %901 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %902 = stablehlo.divide %682, %901 : tensor<8x24xf32>
    %903 = stablehlo.sqrt %902 : tensor<8x24xf32>
    %cst_274 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %904 = stablehlo.broadcast_in_dim %cst_274, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %905 = stablehlo.add %903, %904 : tensor<8x24xf32>
    %906 = stablehlo.divide %898, %905 : tensor<8x24xf32>
    %907 = stablehlo.subtract %arg12, %906 : tensor<8x24xf32>
    %cst_275 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %908 = stablehlo.power %cst_275, %arg54 : tensor<f32>
    %cst_276 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %909 = stablehlo.subtract %cst_276, %908 : tensor<f32>
    %910 = stablehlo.broadcast_in_dim %909, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %911 = stablehlo.divide %584, %910 : tensor<8xf32>
    %cst_277 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %912 = stablehlo.broadcast_in_dim %cst_277, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %913 = stablehlo.multiply %912, %911 : tensor<8xf32>
    %cst_278 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %914 = stablehlo.power %cst_278, %arg54 : tensor<f32>
    %cst_279 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %915 = stablehlo.subtract %cst_279, %914 : tensor<f32>
    %916 = stablehlo.broadcast_in_dim %915, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %917 = stablehlo.divide %688, %916 : tensor<8xf32>
    %918 = stablehlo.sqrt %917 : tensor<8xf32>
    %cst_280 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %919 = stablehlo.broadcast_in_dim %cst_280, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %920 = stablehlo.add %918, %919 : tensor<8xf32>
    %921 = stablehlo.divide %913, %920 : tensor<8xf32>
    %922 = stablehlo.subtract %arg13, %921 : tensor<8xf32>
    %cst_281 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %923 = stablehlo.power %cst_281, %arg54 : tensor<f32>
    %cst_282 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %924 = stablehlo.subtract %cst_282, %923 : tensor<f32>
    %925 = stablehlo.broadcast_in_dim %924, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %926 = stablehlo.divide %589, %925 : tensor<8xf32>
    %cst_283 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %927 = stablehlo.broadcast_in_dim %cst_283, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %928 = stablehlo.multiply %927, %926 : tensor<8xf32>
    %cst_284 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %929 = stablehlo.power %cst_284, %arg54 : tensor<f32>
    %cst_285 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %930 = stablehlo.subtract %cst_285, %929 : tensor<f32>
    %931 = stablehlo.broadcast_in_dim %930, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %932 = stablehlo.divide %694, %931 : tensor<8xf32>
    %933 = stablehlo.sqrt %932 : tensor<8xf32>
    %cst_286 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %934 = stablehlo.broadcast_in_dim %cst_286, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %935 = stablehlo.add %933, %934 : tensor<8xf32>
    %936 = stablehlo.divide %928, %935 : tensor<8xf32>
    %937 = stablehlo.subtract %arg14, %936 : tensor<8xf32>
    %cst_287 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %938 = stablehlo.power %cst_287, %arg54 : tensor<f32>
    %cst_288 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %939 = stablehlo.subtract %cst_288, %938 : tensor<f32>
    %940 = stablehlo.broadcast_in_dim %939, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %941 = stablehlo.divide %594, %940 : tensor<8x16xf32>
    %cst_289 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %942 = stablehlo.broadcast_in_dim %cst_289, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %943 = stablehlo.multiply %942, %941 : tensor<8x16xf32>
    %cst_290 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %944 = stablehlo.power %cst_290, %arg54 : tensor<f32>
    %cst_291 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %945 = stablehlo.subtract %cst_291, %944 : tensor<f32>
    %946 = stablehlo.broadcast_in_dim %945, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %947 = stablehlo.divide %700, %946 : tensor<8x16xf32>
    %948 = stablehlo.sqrt %947 : tensor<8x16xf32>
    %cst_292 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %949 = stablehlo.broadcast_in_dim %cst_292, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %950 = stablehlo.add %948, %949 : tensor<8x16xf32>
    %951 = stablehlo.divide %943, %950 : tensor<8x16xf32>
    %952 = stablehlo.subtract %arg15, %951 : tensor<8x16xf32>
    %cst_293 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %953 = stablehlo.power %cst_293, %arg54 : tensor<f32>
    %cst_294 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %954 = stablehlo.subtract %cst_294, %953 : tensor<f32>
    %955 = stablehlo.broadcast_in_dim %954, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %956 = stablehlo.divide %599, %955 : tensor<6x8xf32>
    %cst_295 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %957 = stablehlo.broadcast_in_dim %cst_295, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %958 = stablehlo.multiply %957, %956 : tensor<6x8xf32>
    %cst_296 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %959 = stablehlo.power %cst_296, %arg54 : tensor<f32>
    %cst_297 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %960 = stablehlo.subtract %cst_297, %959 : tensor<f32>
    %961 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %962 = stablehlo.divide %706, %961 : tensor<6x8xf32>
    %963 = stablehlo.sqrt %962 : tensor<6x8xf32>
    %cst_298 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %964 = stablehlo.broadcast_in_dim %cst_298, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %965 = stablehlo.add %963, %964 : tensor<6x8xf32>
    %966 = stablehlo.divide %958, %965 : tensor<6x8xf32>
    %967 = stablehlo.subtract %arg16, %966 : tensor<6x8xf32>
    %cst_299 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %968 = stablehlo.power %cst_299, %arg54 : tensor<f32>
    %cst_300 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %969 = stablehlo.subtract %cst_300, %968 : tensor<f32>
    %970 = stablehlo.broadcast_in_dim %969, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %971 = stablehlo.divide %604, %970 : tensor<11x8xf32>
    %cst_301 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %972 = stablehlo.broadcast_in_dim %cst_301, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %973 = stablehlo.multiply %972, %971 : tensor<11x8xf32>
    %cst_302 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %974 = stablehlo.power %cst_302, %arg54 : tensor<f32>
    %cst_303 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %975 = stablehlo.subtract %cst_303, %974 : tensor<f32>
    %976 = stablehlo.broadcast_in_dim %975, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %977 = stablehlo.divide %712, %976 : tensor<11x8xf32>
    %978 = stablehlo.sqrt %977 : tensor<11x8xf32>
    %cst_304 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %979 = stablehlo.broadcast_in_dim %cst_304, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %980 = stablehlo.add %978, %979 : tensor<11x8xf32>
    %981 = stablehlo.divide %973, %980 : tensor<11x8xf32>
    %982 = stablehlo.subtract %arg17, %981 : tensor<11x8xf32>
    return %269, %727, %742, %757, %772, %787, %802, %817, %832, %847, %862, %877, %892, %907, %922, %937, %952, %967, %982, %519, %524, %529, %534, %539, %544, %549, %554, %559, %564, %569, %574, %579, %584, %589, %594, %599, %604, %610, %616, %622, %628, %634, %640, %646, %652, %658, %664, %670, %676, %682, %688, %694, %700, %706, %712 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x24xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x24xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<6x8xf32>, tensor<11x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x24xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x24xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<6x8xf32>, tensor<11x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x24xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x24xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<6x8xf32>, tensor<11x8xf32>
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
  func.func private @_where(%arg0: tensor<6x6xi1>, %arg1: tensor<2x2x6x6xf32>, %arg2: tensor<f32>) -> (tensor<2x2x6x6xf32>, tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<6x6xi1>) -> tensor<2x2x6x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    return %3, %1, %4 : tensor<2x2x6x6xf32>, tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>
  }
  func.func private @log_softmax(%arg0: tensor<2x6x11xf32>) -> (tensor<2x6x11xf32>, tensor<2x6x11xf32>, tensor<2x6x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<2x6x11xf32>, tensor<f32>) -> tensor<2x6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<2x6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x11xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x6x11xf32>
    %6 = stablehlo.exponential %5 : tensor<2x6x11xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x6x11xf32>, tensor<f32>) -> tensor<2x6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %9 = stablehlo.log %8 : tensor<2x6x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x11xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<2x6x11xf32>
    return %11, %6, %8 : tensor<2x6x11xf32>, tensor<2x6x11xf32>, tensor<2x6x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<2x6x11xf32>, %arg1: tensor<2x6x1xi32>) -> (tensor<2x6x1xf32>, tensor<2x6x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x6x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x6x1xi32>, tensor<2x6x1xi32>) -> tensor<2x6x1xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x6x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x6x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x6x1xi1>, tensor<2x6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x6x1xi32>) -> tensor<2x6x1x1xi32>
    %c_1 = stablehlo.constant dense<10> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x6x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x6x1x1xi32>, tensor<2x6x1x1xi32>) -> tensor<2x6x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<2x6x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<2x6x1x1xi32>, tensor<2x6x1x1xi32>) -> tensor<2x6x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<2x6x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<2x6x1x1xi1>, tensor<i1>) -> tensor<2x6x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x6x11xf32>, tensor<2x6x1x1xi32>) -> tensor<2x6x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<2x6x1xi1>, tensor<2x6x1xf32>
    return %15, %5 : tensor<2x6x1xf32>, tensor<2x6x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<2x6x1x1xi32>, %arg1: tensor<2x6x1xf32>) -> tensor<2x6x11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x11xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x6x11xf32>, tensor<2x6x1x1xi32>, tensor<2x6x1xf32>) -> tensor<2x6x11xf32>
    return %1 : tensor<2x6x11xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<2x6x11xf32>, %arg1: tensor<2x6x1xf32>, %arg2: tensor<2x6x11xf32>) -> tensor<2x6x11xf32> {
    %0 = stablehlo.negate %arg2 : tensor<2x6x11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x6x11xf32>, tensor<f32>) -> tensor<2x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<2x6x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x11xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<2x6x11xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<2x6x11xf32>
    return %7 : tensor<2x6x11xf32>
  }
  func.func private @_where_2(%arg0: tensor<2x2x6x6xi1>, %arg1: tensor<2x2x6x6xf32>, %arg2: tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>
    return %1 : tensor<2x2x6x6xf32>
  }
}
