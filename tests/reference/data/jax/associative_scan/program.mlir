module @jit_associative_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result[0]"}, tensor<8xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:7:2] : (tensor<8xf32>) -> tensor<4xf32>
    %1 = stablehlo.slice %arg1 [0:7:2] : (tensor<8xf32>) -> tensor<4xf32>
    %2 = stablehlo.slice %arg0 [1:8:2] : (tensor<8xf32>) -> tensor<4xf32>
    %3 = stablehlo.slice %arg1 [1:8:2] : (tensor<8xf32>) -> tensor<4xf32>
    %4 = stablehlo.multiply %0, %2 : tensor<4xf32>
    %5 = stablehlo.multiply %2, %1 : tensor<4xf32>
    %6 = stablehlo.add %5, %3 : tensor<4xf32>
    %7 = stablehlo.slice %4 [0:3:2] : (tensor<4xf32>) -> tensor<2xf32>
    %8 = stablehlo.slice %6 [0:3:2] : (tensor<4xf32>) -> tensor<2xf32>
    %9 = stablehlo.slice %4 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
    %10 = stablehlo.slice %6 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
    %11 = stablehlo.multiply %7, %9 : tensor<2xf32>
    %12 = stablehlo.multiply %9, %8 : tensor<2xf32>
    %13 = stablehlo.add %12, %10 : tensor<2xf32>
    %14 = stablehlo.slice %11 [0:1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %15 = stablehlo.slice %13 [0:1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %16 = stablehlo.slice %11 [1:2:2] : (tensor<2xf32>) -> tensor<1xf32>
    %17 = stablehlo.slice %13 [1:2:2] : (tensor<2xf32>) -> tensor<1xf32>
    %18 = stablehlo.multiply %14, %16 : tensor<1xf32>
    %19 = stablehlo.multiply %16, %15 : tensor<1xf32>
    %20 = stablehlo.add %19, %17 : tensor<1xf32>
    %21 = stablehlo.slice %18 [0:0] : (tensor<1xf32>) -> tensor<0xf32>
    %22 = stablehlo.slice %20 [0:0] : (tensor<1xf32>) -> tensor<0xf32>
    %23 = stablehlo.slice %11 [2:2:2] : (tensor<2xf32>) -> tensor<0xf32>
    %24 = stablehlo.slice %13 [2:2:2] : (tensor<2xf32>) -> tensor<0xf32>
    %25 = stablehlo.multiply %21, %23 : tensor<0xf32>
    %26 = stablehlo.multiply %23, %22 : tensor<0xf32>
    %27 = stablehlo.add %26, %24 : tensor<0xf32>
    %28 = stablehlo.slice %11 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %29 = stablehlo.concatenate %28, %25, dim = 0 : (tensor<1xf32>, tensor<0xf32>) -> tensor<1xf32>
    %30 = stablehlo.slice %13 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %31 = stablehlo.concatenate %30, %27, dim = 0 : (tensor<1xf32>, tensor<0xf32>) -> tensor<1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.pad %29, %cst, low = [0], high = [1], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.pad %18, %cst_0, low = [1], high = [0], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
    %34 = stablehlo.add %32, %33 : tensor<2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.pad %31, %cst_1, low = [0], high = [1], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.pad %20, %cst_2, low = [1], high = [0], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
    %37 = stablehlo.add %35, %36 : tensor<2xf32>
    %38 = stablehlo.slice %34 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %39 = stablehlo.slice %37 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %40 = stablehlo.slice %4 [2:4:2] : (tensor<4xf32>) -> tensor<1xf32>
    %41 = stablehlo.slice %6 [2:4:2] : (tensor<4xf32>) -> tensor<1xf32>
    %42 = stablehlo.multiply %38, %40 : tensor<1xf32>
    %43 = stablehlo.multiply %40, %39 : tensor<1xf32>
    %44 = stablehlo.add %43, %41 : tensor<1xf32>
    %45 = stablehlo.slice %4 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %46 = stablehlo.concatenate %45, %42, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %47 = stablehlo.slice %6 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %48 = stablehlo.concatenate %47, %44, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.pad %46, %cst_3, low = [0], high = [1], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.pad %34, %cst_4, low = [1], high = [0], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
    %51 = stablehlo.add %49, %50 : tensor<4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.pad %48, %cst_5, low = [0], high = [1], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.pad %37, %cst_6, low = [1], high = [0], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
    %54 = stablehlo.add %52, %53 : tensor<4xf32>
    %55 = stablehlo.slice %51 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %56 = stablehlo.slice %54 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %57 = stablehlo.slice %arg0 [2:8:2] : (tensor<8xf32>) -> tensor<3xf32>
    %58 = stablehlo.slice %arg1 [2:8:2] : (tensor<8xf32>) -> tensor<3xf32>
    %59 = stablehlo.multiply %55, %57 : tensor<3xf32>
    %60 = stablehlo.multiply %57, %56 : tensor<3xf32>
    %61 = stablehlo.add %60, %58 : tensor<3xf32>
    %62 = stablehlo.slice %arg0 [0:1] : (tensor<8xf32>) -> tensor<1xf32>
    %63 = stablehlo.concatenate %62, %59, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %64 = stablehlo.slice %arg1 [0:1] : (tensor<8xf32>) -> tensor<1xf32>
    %65 = stablehlo.concatenate %64, %61, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.pad %63, %cst_7, low = [0], high = [1], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.pad %51, %cst_8, low = [1], high = [0], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
    %68 = stablehlo.add %66, %67 : tensor<8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.pad %65, %cst_9, low = [0], high = [1], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.pad %54, %cst_10, low = [1], high = [0], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
    %71 = stablehlo.add %69, %70 : tensor<8xf32>
    return %68, %71 : tensor<8xf32>, tensor<8xf32>
  }
}
