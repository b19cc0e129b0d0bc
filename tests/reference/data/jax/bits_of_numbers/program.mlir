module @jit_bits_of_numbers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20xf32>, %arg1: tensor<20xi32>) -> (tensor<20xi32> {jax.result_info = "result[0]"}, tensor<20x4xui8> {jax.result_info = "result[1]"}, tensor<5x2xui32> {jax.result_info = "result[2]"}, tensor<20xi32> {jax.result_info = "result[3]"}, tensor<20xi32> {jax.result_info = "result[4]"}, tensor<20xi32> {jax.result_info = "result[5]"}, tensor<20xi32> {jax.result_info = "result[6]"}, tensor<20xf32> {jax.result_info = "result[7]"}, tensor<20xf32> {jax.result_info = "result[8]"}, tensor<20xf32> {jax.result_info = "result[9]"}, tensor<20xf32> {jax.result_info = "result[10]"}, tensor<20xi32> {jax.result_info = "result[11]"}, tensor<20xi32> {jax.result_info = "result[12]"}, tensor<20xi32> {jax.result_info = "result[13]"}, tensor<20xi32> {jax.result_info = "result[14]"}, tensor<20xf32> {jax.result_info = "result[15]"}, tensor<20xf32> {jax.result_info = "result[16]"}, tensor<20xi32> {jax.result_info = "result[17]"}, tensor<20xi8> {jax.result_info = "result[18]"}) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<20xf32>) -> tensor<20xi32>
    %1 = stablehlo.bitcast_convert %arg0 : (tensor<20xf32>) -> tensor<20x4xui8>
    %2 = stablehlo.reshape %arg1 : (tensor<20xi32>) -> tensor<5x2x2xi32>
    %3 = stablehlo.convert %2 : (tensor<5x2x2xi32>) -> tensor<5x2x2xui16>
    %4 = stablehlo.bitcast_convert %3 : (tensor<5x2x2xui16>) -> tensor<5x2xui32>
    %c = stablehlo.constant dense<77> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %6 = stablehlo.multiply %arg1, %5 : tensor<20xi32>
    %7 = stablehlo.popcnt %6 : tensor<20xi32>
    %c_0 = stablehlo.constant dense<77> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %9 = stablehlo.multiply %arg1, %8 : tensor<20xi32>
    %10 = stablehlo.count_leading_zeros %9 : tensor<20xi32>
    %c_1 = stablehlo.constant dense<5> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %12 = stablehlo.subtract %arg1, %11 : tensor<20xi32>
    %c_2 = stablehlo.constant dense<2> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %14 = stablehlo.shift_right_logical %12, %13 : tensor<20xi32>
    %c_3 = stablehlo.constant dense<5> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %16 = stablehlo.subtract %arg1, %15 : tensor<20xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %18 = stablehlo.shift_right_arithmetic %16, %17 : tensor<20xi32>
    %19 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<20xf32>
    %cst = stablehlo.constant dense<1.000000e+30> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %21 = stablehlo.multiply %arg0, %20 : tensor<20xf32>
    %22 = stablehlo.reduce_precision %21, format = e5m7 : tensor<20xf32>
    %23 = stablehlo.sign %arg0 : tensor<20xf32>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %25 = stablehlo.multiply %arg0, %24 : tensor<20xf32>
    %26 = stablehlo.round_nearest_afz %25 : tensor<20xf32>
    %27 = stablehlo.multiply %arg1, %arg1 : tensor<20xi32>
    %28 = stablehlo.multiply %27, %27 : tensor<20xi32>
    %29 = stablehlo.multiply %arg1, %28 : tensor<20xi32>
    %c_6 = stablehlo.constant dense<4> : tensor<i32>
    %30 = call @remainder(%arg1, %c_6) : (tensor<20xi32>, tensor<i32>) -> tensor<20xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %32 = stablehlo.compare EQ, %arg1, %31, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %34 = stablehlo.compare NE, %30, %33, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %35 = stablehlo.and %32, %34 : tensor<20xi1>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %36 = call @_where_0(%35, %c_9, %c_10) : (tensor<20xi1>, tensor<i32>, tensor<i32>) -> tensor<20xi32>
    %c_11 = stablehlo.constant dense<1> : tensor<i32>
    %37 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %38 = stablehlo.and %30, %37 : tensor<20xi32>
    %39 = stablehlo.multiply %36, %arg1 : tensor<20xi32>
    %40 = call @_where_1(%38, %39, %36) : (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) -> tensor<20xi32>
    %41 = stablehlo.multiply %arg1, %arg1 : tensor<20xi32>
    %c_12 = stablehlo.constant dense<1> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %43 = stablehlo.shift_right_logical %30, %42 : tensor<20xi32>
    %c_13 = stablehlo.constant dense<1> : tensor<i32>
    %44 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %45 = stablehlo.and %43, %44 : tensor<20xi32>
    %46 = stablehlo.multiply %40, %41 : tensor<20xi32>
    %47 = call @_where_1(%45, %46, %40) : (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) -> tensor<20xi32>
    %48 = stablehlo.multiply %41, %41 : tensor<20xi32>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %49 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %50 = stablehlo.shift_right_logical %43, %49 : tensor<20xi32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %51 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %52 = stablehlo.and %50, %51 : tensor<20xi32>
    %53 = stablehlo.multiply %47, %48 : tensor<20xi32>
    %54 = call @_where_1(%52, %53, %47) : (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) -> tensor<20xi32>
    %55 = stablehlo.multiply %48, %48 : tensor<20xi32>
    %c_16 = stablehlo.constant dense<1> : tensor<i32>
    %56 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %57 = stablehlo.shift_right_logical %50, %56 : tensor<20xi32>
    %c_17 = stablehlo.constant dense<1> : tensor<i32>
    %58 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %59 = stablehlo.and %57, %58 : tensor<20xi32>
    %60 = stablehlo.multiply %54, %55 : tensor<20xi32>
    %61 = call @_where_1(%59, %60, %54) : (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) -> tensor<20xi32>
    %62 = stablehlo.multiply %55, %55 : tensor<20xi32>
    %c_18 = stablehlo.constant dense<1> : tensor<i32>
    %63 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %64 = stablehlo.shift_right_logical %57, %63 : tensor<20xi32>
    %c_19 = stablehlo.constant dense<1> : tensor<i32>
    %65 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %66 = stablehlo.and %64, %65 : tensor<20xi32>
    %67 = stablehlo.multiply %61, %62 : tensor<20xi32>
    %68 = call @_where_1(%66, %67, %61) : (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) -> tensor<20xi32>
    %69 = stablehlo.multiply %62, %62 : tensor<20xi32>
    %c_20 = stablehlo.constant dense<1> : tensor<i32>
    %70 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %71 = stablehlo.shift_right_logical %64, %70 : tensor<20xi32>
    %c_21 = stablehlo.constant dense<1> : tensor<i32>
    %72 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %73 = stablehlo.and %71, %72 : tensor<20xi32>
    %74 = stablehlo.multiply %68, %69 : tensor<20xi32>
    %75 = call @_where_1(%73, %74, %68) : (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) -> tensor<20xi32>
    %76 = stablehlo.multiply %69, %69 : tensor<20xi32>
    %c_22 = stablehlo.constant dense<1> : tensor<i32>
    %77 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %78 = stablehlo.shift_right_logical %71, %77 : tensor<20xi32>
    %c_23 = stablehlo.constant dense<2> : tensor<i32>
    %79 = call @floor_divide(%arg1, %c_23) : (tensor<20xi32>, tensor<i32>) -> tensor<20xi32>
    %c_24 = stablehlo.constant dense<3> : tensor<i32>
    %80 = call @remainder(%arg1, %c_24) : (tensor<20xi32>, tensor<i32>) -> tensor<20xi32>
    %cst_25 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %81 = call @floor_divide_3(%arg0, %cst_25) : (tensor<20xf32>, tensor<f32>) -> tensor<20xf32>
    %cst_26 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %82 = call @remainder_5(%arg0, %cst_26) : (tensor<20xf32>, tensor<f32>) -> tensor<20xf32>
    %83 = stablehlo.not %arg1 : tensor<20xi32>
    %84 = stablehlo.convert %arg0 : (tensor<20xf32>) -> tensor<20xi8>
    return %0, %1, %4, %7, %10, %14, %18, %19, %22, %23, %26, %29, %75, %79, %80, %81, %82, %83, %84 : tensor<20xi32>, tensor<20x4xui8>, tensor<5x2xui32>, tensor<20xi32>, tensor<20xi32>, tensor<20xi32>, tensor<20xi32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xi32>, tensor<20xi32>, tensor<20xi32>, tensor<20xi32>, tensor<20xf32>, tensor<20xf32>, tensor<20xi32>, tensor<20xi8>
  }
  func.func private @remainder(%arg0: tensor<20xi32>, %arg1: tensor<i32>) -> tensor<20xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<20xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<20xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<20xi1>, tensor<20xi1>) -> tensor<20xi1>
    %12 = stablehlo.and %11, %6 : tensor<20xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %14 = stablehlo.add %4, %13 : tensor<20xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<20xi1>, tensor<20xi32>
    return %15 : tensor<20xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_where_0(%arg0: tensor<20xi1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<20xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<20xi1>, tensor<20xi32>
    return %2 : tensor<20xi32>
  }
  func.func private @_where_1(%arg0: tensor<20xi32>, %arg1: tensor<20xi32>, %arg2: tensor<20xi32>) -> tensor<20xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %1 = stablehlo.compare NE, %arg0, %0, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %2 = stablehlo.select %1, %arg1, %arg2 : tensor<20xi1>, tensor<20xi32>
    return %2 : tensor<20xi32>
  }
  func.func private @floor_divide(%arg0: tensor<20xi32>, %arg1: tensor<i32>) -> tensor<20xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %2 = stablehlo.divide %arg0, %1 : tensor<20xi32>
    %3 = stablehlo.sign %arg0 : tensor<20xi32>
    %4 = stablehlo.sign %0 : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %8 = stablehlo.remainder %arg0, %7 : tensor<20xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %11 = stablehlo.and %6, %10 : tensor<20xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %13 = stablehlo.subtract %2, %12 : tensor<20xi32>
    %14 = call @_where_2(%11, %13, %2) : (tensor<20xi1>, tensor<20xi32>, tensor<20xi32>) -> tensor<20xi32>
    return %14 : tensor<20xi32>
  }
  func.func private @_where_2(%arg0: tensor<20xi1>, %arg1: tensor<20xi32>, %arg2: tensor<20xi32>) -> tensor<20xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<20xi1>, tensor<20xi32>
    return %0 : tensor<20xi32>
  }
  func.func private @floor_divide_3(%arg0: tensor<20xf32>, %arg1: tensor<f32>) -> tensor<20xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<20xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.compare EQ, %0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.subtract %arg0, %2 : tensor<20xf32>
    %5 = call @_where_4(%3, %arg0, %4) : (tensor<i1>, tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %6 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %7 = stablehlo.divide %5, %6 : tensor<20xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %9 = stablehlo.compare NE, %2, %8, FLOAT : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xi1>
    %10 = stablehlo.sign %0 : tensor<f32>
    %11 = stablehlo.sign %2 : tensor<20xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %13 = stablehlo.compare NE, %12, %11, FLOAT : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xi1>
    %14 = stablehlo.and %9, %13 : tensor<20xi1>
    %15 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %16 = stablehlo.add %2, %15 : tensor<20xf32>
    %17 = stablehlo.select %14, %16, %2 : tensor<20xi1>, tensor<20xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %19 = stablehlo.subtract %7, %18 : tensor<20xf32>
    %20 = stablehlo.select %14, %19, %7 : tensor<20xi1>, tensor<20xf32>
    %21 = stablehlo.round_nearest_afz %20 : tensor<20xf32>
    return %21 : tensor<20xf32>
  }
  func.func private @_where_4(%arg0: tensor<i1>, %arg1: tensor<20xf32>, %arg2: tensor<20xf32>) -> tensor<20xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<20xf32>
    return %0 : tensor<20xf32>
  }
  func.func private @remainder_5(%arg0: tensor<20xf32>, %arg1: tensor<f32>) -> tensor<20xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<20xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<20xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<20xi1>, tensor<20xi1>) -> tensor<20xi1>
    %10 = stablehlo.and %9, %4 : tensor<20xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %12 = stablehlo.add %2, %11 : tensor<20xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<20xi1>, tensor<20xf32>
    return %13 : tensor<20xf32>
  }
}
