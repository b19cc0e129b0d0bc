module @jit_derivatives attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf32>, %arg1: tensor<3xf32>) -> (tensor<4xf32> {jax.result_info = "result[0][0]"}, tensor<4xf32> {jax.result_info = "result[0][1]"}, tensor<3xf32> {jax.result_info = "result[1][0]"}, tensor<4x3xf32> {jax.result_info = "result[2]"}, tensor<4x3xf32> {jax.result_info = "result[3]"}, tensor<3x3xf32> {jax.result_info = "result[4]"}, tensor<3xf32> {jax.result_info = "result[5]"}, tensor<3xf32> {jax.result_info = "result[6]"}, tensor<3xf32> {jax.result_info = "result[7]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
    %2 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
    %3 = stablehlo.sine %1 : tensor<4xf32>
    %4 = stablehlo.cosine %1 : tensor<4xf32>
    %5 = stablehlo.multiply %2, %4 : tensor<4xf32>
    %6 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %7 = stablehlo.multiply %0, %arg1 : tensor<3xf32>
    %8 = stablehlo.multiply %arg1, %0 : tensor<3xf32>
    %9 = stablehlo.add %7, %8 : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.multiply %3, %12 : tensor<4xf32>
    %14 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %15 = stablehlo.multiply %5, %14 : tensor<4xf32>
    %16 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %17 = stablehlo.multiply %3, %16 : tensor<4xf32>
    %18 = stablehlo.add %15, %17 : tensor<4xf32>
    %19 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
    %20 = stablehlo.sine %19 : tensor<4xf32>
    %21 = stablehlo.cosine %19 : tensor<4xf32>
    %22 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %25 = stablehlo.multiply %20, %24 : tensor<4xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %27 = stablehlo.multiply %20, %26 : tensor<4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %29 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %30 = stablehlo.multiply %26, %29 : tensor<4xf32>
    %31 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %32 = stablehlo.multiply %arg1, %31 : tensor<3xf32>
    %33 = stablehlo.multiply %31, %arg1 : tensor<3xf32>
    %34 = stablehlo.add %32, %33 : tensor<3xf32>
    %35 = stablehlo.multiply %30, %21 : tensor<4xf32>
    %36 = stablehlo.dot_general %35, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<3xf32>
    %37 = stablehlo.add %34, %36 : tensor<3xf32>
    %38 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %39 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %41 = stablehlo.add %38, %40 : tensor<3x3xi32>
    %42 = stablehlo.compare EQ, %41, %39, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %43 = stablehlo.convert %42 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %44 = stablehlo.slice %43 [0:3, 0:3] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %45 = stablehlo.convert %44 : tensor<3x3xf32>
    %46 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
    %47 = stablehlo.dot_general %arg0, %45, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
    %48 = stablehlo.sine %46 : tensor<4xf32>
    %49 = stablehlo.cosine %46 : tensor<4xf32>
    %50 = stablehlo.transpose %47, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %51 = stablehlo.broadcast_in_dim %49, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
    %53 = stablehlo.multiply %50, %52 : tensor<3x4xf32>
    %54 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %55 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %57 = stablehlo.multiply %45, %56 : tensor<3x3xf32>
    %58 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %60 = stablehlo.multiply %59, %45 : tensor<3x3xf32>
    %61 = stablehlo.add %57, %60 : tensor<3x3xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%54 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%61 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
    %64 = stablehlo.broadcast_in_dim %62, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %65 = stablehlo.multiply %48, %64 : tensor<4xf32>
    %66 = stablehlo.broadcast_in_dim %62, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %67 = stablehlo.multiply %53, %66 : tensor<3x4xf32>
    %68 = stablehlo.broadcast_in_dim %48, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %69 = stablehlo.broadcast_in_dim %63, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %70 = stablehlo.broadcast_in_dim %68, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
    %71 = stablehlo.broadcast_in_dim %69, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>
    %72 = stablehlo.multiply %70, %71 : tensor<3x4xf32>
    %73 = stablehlo.add %67, %72 : tensor<3x4xf32>
    %74 = stablehlo.transpose %73, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %75 = stablehlo.slice %74 [0:4, 0:3] : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %76 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
    %77 = stablehlo.sine %76 : tensor<4xf32>
    %78 = stablehlo.cosine %76 : tensor<4xf32>
    %79 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%79 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %82 = stablehlo.multiply %77, %81 : tensor<4xf32>
    %83 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %84 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %85 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %86 = stablehlo.add %83, %85 : tensor<4x4xi32>
    %87 = stablehlo.compare EQ, %86, %84, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %88 = stablehlo.convert %87 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %89 = stablehlo.slice %88 [0:4, 0:4] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %90 = stablehlo.convert %89 : tensor<4x4xf32>
    %91 = stablehlo.broadcast_in_dim %77, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %93 = stablehlo.multiply %92, %90 : tensor<4x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.reduce(%93 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %95 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %96 = stablehlo.multiply %90, %95 : tensor<4x4xf32>
    %97 = stablehlo.broadcast_in_dim %94, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
    %98 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
    %100 = stablehlo.multiply %99, %97 : tensor<4x3xf32>
    %101 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
    %103 = stablehlo.multiply %97, %102 : tensor<4x3xf32>
    %104 = stablehlo.add %100, %103 : tensor<4x3xf32>
    %105 = stablehlo.broadcast_in_dim %78, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %107 = stablehlo.multiply %96, %106 : tensor<4x4xf32>
    %108 = stablehlo.dot_general %107, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %109 = stablehlo.add %104, %108 : tensor<4x3xf32>
    %110 = stablehlo.slice %109 [0:4, 0:3] : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %111 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %112 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %113 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %114 = stablehlo.add %111, %113 : tensor<3x3xi32>
    %115 = stablehlo.compare EQ, %114, %112, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %116 = stablehlo.convert %115 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %117 = stablehlo.slice %116 [0:3, 0:3] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %118 = stablehlo.convert %117 : tensor<3x3xf32>
    %119 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
    %120 = stablehlo.dot_general %arg0, %118, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
    %121 = stablehlo.sine %119 : tensor<4xf32>
    %122 = stablehlo.cosine %119 : tensor<4xf32>
    %123 = stablehlo.transpose %120, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %124 = stablehlo.broadcast_in_dim %122, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
    %126 = stablehlo.multiply %123, %125 : tensor<3x4xf32>
    %127 = stablehlo.cosine %119 : tensor<4xf32>
    %128 = stablehlo.sine %119 : tensor<4xf32>
    %129 = stablehlo.transpose %120, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %130 = stablehlo.broadcast_in_dim %128, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
    %132 = stablehlo.multiply %129, %131 : tensor<3x4xf32>
    %133 = stablehlo.negate %132 : tensor<3x4xf32>
    %134 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %135 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %137 = stablehlo.multiply %118, %136 : tensor<3x3xf32>
    %138 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %140 = stablehlo.multiply %139, %118 : tensor<3x3xf32>
    %141 = stablehlo.add %137, %140 : tensor<3x3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.reduce(%134 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.reduce(%141 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
    %144 = stablehlo.broadcast_in_dim %142, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %145 = stablehlo.multiply %121, %144 : tensor<4xf32>
    %146 = stablehlo.broadcast_in_dim %142, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %147 = stablehlo.multiply %126, %146 : tensor<3x4xf32>
    %148 = stablehlo.broadcast_in_dim %121, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %149 = stablehlo.broadcast_in_dim %143, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %150 = stablehlo.broadcast_in_dim %148, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
    %151 = stablehlo.broadcast_in_dim %149, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>
    %152 = stablehlo.multiply %150, %151 : tensor<3x4xf32>
    %153 = stablehlo.add %147, %152 : tensor<3x4xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %154 = stablehlo.reduce(%145 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.reduce(%153 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %156 = stablehlo.iota dim = 0 : tensor<1x1xi32>
    %157 = stablehlo.iota dim = 1 : tensor<1x1xi32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %158 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<1x1xi32>
    %159 = stablehlo.add %156, %158 : tensor<1x1xi32>
    %160 = stablehlo.compare EQ, %159, %157, SIGNED : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi1>
    %161 = stablehlo.convert %160 : (tensor<1x1xi1>) -> tensor<1x1xf32>
    %162 = stablehlo.slice %161 [0:1, 0:1] : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %163 = stablehlo.reshape %162 : (tensor<1x1xf32>) -> tensor<1xf32>
    %164 = stablehlo.convert %163 : tensor<1xf32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0] : (tensor<1xf32>) -> tensor<1x4xf32>
    %166 = stablehlo.broadcast_in_dim %121, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %167 = stablehlo.broadcast_in_dim %126, dims = [0, 2] : (tensor<3x4xf32>) -> tensor<3x1x4xf32>
    %168 = stablehlo.multiply %166, %165 : tensor<1x4xf32>
    %169 = stablehlo.broadcast_in_dim %165, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<3x1x4xf32>
    %171 = stablehlo.multiply %167, %170 : tensor<3x1x4xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%168 init: %cst_16) applies stablehlo.add across dimensions = [1] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %173 = stablehlo.reduce(%171 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<3x1x4xf32>, tensor<f32>) -> tensor<3x1xf32>
    %174 = stablehlo.broadcast_in_dim %142, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
    %175 = stablehlo.multiply %165, %174 : tensor<1x4xf32>
    %176 = stablehlo.broadcast_in_dim %165, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %177 = stablehlo.broadcast_in_dim %143, dims = [0] : (tensor<3xf32>) -> tensor<3x1x1xf32>
    %178 = stablehlo.broadcast_in_dim %176, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<3x1x4xf32>
    %179 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2] : (tensor<3x1x1xf32>) -> tensor<3x1x4xf32>
    %180 = stablehlo.multiply %178, %179 : tensor<3x1x4xf32>
    %181 = stablehlo.broadcast_in_dim %172, dims = [0] : (tensor<1xf32>) -> tensor<1x3xf32>
    %182 = stablehlo.broadcast_in_dim %173, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x1x3xf32>
    %183 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %184 = stablehlo.broadcast_in_dim %118, dims = [0, 2] : (tensor<3x3xf32>) -> tensor<3x1x3xf32>
    %185 = stablehlo.multiply %183, %181 : tensor<1x3xf32>
    %186 = stablehlo.broadcast_in_dim %181, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %187 = stablehlo.broadcast_in_dim %186, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<3x1x3xf32>
    %188 = stablehlo.multiply %184, %187 : tensor<3x1x3xf32>
    %189 = stablehlo.broadcast_in_dim %183, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<3x1x3xf32>
    %191 = stablehlo.multiply %190, %182 : tensor<3x1x3xf32>
    %192 = stablehlo.add %188, %191 : tensor<3x1x3xf32>
    %193 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %194 = stablehlo.broadcast_in_dim %118, dims = [0, 2] : (tensor<3x3xf32>) -> tensor<3x1x3xf32>
    %195 = stablehlo.multiply %181, %193 : tensor<1x3xf32>
    %196 = stablehlo.broadcast_in_dim %193, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %197 = stablehlo.broadcast_in_dim %196, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<3x1x3xf32>
    %198 = stablehlo.multiply %182, %197 : tensor<3x1x3xf32>
    %199 = stablehlo.broadcast_in_dim %181, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<3x1x3xf32>
    %201 = stablehlo.multiply %200, %194 : tensor<3x1x3xf32>
    %202 = stablehlo.add %198, %201 : tensor<3x1x3xf32>
    %203 = stablehlo.add %185, %195 : tensor<1x3xf32>
    %204 = stablehlo.add %192, %202 : tensor<3x1x3xf32>
    %205 = stablehlo.broadcast_in_dim %127, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %206 = stablehlo.broadcast_in_dim %133, dims = [0, 2] : (tensor<3x4xf32>) -> tensor<3x1x4xf32>
    %207 = stablehlo.multiply %175, %205 : tensor<1x4xf32>
    %208 = stablehlo.broadcast_in_dim %205, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<3x1x4xf32>
    %210 = stablehlo.multiply %180, %209 : tensor<3x1x4xf32>
    %211 = stablehlo.broadcast_in_dim %175, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<3x1x4xf32>
    %213 = stablehlo.multiply %212, %206 : tensor<3x1x4xf32>
    %214 = stablehlo.add %210, %213 : tensor<3x1x4xf32>
    %215 = stablehlo.dot_general %207, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
    %216 = stablehlo.dot_general %214, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x1x4xf32>, tensor<4x3xf32>) -> tensor<3x1x3xf32>
    %217 = stablehlo.add %203, %215 : tensor<1x3xf32>
    %218 = stablehlo.add %204, %216 : tensor<3x1x3xf32>
    %219 = stablehlo.slice %217 [0:1, 0:3] : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %220 = stablehlo.slice %218 [0:3, 0:1, 0:3] : (tensor<3x1x3xf32>) -> tensor<3x1x3xf32>
    %221 = stablehlo.reshape %219 : (tensor<1x3xf32>) -> tensor<3xf32>
    %222 = stablehlo.reshape %220 : (tensor<3x1x3xf32>) -> tensor<3x3xf32>
    %223 = stablehlo.transpose %222, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %224 = stablehlo.slice %223 [0:3, 0:3] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %225 = stablehlo.exponential %arg1 : tensor<3xf32>
    %226 = stablehlo.log_plus_one %225 : tensor<3xf32>
    %227 = stablehlo.negate %arg1 : tensor<3xf32>
    %228 = stablehlo.exponential %227 : tensor<3xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %230 = stablehlo.add %229, %228 : tensor<3xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %232 = stablehlo.divide %231, %230 : tensor<3xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %233 = stablehlo.reduce(%226 init: %cst_20) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %235 = stablehlo.multiply %232, %234 : tensor<3xf32>
    %236 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %237 = stablehlo.multiply %236, %arg1 : tensor<3xf32>
    %238 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %cst_22 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %240 = stablehlo.multiply %239, %238 : tensor<3xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %241 = stablehlo.reduce(%237 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %243 = stablehlo.multiply %242, %240 : tensor<3xf32>
    %cst_25 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %cst_26 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %244 = call @clip(%243, %cst_25, %cst_26) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    %245 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.reduce(%245 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %247 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %248 = stablehlo.multiply %arg1, %247 : tensor<3xf32>
    return %13, %18, %37, %75, %110, %224, %235, %244, %248 : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func private @clip(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<3xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<3xf32>
    %3 = stablehlo.convert %arg2 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<3xf32>
    return %5 : tensor<3xf32>
  }
}
