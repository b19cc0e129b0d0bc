module @jit_integers_uint16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<100xui16>, %arg1: tensor<100xui16>) -> (tensor<100xui16> {jax.result_info = "result[0]"}, tensor<100xui16> {jax.result_info = "result[1]"}, tensor<100xui16> {jax.result_info = "result[2]"}, tensor<100xui16> {jax.result_info = "result[3]"}, tensor<100xui16> {jax.result_info = "result[4]"}, tensor<100xui16> {jax.result_info = "result[5]"}, tensor<100xui16> {jax.result_info = "result[6]"}, tensor<100xui16> {jax.result_info = "result[7]"}, tensor<100xui16> {jax.result_info = "result[8]"}, tensor<100xui16> {jax.result_info = "result[9]"}, tensor<100xui16> {jax.result_info = "result[10]"}, tensor<100xui16> {jax.result_info = "result[11]"}, tensor<100xui16> {jax.result_info = "result[12]"}, tensor<100xui16> {jax.result_info = "result[13]"}, tensor<100xui16> {jax.result_info = "result[14]"}, tensor<100xui16> {jax.result_info = "result[15]"}, tensor<100xui16> {jax.result_info = "result[16]"}, tensor<100xui16> {jax.result_info = "result[17]"}, tensor<100xi1> {jax.result_info = "result[18]"}, tensor<100xui16> {jax.result_info = "result[19]"}, tensor<100xui16> {jax.result_info = "result[20]"}) {
    %c = stablehlo.constant dense<16> : tensor<ui16>
    %0 = call @remainder(%arg1, %c) : (tensor<100xui16>, tensor<ui16>) -> tensor<100xui16>
    %1 = stablehlo.add %arg0, %arg1 : tensor<100xui16>
    %2 = stablehlo.subtract %arg0, %arg1 : tensor<100xui16>
    %3 = stablehlo.multiply %arg0, %arg1 : tensor<100xui16>
    %c_0 = stablehlo.constant dense<0> : tensor<ui16>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %5 = stablehlo.compare EQ, %arg1, %4, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %6 = call @_where_0(%5, %c_1, %arg1) : (tensor<100xi1>, tensor<i32>, tensor<100xui16>) -> tensor<100xui16>
    %7 = stablehlo.divide %arg0, %6 : tensor<100xui16>
    %8 = stablehlo.xor %arg0, %arg1 : tensor<100xui16>
    %9 = stablehlo.and %arg0, %arg1 : tensor<100xui16>
    %10 = stablehlo.or %arg0, %arg1 : tensor<100xui16>
    %11 = stablehlo.not %arg0 : tensor<100xui16>
    %c_2 = stablehlo.constant dense<0> : tensor<ui16>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %13 = stablehlo.compare EQ, %arg1, %12, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %14 = call @_where_0(%13, %c_3, %arg1) : (tensor<100xi1>, tensor<i32>, tensor<100xui16>) -> tensor<100xui16>
    %15 = stablehlo.remainder %arg0, %14 : tensor<100xui16>
    %c_4 = stablehlo.constant dense<0> : tensor<ui16>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %17 = stablehlo.compare EQ, %arg1, %16, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_5 = stablehlo.constant dense<3> : tensor<i32>
    %18 = call @_where_0(%17, %c_5, %arg1) : (tensor<100xi1>, tensor<i32>, tensor<100xui16>) -> tensor<100xui16>
    %19 = call @floor_divide(%arg0, %18) : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xui16>
    %20 = stablehlo.shift_left %arg0, %0 : tensor<100xui16>
    %c_6 = stablehlo.constant dense<0> : tensor<ui16>
    %21 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %22 = stablehlo.compare EQ, %arg1, %21, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_7 = stablehlo.constant dense<3> : tensor<i32>
    %23 = call @_where_0(%22, %c_7, %arg1) : (tensor<100xi1>, tensor<i32>, tensor<100xui16>) -> tensor<100xui16>
    %24 = call @remainder_1(%arg0, %23) : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xui16>
    %25 = stablehlo.shift_right_logical %arg0, %0 : tensor<100xui16>
    %26 = stablehlo.shift_right_arithmetic %arg0, %0 : tensor<100xui16>
    %27 = stablehlo.popcnt %arg0 : tensor<100xui16>
    %28 = stablehlo.count_leading_zeros %arg0 : tensor<100xui16>
    %29 = stablehlo.minimum %arg0, %arg1 : tensor<100xui16>
    %30 = stablehlo.maximum %arg0, %arg1 : tensor<100xui16>
    %31 = stablehlo.compare LT, %arg0, %arg1, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_8 = stablehlo.constant dense<0> : tensor<ui16>
    %32 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %33 = stablehlo.compare EQ, %arg0, %32, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_9 = stablehlo.constant dense<0> : tensor<ui16>
    %34 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %c_10 = stablehlo.constant dense<1> : tensor<ui16>
    %35 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %36 = stablehlo.select %33, %34, %35 : tensor<100xi1>, tensor<100xui16>
    %37 = stablehlo.multiply %arg0, %arg0 : tensor<100xui16>
    %38 = stablehlo.multiply %37, %arg0 : tensor<100xui16>
    return %1, %2, %3, %7, %8, %9, %10, %11, %15, %19, %20, %24, %25, %26, %27, %28, %29, %30, %31, %36, %38 : tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xui16>, tensor<100xi1>, tensor<100xui16>, tensor<100xui16>
  }
  func.func private @remainder(%arg0: tensor<100xui16>, %arg1: tensor<ui16>) -> tensor<100xui16> {
    %c = stablehlo.constant dense<0> : tensor<ui16>
    %0 = stablehlo.compare EQ, %arg1, %c, UNSIGNED : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui16>
    %1 = call @_where(%0, %c_0, %arg1) : (tensor<i1>, tensor<ui16>, tensor<ui16>) -> tensor<ui16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %3 = stablehlo.remainder %arg0, %2 : tensor<100xui16>
    %c_1 = stablehlo.constant dense<0> : tensor<ui16>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %5 = stablehlo.compare NE, %3, %4, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui16>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %7 = stablehlo.compare LT, %3, %6, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui16>
    %8 = stablehlo.compare LT, %1, %c_3, UNSIGNED : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<100xi1>
    %10 = stablehlo.compare NE, %7, %9, UNSIGNED : (tensor<100xi1>, tensor<100xi1>) -> tensor<100xi1>
    %11 = stablehlo.and %10, %5 : tensor<100xi1>
    %12 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %13 = stablehlo.add %3, %12 : tensor<100xui16>
    %14 = stablehlo.select %11, %13, %3 : tensor<100xi1>, tensor<100xui16>
    return %14 : tensor<100xui16>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<ui16>, %arg2: tensor<ui16>) -> tensor<ui16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<ui16>
    return %0 : tensor<ui16>
  }
  func.func private @_where_0(%arg0: tensor<100xi1>, %arg1: tensor<i32>, %arg2: tensor<100xui16>) -> tensor<100xui16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<100xi1>, tensor<100xui16>
    return %2 : tensor<100xui16>
  }
  func.func private @floor_divide(%arg0: tensor<100xui16>, %arg1: tensor<100xui16>) -> tensor<100xui16> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<100xui16>
    return %0 : tensor<100xui16>
  }
  func.func private @remainder_1(%arg0: tensor<100xui16>, %arg1: tensor<100xui16>) -> tensor<100xui16> {
    %c = stablehlo.constant dense<0> : tensor<ui16>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %1 = stablehlo.compare EQ, %arg1, %0, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui16>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %3 = call @_where_2(%1, %2, %arg1) : (tensor<100xi1>, tensor<100xui16>, tensor<100xui16>) -> tensor<100xui16>
    %4 = stablehlo.remainder %arg0, %3 : tensor<100xui16>
    %c_1 = stablehlo.constant dense<0> : tensor<ui16>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui16>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui16>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui16>) -> tensor<100xui16>
    %10 = stablehlo.compare LT, %3, %9, UNSIGNED : (tensor<100xui16>, tensor<100xui16>) -> tensor<100xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<100xi1>, tensor<100xi1>) -> tensor<100xi1>
    %12 = stablehlo.and %11, %6 : tensor<100xi1>
    %13 = stablehlo.add %4, %3 : tensor<100xui16>
    %14 = stablehlo.select %12, %13, %4 : tensor<100xi1>, tensor<100xui16>
    return %14 : tensor<100xui16>
  }
  func.func private @_where_2(%arg0: tensor<100xi1>, %arg1: tensor<100xui16>, %arg2: tensor<100xui16>) -> tensor<100xui16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<100xi1>, tensor<100xui16>
    return %0 : tensor<100xui16>
  }
}
