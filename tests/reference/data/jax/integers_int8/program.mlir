module @jit_integers_int8 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<100xi8>, %arg1: tensor<100xi8>) -> (tensor<100xi8> {jax.result_info = "result[0]"}, tensor<100xi8> {jax.result_info = "result[1]"}, tensor<100xi8> {jax.result_info = "result[2]"}, tensor<100xi8> {jax.result_info = "result[3]"}, tensor<100xi8> {jax.result_info = "result[4]"}, tensor<100xi8> {jax.result_info = "result[5]"}, tensor<100xi8> {jax.result_info = "result[6]"}, tensor<100xi8> {jax.result_info = "result[7]"}, tensor<100xi8> {jax.result_info = "result[8]"}, tensor<100xi8> {jax.result_info = "result[9]"}, tensor<100xi8> {jax.result_info = "result[10]"}, tensor<100xi8> {jax.result_info = "result[11]"}, tensor<100xi8> {jax.result_info = "result[12]"}, tensor<100xi8> {jax.result_info = "result[13]"}, tensor<100xi8> {jax.result_info = "result[14]"}, tensor<100xi8> {jax.result_info = "result[15]"}, tensor<100xi8> {jax.result_info = "result[16]"}, tensor<100xi8> {jax.result_info = "result[17]"}, tensor<100xi1> {jax.result_info = "result[18]"}, tensor<100xi8> {jax.result_info = "result[19]"}, tensor<100xi8> {jax.result_info = "result[20]"}) {
    %c = stablehlo.constant dense<8> : tensor<i8>
    %0 = call @remainder(%arg1, %c) : (tensor<100xi8>, tensor<i8>) -> tensor<100xi8>
    %1 = stablehlo.add %arg0, %arg1 : tensor<100xi8>
    %2 = stablehlo.subtract %arg0, %arg1 : tensor<100xi8>
    %3 = stablehlo.multiply %arg0, %arg1 : tensor<100xi8>
    %c_0 = stablehlo.constant dense<0> : tensor<i8>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %5 = stablehlo.compare EQ, %arg1, %4, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %6 = call @_where_0(%5, %c_1, %arg1) : (tensor<100xi1>, tensor<i32>, tensor<100xi8>) -> tensor<100xi8>
    %7 = stablehlo.divide %arg0, %6 : tensor<100xi8>
    %8 = stablehlo.xor %arg0, %arg1 : tensor<100xi8>
    %9 = stablehlo.and %arg0, %arg1 : tensor<100xi8>
    %10 = stablehlo.or %arg0, %arg1 : tensor<100xi8>
    %11 = stablehlo.not %arg0 : tensor<100xi8>
    %c_2 = stablehlo.constant dense<0> : tensor<i8>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %13 = stablehlo.compare EQ, %arg1, %12, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %14 = call @_where_0(%13, %c_3, %arg1) : (tensor<100xi1>, tensor<i32>, tensor<100xi8>) -> tensor<100xi8>
    %15 = stablehlo.remainder %arg0, %14 : tensor<100xi8>
    %c_4 = stablehlo.constant dense<0> : tensor<i8>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %17 = stablehlo.compare EQ, %arg1, %16, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %c_5 = stablehlo.constant dense<3> : tensor<i32>
    %18 = call @_where_0(%17, %c_5, %arg1) : (tensor<100xi1>, tensor<i32>, tensor<100xi8>) -> tensor<100xi8>
    %19 = call @floor_divide(%arg0, %18) : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi8>
    %20 = stablehlo.shift_left %arg0, %0 : tensor<100xi8>
    %c_6 = stablehlo.constant dense<0> : tensor<i8>
    %21 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %22 = stablehlo.compare EQ, %arg1, %21, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %c_7 = stablehlo.constant dense<3> : tensor<i32>
    %23 = call @_where_0(%22, %c_7, %arg1) : (tensor<100xi1>, tensor<i32>, tensor<100xi8>) -> tensor<100xi8>
    %24 = call @remainder_2(%arg0, %23) : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi8>
    %25 = stablehlo.abs %0 : tensor<100xi8>
    %26 = stablehlo.shift_right_logical %arg0, %25 : tensor<100xi8>
    %27 = stablehlo.abs %0 : tensor<100xi8>
    %28 = stablehlo.shift_right_arithmetic %arg0, %27 : tensor<100xi8>
    %29 = stablehlo.popcnt %arg0 : tensor<100xi8>
    %30 = stablehlo.count_leading_zeros %arg0 : tensor<100xi8>
    %31 = stablehlo.minimum %arg0, %arg1 : tensor<100xi8>
    %32 = stablehlo.maximum %arg0, %arg1 : tensor<100xi8>
    %33 = stablehlo.compare LT, %arg0, %arg1, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %34 = stablehlo.sign %arg0 : tensor<100xi8>
    %35 = stablehlo.multiply %arg0, %arg0 : tensor<100xi8>
    %36 = stablehlo.multiply %35, %arg0 : tensor<100xi8>
    return %1, %2, %3, %7, %8, %9, %10, %11, %15, %19, %20, %24, %26, %28, %29, %30, %31, %32, %33, %34, %36 : tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi8>, tensor<100xi1>, tensor<100xi8>, tensor<100xi8>
  }
  func.func private @remainder(%arg0: tensor<100xi8>, %arg1: tensor<i8>) -> tensor<100xi8> {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.compare EQ, %arg1, %c, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %1 = call @_where(%0, %c_0, %arg1) : (tensor<i1>, tensor<i8>, tensor<i8>) -> tensor<i8>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %3 = stablehlo.remainder %arg0, %2 : tensor<100xi8>
    %c_1 = stablehlo.constant dense<0> : tensor<i8>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %5 = stablehlo.compare NE, %3, %4, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i8>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %7 = stablehlo.compare LT, %3, %6, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i8>
    %8 = stablehlo.compare LT, %1, %c_3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<100xi1>
    %10 = stablehlo.compare NE, %7, %9, UNSIGNED : (tensor<100xi1>, tensor<100xi1>) -> tensor<100xi1>
    %11 = stablehlo.and %10, %5 : tensor<100xi1>
    %12 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %13 = stablehlo.add %3, %12 : tensor<100xi8>
    %14 = stablehlo.select %11, %13, %3 : tensor<100xi1>, tensor<100xi8>
    return %14 : tensor<100xi8>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i8>, %arg2: tensor<i8>) -> tensor<i8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i8>
    return %0 : tensor<i8>
  }
  func.func private @_where_0(%arg0: tensor<100xi1>, %arg1: tensor<i32>, %arg2: tensor<100xi8>) -> tensor<100xi8> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<i8>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<100xi1>, tensor<100xi8>
    return %2 : tensor<100xi8>
  }
  func.func private @floor_divide(%arg0: tensor<100xi8>, %arg1: tensor<100xi8>) -> tensor<100xi8> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<100xi8>
    %1 = stablehlo.sign %arg0 : tensor<100xi8>
    %2 = stablehlo.sign %arg1 : tensor<100xi8>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<100xi8>
    %c = stablehlo.constant dense<0> : tensor<i8>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %7 = stablehlo.and %3, %6 : tensor<100xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %9 = stablehlo.subtract %0, %8 : tensor<100xi8>
    %10 = call @_where_1(%7, %9, %0) : (tensor<100xi1>, tensor<100xi8>, tensor<100xi8>) -> tensor<100xi8>
    return %10 : tensor<100xi8>
  }
  func.func private @_where_1(%arg0: tensor<100xi1>, %arg1: tensor<100xi8>, %arg2: tensor<100xi8>) -> tensor<100xi8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<100xi1>, tensor<100xi8>
    return %0 : tensor<100xi8>
  }
  func.func private @remainder_2(%arg0: tensor<100xi8>, %arg1: tensor<100xi8>) -> tensor<100xi8> {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %3 = call @_where_1(%1, %2, %arg1) : (tensor<100xi1>, tensor<100xi8>, tensor<100xi8>) -> tensor<100xi8>
    %4 = stablehlo.remainder %arg0, %3 : tensor<100xi8>
    %c_1 = stablehlo.constant dense<0> : tensor<i8>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i8>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i8>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i8>) -> tensor<100xi8>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<100xi1>, tensor<100xi1>) -> tensor<100xi1>
    %12 = stablehlo.and %11, %6 : tensor<100xi1>
    %13 = stablehlo.add %4, %3 : tensor<100xi8>
    %14 = stablehlo.select %12, %13, %4 : tensor<100xi1>, tensor<100xi8>
    return %14 : tensor<100xi8>
  }
}
