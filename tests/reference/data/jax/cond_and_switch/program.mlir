module @jit_cond_and_switch attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<5xf32>) -> (tensor<5xf32> {jax.result_info = "result[0]"}, tensor<5xf32> {jax.result_info = "result[1]"}, tensor<5xf32> {jax.result_info = "result[2]"}, tensor<5xf32> {jax.result_info = "result[3]"}, tensor<5xf32> {jax.result_info = "result[4]"}, tensor<5xf32> {jax.result_info = "result[5]"}) {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.compare GT, %arg0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      %33 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
      %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %35 = stablehlo.add %arg1, %34 : tensor<5xf32>
      stablehlo.return %35 : tensor<5xf32>
    }, {
      %33 = stablehlo.exponential %arg1 : tensor<5xf32>
      stablehlo.return %33 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.clamp %c_0, %arg0, %c_1 : tensor<i32>
    %4 = "stablehlo.case"(%3) ({
      %33 = stablehlo.sine %arg1 : tensor<5xf32>
      stablehlo.return %33 : tensor<5xf32>
    }, {
      %33 = stablehlo.multiply %arg1, %arg1 : tensor<5xf32>
      stablehlo.return %33 : tensor<5xf32>
    }, {
      %33 = func.call @_flip(%arg1) : (tensor<5xf32>) -> tensor<5xf32>
      %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %34 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %35 = stablehlo.subtract %33, %34 : tensor<5xf32>
      stablehlo.return %35 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %c_2 = stablehlo.constant dense<7> : tensor<i32>
    %5 = stablehlo.add %arg0, %c_2 : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<2> : tensor<i32>
    %6 = stablehlo.clamp %c_3, %5, %c_4 : tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %33 = stablehlo.sine %arg1 : tensor<5xf32>
      stablehlo.return %33 : tensor<5xf32>
    }, {
      %33 = stablehlo.multiply %arg1, %arg1 : tensor<5xf32>
      stablehlo.return %33 : tensor<5xf32>
    }, {
      %33 = func.call @_flip(%arg1) : (tensor<5xf32>) -> tensor<5xf32>
      %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %34 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %35 = stablehlo.subtract %33, %34 : tensor<5xf32>
      stablehlo.return %35 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %c_5 = stablehlo.constant dense<9> : tensor<i32>
    %8 = stablehlo.subtract %arg0, %c_5 : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %9 = stablehlo.clamp %c_6, %8, %c_7 : tensor<i32>
    %10 = "stablehlo.case"(%9) ({
      %33 = stablehlo.sine %arg1 : tensor<5xf32>
      stablehlo.return %33 : tensor<5xf32>
    }, {
      %33 = stablehlo.multiply %arg1, %arg1 : tensor<5xf32>
      stablehlo.return %33 : tensor<5xf32>
    }, {
      %33 = func.call @_flip(%arg1) : (tensor<5xf32>) -> tensor<5xf32>
      %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %34 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %35 = stablehlo.subtract %33, %34 : tensor<5xf32>
      stablehlo.return %35 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %c_9 = stablehlo.constant dense<2> : tensor<i32>
    %11 = stablehlo.clamp %c_8, %arg0, %c_9 : tensor<i32>
    %12:2 = "stablehlo.case"(%11) ({
      %33 = stablehlo.sine %arg1 : tensor<5xf32>
      %34 = stablehlo.cosine %arg1 : tensor<5xf32>
      %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %35 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<5xf32>
      stablehlo.return %33, %34 : tensor<5xf32>, tensor<5xf32>
    }, {
      %33 = stablehlo.multiply %arg1, %arg1 : tensor<5xf32>
      %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %34 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<5xf32>
      stablehlo.return %33, %arg1 : tensor<5xf32>, tensor<5xf32>
    }, {
      %33 = func.call @_flip_0(%arg1) : (tensor<5xf32>) -> tensor<5xf32>
      %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %34 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %35 = stablehlo.subtract %33, %34 : tensor<5xf32>
      %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %36 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<5xf32>
      stablehlo.return %35, %36 : tensor<5xf32>, tensor<5xf32>
    }) : (tensor<i32>) -> (tensor<5xf32>, tensor<5xf32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12#0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %15 = "stablehlo.case"(%11) ({
      %33 = stablehlo.multiply %14, %12#1 : tensor<5xf32>
      stablehlo.return %33 : tensor<5xf32>
    }, {
      %33 = stablehlo.multiply %12#1, %14 : tensor<5xf32>
      %34 = stablehlo.multiply %14, %12#1 : tensor<5xf32>
      %35 = stablehlo.add %33, %34 : tensor<5xf32>
      stablehlo.return %35 : tensor<5xf32>
    }, {
      %33 = func.call @_flip_1(%14) : (tensor<5xf32>) -> tensor<5xf32>
      stablehlo.return %33 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %16 = stablehlo.iota dim = 0 : tensor<5xi32>
    %c_11 = stablehlo.constant dense<2> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %18 = stablehlo.subtract %16, %17 : tensor<5xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %20 = stablehlo.compare GT, %18, %19, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %21 = stablehlo.convert %20 : (tensor<5xi1>) -> tensor<5xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %23 = stablehlo.compare EQ, %21, %22, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %24 = stablehlo.select %23, %arg1, %arg1 : tensor<5xi1>, tensor<5xf32>
    %25 = stablehlo.tan %24 : tensor<5xf32>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %27 = stablehlo.compare EQ, %21, %26, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %28 = stablehlo.select %27, %arg1, %arg1 : tensor<5xi1>, tensor<5xf32>
    %29 = stablehlo.cosine %28 : tensor<5xf32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %31 = stablehlo.compare LT, %21, %30, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %32 = stablehlo.select %31, %25, %29 : tensor<5xi1>, tensor<5xf32>
    return %2, %4, %7, %10, %15, %32 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  func.func private @_flip(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @_flip_0(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @_flip_1(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}
