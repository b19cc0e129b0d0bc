module @jit_activations attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0][0]"}, tensor<4x6xf32> {jax.result_info = "result[0][1]"}, tensor<4x6xf32> {jax.result_info = "result[1][0]"}, tensor<4x6xf32> {jax.result_info = "result[1][1]"}, tensor<4x6xf32> {jax.result_info = "result[2][0]"}, tensor<4x6xf32> {jax.result_info = "result[2][1]"}, tensor<4x6xf32> {jax.result_info = "result[3][0]"}, tensor<4x6xf32> {jax.result_info = "result[3][1]"}, tensor<4x6xf32> {jax.result_info = "result[4][0]"}, tensor<4x6xf32> {jax.result_info = "result[4][1]"}, tensor<4x6xf32> {jax.result_info = "result[5][0]"}, tensor<4x6xf32> {jax.result_info = "result[5][1]"}, tensor<4x6xf32> {jax.result_info = "result[6][0]"}, tensor<4x6xf32> {jax.result_info = "result[6][1]"}, tensor<4x6xf32> {jax.result_info = "result[7][0]"}, tensor<4x6xf32> {jax.result_info = "result[7][1]"}, tensor<4x6xf32> {jax.result_info = "result[8][0]"}, tensor<4x6xf32> {jax.result_info = "result[8][1]"}, tensor<4x6xf32> {jax.result_info = "result[9][0]"}, tensor<4x6xf32> {jax.result_info = "result[9][1]"}, tensor<4x6xf32> {jax.result_info = "result[10][0]"}, tensor<4x6xf32> {jax.result_info = "result[10][1]"}, tensor<4x6xf32> {jax.result_info = "result[11][0]"}, tensor<4x6xf32> {jax.result_info = "result[11][1]"}, tensor<4x6xf32> {jax.result_info = "result[12][0]"}, tensor<4x6xf32> {jax.result_info = "result[12][1]"}, tensor<4x3xf32> {jax.result_info = "result[13][0]"}, tensor<4x6xf32> {jax.result_info = "result[13][1]"}) {
    %0 = call @relu(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = call @relu(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %5 = call @relu(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %7 = stablehlo.compare GT, %arg0, %6, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %9 = stablehlo.cosine %5 : tensor<4x6xf32>
    %10 = stablehlo.sine %5 : tensor<4x6xf32>
    %11 = stablehlo.multiply %1, %9 : tensor<4x6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %14 = stablehlo.multiply %1, %13 : tensor<4x6xf32>
    %15 = stablehlo.multiply %13, %9 : tensor<4x6xf32>
    %16 = stablehlo.negate %14 : tensor<4x6xf32>
    %17 = stablehlo.multiply %16, %10 : tensor<4x6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %19 = stablehlo.select %7, %17, %18 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %21 = stablehlo.select %3, %15, %20 : tensor<4x6xi1>, tensor<4x6xf32>
    %22 = stablehlo.add %19, %21 : tensor<4x6xf32>
    %23 = call @relu6(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %24 = call @relu6(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %26 = stablehlo.compare GT, %arg0, %25, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_8 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %28 = stablehlo.compare LT, %arg0, %27, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %29 = stablehlo.and %26, %28 : tensor<4x6xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %31 = call @relu6(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %33 = stablehlo.compare GT, %arg0, %32, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_11 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %35 = stablehlo.compare LT, %arg0, %34, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %36 = stablehlo.and %33, %35 : tensor<4x6xi1>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %38 = stablehlo.cosine %31 : tensor<4x6xf32>
    %39 = stablehlo.sine %31 : tensor<4x6xf32>
    %40 = stablehlo.multiply %24, %38 : tensor<4x6xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_13) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %43 = stablehlo.multiply %24, %42 : tensor<4x6xf32>
    %44 = stablehlo.multiply %42, %38 : tensor<4x6xf32>
    %45 = stablehlo.negate %43 : tensor<4x6xf32>
    %46 = stablehlo.multiply %45, %39 : tensor<4x6xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %48 = stablehlo.select %36, %46, %47 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %50 = stablehlo.select %29, %44, %49 : tensor<4x6xi1>, tensor<4x6xf32>
    %51 = stablehlo.add %48, %50 : tensor<4x6xf32>
    %52 = stablehlo.negate %arg0 : tensor<4x6xf32>
    %53 = stablehlo.exponential %52 : tensor<4x6xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %55 = stablehlo.add %54, %53 : tensor<4x6xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %57 = stablehlo.divide %56, %55 : tensor<4x6xf32>
    %58 = stablehlo.negate %arg0 : tensor<4x6xf32>
    %59 = stablehlo.exponential %58 : tensor<4x6xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %61 = stablehlo.add %60, %59 : tensor<4x6xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %63 = stablehlo.divide %62, %61 : tensor<4x6xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %65 = stablehlo.subtract %64, %63 : tensor<4x6xf32>
    %66 = stablehlo.multiply %63, %65 : tensor<4x6xf32>
    %67 = stablehlo.negate %arg0 : tensor<4x6xf32>
    %68 = stablehlo.exponential %67 : tensor<4x6xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %70 = stablehlo.add %69, %68 : tensor<4x6xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %72 = stablehlo.divide %71, %70 : tensor<4x6xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %74 = stablehlo.subtract %73, %72 : tensor<4x6xf32>
    %75 = stablehlo.multiply %72, %74 : tensor<4x6xf32>
    %76 = stablehlo.cosine %72 : tensor<4x6xf32>
    %77 = stablehlo.sine %72 : tensor<4x6xf32>
    %78 = stablehlo.multiply %63, %76 : tensor<4x6xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%78 init: %cst_25) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %81 = stablehlo.multiply %63, %80 : tensor<4x6xf32>
    %82 = stablehlo.multiply %80, %76 : tensor<4x6xf32>
    %83 = stablehlo.negate %81 : tensor<4x6xf32>
    %84 = stablehlo.multiply %83, %77 : tensor<4x6xf32>
    %85 = stablehlo.multiply %84, %75 : tensor<4x6xf32>
    %86 = stablehlo.multiply %82, %66 : tensor<4x6xf32>
    %87 = stablehlo.add %85, %86 : tensor<4x6xf32>
    %88 = call @softplus(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %89:3 = call @softplus_0(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    %90:3 = call @softplus_0(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    %91 = stablehlo.cosine %90#0 : tensor<4x6xf32>
    %92 = stablehlo.sine %90#0 : tensor<4x6xf32>
    %93 = stablehlo.multiply %89#0, %91 : tensor<4x6xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.reduce(%93 init: %cst_27) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %96 = stablehlo.multiply %89#0, %95 : tensor<4x6xf32>
    %97 = stablehlo.multiply %95, %91 : tensor<4x6xf32>
    %98 = stablehlo.negate %96 : tensor<4x6xf32>
    %99 = stablehlo.multiply %98, %92 : tensor<4x6xf32>
    %100 = call @softplus_1(%90#1, %90#2, %99) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %101 = call @softplus_1(%89#1, %89#2, %97) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %102 = stablehlo.add %100, %101 : tensor<4x6xf32>
    %103 = call @silu(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %104:3 = call @silu_2(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    %105:3 = call @silu_2(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    %106 = stablehlo.cosine %105#0 : tensor<4x6xf32>
    %107 = stablehlo.sine %105#0 : tensor<4x6xf32>
    %108 = stablehlo.multiply %104#0, %106 : tensor<4x6xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.reduce(%108 init: %cst_29) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %111 = stablehlo.multiply %104#0, %110 : tensor<4x6xf32>
    %112 = stablehlo.multiply %110, %106 : tensor<4x6xf32>
    %113 = stablehlo.negate %111 : tensor<4x6xf32>
    %114 = stablehlo.multiply %113, %107 : tensor<4x6xf32>
    %115 = call @silu_3(%105#1, %105#2, %arg0, %114) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %116 = call @silu_3(%104#1, %104#2, %arg0, %112) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %117 = stablehlo.add %115, %116 : tensor<4x6xf32>
    %118 = stablehlo.multiply %arg0, %arg0 : tensor<4x6xf32>
    %119 = stablehlo.multiply %118, %arg0 : tensor<4x6xf32>
    %cst_31 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %121 = stablehlo.multiply %120, %119 : tensor<4x6xf32>
    %122 = stablehlo.add %arg0, %121 : tensor<4x6xf32>
    %cst_32 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %124 = stablehlo.multiply %123, %122 : tensor<4x6xf32>
    %125 = stablehlo.tanh %124 : tensor<4x6xf32>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %127 = stablehlo.add %126, %125 : tensor<4x6xf32>
    %cst_34 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %129 = stablehlo.multiply %128, %127 : tensor<4x6xf32>
    %130 = stablehlo.multiply %arg0, %129 : tensor<4x6xf32>
    %131 = stablehlo.multiply %arg0, %arg0 : tensor<4x6xf32>
    %132 = stablehlo.multiply %131, %arg0 : tensor<4x6xf32>
    %133 = stablehlo.multiply %arg0, %arg0 : tensor<4x6xf32>
    %cst_35 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %135 = stablehlo.multiply %134, %133 : tensor<4x6xf32>
    %cst_36 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %137 = stablehlo.multiply %136, %132 : tensor<4x6xf32>
    %138 = stablehlo.add %arg0, %137 : tensor<4x6xf32>
    %cst_37 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %140 = stablehlo.multiply %139, %138 : tensor<4x6xf32>
    %141 = stablehlo.tanh %140 : tensor<4x6xf32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %143 = stablehlo.subtract %142, %141 : tensor<4x6xf32>
    %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %145 = stablehlo.add %144, %141 : tensor<4x6xf32>
    %cst_40 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %147 = stablehlo.multiply %146, %145 : tensor<4x6xf32>
    %148 = stablehlo.multiply %arg0, %147 : tensor<4x6xf32>
    %149 = stablehlo.multiply %arg0, %arg0 : tensor<4x6xf32>
    %150 = stablehlo.multiply %149, %arg0 : tensor<4x6xf32>
    %151 = stablehlo.multiply %arg0, %arg0 : tensor<4x6xf32>
    %cst_41 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %153 = stablehlo.multiply %152, %151 : tensor<4x6xf32>
    %cst_42 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %155 = stablehlo.multiply %154, %150 : tensor<4x6xf32>
    %156 = stablehlo.add %arg0, %155 : tensor<4x6xf32>
    %cst_43 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %158 = stablehlo.multiply %157, %156 : tensor<4x6xf32>
    %159 = stablehlo.tanh %158 : tensor<4x6xf32>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %161 = stablehlo.subtract %160, %159 : tensor<4x6xf32>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %163 = stablehlo.add %162, %159 : tensor<4x6xf32>
    %cst_46 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %165 = stablehlo.multiply %164, %163 : tensor<4x6xf32>
    %166 = stablehlo.multiply %arg0, %165 : tensor<4x6xf32>
    %167 = stablehlo.cosine %166 : tensor<4x6xf32>
    %168 = stablehlo.sine %166 : tensor<4x6xf32>
    %169 = stablehlo.multiply %148, %167 : tensor<4x6xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %170 = stablehlo.reduce(%169 init: %cst_47) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %172 = stablehlo.multiply %148, %171 : tensor<4x6xf32>
    %173 = stablehlo.multiply %171, %167 : tensor<4x6xf32>
    %174 = stablehlo.negate %172 : tensor<4x6xf32>
    %175 = stablehlo.multiply %174, %168 : tensor<4x6xf32>
    %176 = stablehlo.multiply %arg0, %175 : tensor<4x6xf32>
    %177 = stablehlo.multiply %175, %165 : tensor<4x6xf32>
    %cst_49 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %179 = stablehlo.multiply %178, %176 : tensor<4x6xf32>
    %180 = stablehlo.multiply %179, %161 : tensor<4x6xf32>
    %181 = stablehlo.multiply %180, %159 : tensor<4x6xf32>
    %182 = stablehlo.add %180, %181 : tensor<4x6xf32>
    %cst_50 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %184 = stablehlo.multiply %183, %182 : tensor<4x6xf32>
    %185 = stablehlo.add %177, %184 : tensor<4x6xf32>
    %cst_51 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %187 = stablehlo.multiply %186, %184 : tensor<4x6xf32>
    %188 = stablehlo.multiply %187, %153 : tensor<4x6xf32>
    %189 = stablehlo.add %185, %188 : tensor<4x6xf32>
    %190 = stablehlo.multiply %arg0, %173 : tensor<4x6xf32>
    %191 = stablehlo.multiply %173, %147 : tensor<4x6xf32>
    %192 = stablehlo.add %189, %191 : tensor<4x6xf32>
    %cst_52 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %193 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %194 = stablehlo.multiply %193, %190 : tensor<4x6xf32>
    %195 = stablehlo.multiply %194, %143 : tensor<4x6xf32>
    %196 = stablehlo.multiply %195, %141 : tensor<4x6xf32>
    %197 = stablehlo.add %195, %196 : tensor<4x6xf32>
    %cst_53 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %199 = stablehlo.multiply %198, %197 : tensor<4x6xf32>
    %200 = stablehlo.add %192, %199 : tensor<4x6xf32>
    %cst_54 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %202 = stablehlo.multiply %201, %199 : tensor<4x6xf32>
    %203 = stablehlo.multiply %202, %135 : tensor<4x6xf32>
    %204 = stablehlo.add %200, %203 : tensor<4x6xf32>
    %205 = call @elu(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %206:5 = call @elu_5(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi1>)
    %207:5 = call @elu_5(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi1>)
    %208 = stablehlo.cosine %207#0 : tensor<4x6xf32>
    %209 = stablehlo.sine %207#0 : tensor<4x6xf32>
    %210 = stablehlo.multiply %206#0, %208 : tensor<4x6xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %211 = stablehlo.reduce(%210 init: %cst_55) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %213 = stablehlo.multiply %206#0, %212 : tensor<4x6xf32>
    %214 = stablehlo.multiply %212, %208 : tensor<4x6xf32>
    %215 = stablehlo.negate %213 : tensor<4x6xf32>
    %216 = stablehlo.multiply %215, %209 : tensor<4x6xf32>
    %217 = call @elu_8(%207#1, %207#2, %207#3, %207#4, %216) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %218 = call @elu_8(%206#1, %206#2, %206#3, %206#4, %214) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %219 = stablehlo.add %217, %218 : tensor<4x6xf32>
    %220 = call @selu(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %221:6 = call @selu_12(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>)
    %222:6 = call @selu_12(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>)
    %223 = stablehlo.cosine %222#0 : tensor<4x6xf32>
    %224 = stablehlo.sine %222#0 : tensor<4x6xf32>
    %225 = stablehlo.multiply %221#0, %223 : tensor<4x6xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %226 = stablehlo.reduce(%225 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_58 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %228 = stablehlo.multiply %221#0, %227 : tensor<4x6xf32>
    %229 = stablehlo.multiply %227, %223 : tensor<4x6xf32>
    %230 = stablehlo.negate %228 : tensor<4x6xf32>
    %231 = stablehlo.multiply %230, %224 : tensor<4x6xf32>
    %232 = call @selu_16(%222#1, %222#2, %222#3, %222#4, %222#5, %231) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %233 = call @selu_16(%221#1, %221#2, %221#3, %221#4, %221#5, %229) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %234 = stablehlo.add %232, %233 : tensor<4x6xf32>
    %235 = call @leaky_relu(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %236:2 = call @leaky_relu_20(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>)
    %237:2 = call @leaky_relu_20(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>)
    %238 = stablehlo.cosine %237#0 : tensor<4x6xf32>
    %239 = stablehlo.sine %237#0 : tensor<4x6xf32>
    %240 = stablehlo.multiply %236#0, %238 : tensor<4x6xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %241 = stablehlo.reduce(%240 init: %cst_59) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_60 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %243 = stablehlo.multiply %236#0, %242 : tensor<4x6xf32>
    %244 = stablehlo.multiply %242, %238 : tensor<4x6xf32>
    %245 = stablehlo.negate %243 : tensor<4x6xf32>
    %246 = stablehlo.multiply %245, %239 : tensor<4x6xf32>
    %247 = call @leaky_relu_21(%237#1, %246) : (tensor<4x6xi1>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %248 = call @leaky_relu_21(%236#1, %244) : (tensor<4x6xi1>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %249 = stablehlo.add %247, %248 : tensor<4x6xf32>
    %cst_61 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %250 = stablehlo.reduce(%arg0 init: %cst_61) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_62 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %251 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %252 = stablehlo.maximum %251, %250 : tensor<4xf32>
    %253 = stablehlo.broadcast_in_dim %252, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %254 = stablehlo.broadcast_in_dim %253, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %255 = stablehlo.subtract %arg0, %254 : tensor<4x6xf32>
    %256 = stablehlo.exponential %255 : tensor<4x6xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %257 = stablehlo.reduce(%256 init: %cst_63) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %258 = stablehlo.broadcast_in_dim %257, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %259 = stablehlo.broadcast_in_dim %258, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %260 = stablehlo.divide %256, %259 : tensor<4x6xf32>
    %cst_64 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %261 = stablehlo.reduce(%arg0 init: %cst_64) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %262 = stablehlo.reshape %261 : (tensor<4xf32>) -> tensor<4x1xf32>
    %263 = stablehlo.broadcast_in_dim %262, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %264 = stablehlo.compare EQ, %arg0, %263, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %265 = stablehlo.convert %264 : (tensor<4x6xi1>) -> tensor<4x6xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %266 = stablehlo.reduce(%265 init: %cst_65) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_66 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %267 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %268 = stablehlo.maximum %267, %261 : tensor<4xf32>
    %269 = stablehlo.compare EQ, %261, %268, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %270 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %271 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %272 = stablehlo.select %269, %270, %271 : tensor<4xi1>, tensor<4xf32>
    %cst_69 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %274 = stablehlo.compare EQ, %273, %268, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_70 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %275 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_71 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %276 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %277 = stablehlo.select %274, %275, %276 : tensor<4xi1>, tensor<4xf32>
    %278 = stablehlo.divide %272, %277 : tensor<4xf32>
    %279 = stablehlo.broadcast_in_dim %268, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %280 = stablehlo.broadcast_in_dim %279, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %281 = stablehlo.subtract %arg0, %280 : tensor<4x6xf32>
    %282 = stablehlo.exponential %281 : tensor<4x6xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.reduce(%282 init: %cst_72) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %284 = stablehlo.broadcast_in_dim %283, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %285 = stablehlo.broadcast_in_dim %284, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %286 = stablehlo.divide %282, %285 : tensor<4x6xf32>
    %287 = stablehlo.multiply %284, %284 : tensor<4x1xf32>
    %cst_73 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %288 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %289 = stablehlo.divide %288, %287 : tensor<4x1xf32>
    %cst_74 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %290 = stablehlo.reduce(%arg0 init: %cst_74) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %291 = stablehlo.reshape %290 : (tensor<4xf32>) -> tensor<4x1xf32>
    %292 = stablehlo.broadcast_in_dim %291, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %293 = stablehlo.compare EQ, %arg0, %292, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %294 = stablehlo.convert %293 : (tensor<4x6xi1>) -> tensor<4x6xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %295 = stablehlo.reduce(%294 init: %cst_75) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_76 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %297 = stablehlo.maximum %296, %290 : tensor<4xf32>
    %298 = stablehlo.compare EQ, %290, %297, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_77 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %299 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %300 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %301 = stablehlo.select %298, %299, %300 : tensor<4xi1>, tensor<4xf32>
    %cst_79 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %302 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %303 = stablehlo.compare EQ, %302, %297, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_80 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %304 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_81 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %305 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %306 = stablehlo.select %303, %304, %305 : tensor<4xi1>, tensor<4xf32>
    %307 = stablehlo.divide %301, %306 : tensor<4xf32>
    %308 = stablehlo.broadcast_in_dim %297, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %309 = stablehlo.broadcast_in_dim %308, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %310 = stablehlo.subtract %arg0, %309 : tensor<4x6xf32>
    %311 = stablehlo.exponential %310 : tensor<4x6xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %312 = stablehlo.reduce(%311 init: %cst_82) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %313 = stablehlo.broadcast_in_dim %312, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %314 = stablehlo.broadcast_in_dim %313, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %315 = stablehlo.divide %311, %314 : tensor<4x6xf32>
    %316 = stablehlo.multiply %313, %313 : tensor<4x1xf32>
    %cst_83 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %317 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %318 = stablehlo.divide %317, %316 : tensor<4x1xf32>
    %319 = stablehlo.cosine %315 : tensor<4x6xf32>
    %320 = stablehlo.sine %315 : tensor<4x6xf32>
    %321 = stablehlo.multiply %286, %319 : tensor<4x6xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %322 = stablehlo.reduce(%321 init: %cst_84) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_85 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %323 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %324 = stablehlo.multiply %286, %323 : tensor<4x6xf32>
    %325 = stablehlo.multiply %323, %319 : tensor<4x6xf32>
    %326 = stablehlo.negate %324 : tensor<4x6xf32>
    %327 = stablehlo.multiply %326, %320 : tensor<4x6xf32>
    %328 = stablehlo.broadcast_in_dim %318, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %329 = stablehlo.multiply %327, %328 : tensor<4x6xf32>
    %330 = stablehlo.multiply %329, %311 : tensor<4x6xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_86) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %332 = stablehlo.reshape %331 : (tensor<4xf32>) -> tensor<4x1xf32>
    %333 = stablehlo.negate %332 : tensor<4x1xf32>
    %334 = stablehlo.broadcast_in_dim %313, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %335 = stablehlo.divide %327, %334 : tensor<4x6xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %336 = stablehlo.reduce(%333 init: %cst_87) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %337 = stablehlo.broadcast_in_dim %336, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %338 = stablehlo.add %335, %337 : tensor<4x6xf32>
    %339 = stablehlo.multiply %338, %311 : tensor<4x6xf32>
    %340 = stablehlo.broadcast_in_dim %289, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %341 = stablehlo.multiply %325, %340 : tensor<4x6xf32>
    %342 = stablehlo.multiply %341, %282 : tensor<4x6xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %343 = stablehlo.reduce(%342 init: %cst_88) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %344 = stablehlo.reshape %343 : (tensor<4xf32>) -> tensor<4x1xf32>
    %345 = stablehlo.negate %344 : tensor<4x1xf32>
    %346 = stablehlo.broadcast_in_dim %284, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %347 = stablehlo.divide %325, %346 : tensor<4x6xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %348 = stablehlo.reduce(%345 init: %cst_89) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %349 = stablehlo.broadcast_in_dim %348, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %350 = stablehlo.add %347, %349 : tensor<4x6xf32>
    %351 = stablehlo.multiply %350, %282 : tensor<4x6xf32>
    %352 = stablehlo.add %339, %351 : tensor<4x6xf32>
    %353 = call @hard_tanh(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %354:5 = call @hard_tanh_23(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>)
    %355:5 = call @hard_tanh_23(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>)
    %356 = stablehlo.cosine %355#0 : tensor<4x6xf32>
    %357 = stablehlo.sine %355#0 : tensor<4x6xf32>
    %358 = stablehlo.multiply %354#0, %356 : tensor<4x6xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %359 = stablehlo.reduce(%358 init: %cst_90) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_91 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %360 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %361 = stablehlo.multiply %354#0, %360 : tensor<4x6xf32>
    %362 = stablehlo.multiply %360, %356 : tensor<4x6xf32>
    %363 = stablehlo.negate %361 : tensor<4x6xf32>
    %364 = stablehlo.multiply %363, %357 : tensor<4x6xf32>
    %365 = call @hard_tanh_25(%355#1, %355#2, %355#3, %355#4, %364) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %366 = call @hard_tanh_25(%354#1, %354#2, %354#3, %354#4, %362) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %367 = stablehlo.add %365, %366 : tensor<4x6xf32>
    %cst_92 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %368 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %369 = stablehlo.multiply %368, %arg0 : tensor<4x6xf32>
    %370 = stablehlo.negate %arg0 : tensor<4x6xf32>
    %cst_93 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %371 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %372 = stablehlo.multiply %370, %371 : tensor<4x6xf32>
    %373 = chlo.erfc %372 : tensor<4x6xf32> -> tensor<4x6xf32>
    %374 = stablehlo.multiply %369, %373 : tensor<4x6xf32>
    %cst_94 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %375 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %376 = stablehlo.multiply %375, %arg0 : tensor<4x6xf32>
    %377 = stablehlo.negate %arg0 : tensor<4x6xf32>
    %cst_95 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %378 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %379 = stablehlo.multiply %377, %378 : tensor<4x6xf32>
    %380 = chlo.erfc %379 : tensor<4x6xf32> -> tensor<4x6xf32>
    %381 = chlo.square %379 : tensor<4x6xf32> -> tensor<4x6xf32>
    %382 = stablehlo.negate %381 : tensor<4x6xf32>
    %383 = stablehlo.exponential %382 : tensor<4x6xf32>
    %384 = stablehlo.multiply %376, %380 : tensor<4x6xf32>
    %cst_96 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %385 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %386 = stablehlo.multiply %385, %arg0 : tensor<4x6xf32>
    %387 = stablehlo.negate %arg0 : tensor<4x6xf32>
    %cst_97 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %388 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %389 = stablehlo.multiply %387, %388 : tensor<4x6xf32>
    %390 = chlo.erfc %389 : tensor<4x6xf32> -> tensor<4x6xf32>
    %391 = chlo.square %389 : tensor<4x6xf32> -> tensor<4x6xf32>
    %392 = stablehlo.negate %391 : tensor<4x6xf32>
    %393 = stablehlo.exponential %392 : tensor<4x6xf32>
    %394 = stablehlo.multiply %386, %390 : tensor<4x6xf32>
    %395 = stablehlo.cosine %394 : tensor<4x6xf32>
    %396 = stablehlo.sine %394 : tensor<4x6xf32>
    %397 = stablehlo.multiply %384, %395 : tensor<4x6xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %398 = stablehlo.reduce(%397 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_99 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %399 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %400 = stablehlo.multiply %384, %399 : tensor<4x6xf32>
    %401 = stablehlo.multiply %399, %395 : tensor<4x6xf32>
    %402 = stablehlo.negate %400 : tensor<4x6xf32>
    %403 = stablehlo.multiply %402, %396 : tensor<4x6xf32>
    %404 = stablehlo.multiply %386, %403 : tensor<4x6xf32>
    %405 = stablehlo.multiply %403, %390 : tensor<4x6xf32>
    %cst_100 = stablehlo.constant dense<-1.12837923> : tensor<f32>
    %406 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %407 = stablehlo.multiply %406, %404 : tensor<4x6xf32>
    %408 = stablehlo.multiply %407, %393 : tensor<4x6xf32>
    %cst_101 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %409 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %410 = stablehlo.multiply %408, %409 : tensor<4x6xf32>
    %411 = stablehlo.negate %410 : tensor<4x6xf32>
    %cst_102 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %412 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %413 = stablehlo.multiply %412, %405 : tensor<4x6xf32>
    %414 = stablehlo.add %411, %413 : tensor<4x6xf32>
    %415 = stablehlo.multiply %376, %401 : tensor<4x6xf32>
    %416 = stablehlo.multiply %401, %380 : tensor<4x6xf32>
    %cst_103 = stablehlo.constant dense<-1.12837923> : tensor<f32>
    %417 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %418 = stablehlo.multiply %417, %415 : tensor<4x6xf32>
    %419 = stablehlo.multiply %418, %383 : tensor<4x6xf32>
    %cst_104 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %420 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %421 = stablehlo.multiply %419, %420 : tensor<4x6xf32>
    %422 = stablehlo.negate %421 : tensor<4x6xf32>
    %423 = stablehlo.add %414, %422 : tensor<4x6xf32>
    %cst_105 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %425 = stablehlo.multiply %424, %416 : tensor<4x6xf32>
    %426 = stablehlo.add %423, %425 : tensor<4x6xf32>
    %427 = call @mish(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %428:5 = call @mish_27(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    %429:5 = call @mish_27(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    %430 = stablehlo.cosine %429#0 : tensor<4x6xf32>
    %431 = stablehlo.sine %429#0 : tensor<4x6xf32>
    %432 = stablehlo.multiply %428#0, %430 : tensor<4x6xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %433 = stablehlo.reduce(%432 init: %cst_106) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_107 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %434 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %435 = stablehlo.multiply %428#0, %434 : tensor<4x6xf32>
    %436 = stablehlo.multiply %434, %430 : tensor<4x6xf32>
    %437 = stablehlo.negate %435 : tensor<4x6xf32>
    %438 = stablehlo.multiply %437, %431 : tensor<4x6xf32>
    %439 = call @mish_29(%429#1, %429#2, %429#3, %429#4, %arg0, %438) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %440 = call @mish_29(%428#1, %428#2, %428#3, %428#4, %arg0, %436) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %441 = stablehlo.add %439, %440 : tensor<4x6xf32>
    %442 = call @glu(%arg0) : (tensor<4x6xf32>) -> tensor<4x3xf32>
    %443:4 = call @glu_31(%arg0) : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
    %444:4 = call @glu_31(%arg0) : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
    %445 = stablehlo.cosine %444#0 : tensor<4x3xf32>
    %446 = stablehlo.sine %444#0 : tensor<4x3xf32>
    %447 = stablehlo.multiply %443#0, %445 : tensor<4x3xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %448 = stablehlo.reduce(%447 init: %cst_108) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_109 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %449 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %450 = stablehlo.multiply %443#0, %449 : tensor<4x3xf32>
    %451 = stablehlo.multiply %449, %445 : tensor<4x3xf32>
    %452 = stablehlo.negate %450 : tensor<4x3xf32>
    %453 = stablehlo.multiply %452, %446 : tensor<4x3xf32>
    %454 = call @glu_32(%444#1, %444#2, %444#3, %453) : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
    %455 = call @glu_32(%443#1, %443#2, %443#3, %451) : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
    %456 = stablehlo.add %454, %455 : tensor<4x6xf32>
    return %0, %22, %23, %51, %57, %87, %88, %102, %103, %117, %130, %204, %205, %219, %220, %234, %235, %249, %260, %352, %353, %367, %374, %426, %427, %441, %442, %456 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x6xf32>
  }
  func.func private @relu(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @relu6(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.minimum %1, %2 : tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
  func.func private @softplus(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x6xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<4x6xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<4x6xf32>
    %7 = stablehlo.abs %3 : tensor<4x6xf32>
    %8 = stablehlo.negate %7 : tensor<4x6xf32>
    %9 = stablehlo.exponential %8 : tensor<4x6xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<4x6xf32>
    %11 = stablehlo.add %1, %10 : tensor<4x6xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<4x6xi1>, tensor<4x6xf32>
    return %12 : tensor<4x6xf32>
  }
  func.func private @softplus_0(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x6xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<4x6xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<4x6xf32>
    %7 = stablehlo.abs %3 : tensor<4x6xf32>
    %8 = stablehlo.negate %7 : tensor<4x6xf32>
    %9 = stablehlo.exponential %8 : tensor<4x6xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<4x6xf32>
    %11 = stablehlo.add %1, %10 : tensor<4x6xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %14 = stablehlo.compare EQ, %arg0, %13, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %16 = stablehlo.select %14, %15, %arg0 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %18 = stablehlo.compare EQ, %12, %17, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %20 = stablehlo.select %18, %19, %12 : tensor<4x6xi1>, tensor<4x6xf32>
    %21 = stablehlo.subtract %16, %20 : tensor<4x6xf32>
    %22 = stablehlo.exponential %21 : tensor<4x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %23 = stablehlo.compare EQ, %cst_4, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.select %23, %cst_7, %cst_6 : tensor<i1>, tensor<f32>
    %cst_8 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %26 = stablehlo.compare EQ, %12, %25, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %28 = stablehlo.select %26, %27, %12 : tensor<4x6xi1>, tensor<4x6xf32>
    %29 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %30 = stablehlo.subtract %29, %28 : tensor<4x6xf32>
    %31 = stablehlo.exponential %30 : tensor<4x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %33 = stablehlo.multiply %32, %31 : tensor<4x6xf32>
    return %12, %22, %33 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @softplus_1(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.multiply %arg2, %arg0 : tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  func.func private @silu(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4x6xf32>
    %1 = stablehlo.exponential %0 : tensor<4x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.add %2, %1 : tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %5 = stablehlo.divide %4, %3 : tensor<4x6xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<4x6xf32>
    return %6 : tensor<4x6xf32>
  }
  func.func private @silu_2(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<4x6xf32>
    %1 = stablehlo.exponential %0 : tensor<4x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.add %2, %1 : tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %5 = stablehlo.divide %4, %3 : tensor<4x6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<4x6xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<4x6xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<4x6xf32>
    return %9, %8, %5 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @silu_3(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>, %arg3: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<4x6xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<4x6xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<4x6xf32>
    %3 = stablehlo.add %1, %2 : tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
  func.func private @elu(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<4x6xi1>, tensor<f32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.exponential_minus_one %4 : tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<4x6xf32>
    %8 = call @_where_4(%1, %arg0, %7) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %8 : tensor<4x6xf32>
  }
  func.func private @_where(%arg0: tensor<4x6xi1>, %arg1: tensor<f32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %2 : tensor<4x6xf32>
  }
  func.func private @_where_4(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  func.func private @elu_5(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4:2 = call @_where_6(%3, %cst_1, %arg0) : (tensor<4x6xi1>, tensor<f32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    %5 = stablehlo.exponential_minus_one %4#0 : tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %7 = stablehlo.add %5, %6 : tensor<4x6xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %9 = stablehlo.multiply %8, %5 : tensor<4x6xf32>
    %10 = call @_where_7(%1, %arg0, %9) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %10, %3, %4#1, %7, %1 : tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi1>
  }
  func.func private @_where_6(%arg0: tensor<4x6xi1>, %arg1: tensor<f32>, %arg2: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    return %2, %3 : tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @_where_7(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  func.func private @elu_8(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>, %arg3: tensor<4x6xi1>, %arg4: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0:2 = call @_where_9(%arg3, %arg4) : (tensor<4x6xi1>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.multiply %1, %0#1 : tensor<4x6xf32>
    %3 = stablehlo.multiply %2, %arg2 : tensor<4x6xf32>
    %4 = call @_where_10(%arg0, %arg1, %3) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.add %0#0, %4 : tensor<4x6xf32>
    return %5 : tensor<4x6xf32>
  }
  func.func private @_where_9(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.select %arg0, %0, %arg1 : tensor<4x6xi1>, tensor<4x6xf32>
    %2 = stablehlo.select %arg0, %arg1, %0 : tensor<4x6xi1>, tensor<4x6xf32>
    return %2, %1 : tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @_where_10(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @selu(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<1.67326319> : tensor<f32>
    %0 = call @elu_11(%arg0, %cst) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<1.05070102> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<4x6xf32>
    return %2 : tensor<4x6xf32>
  }
  func.func private @elu_11(%arg0: tensor<4x6xf32>, %arg1: tensor<f32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<4x6xi1>, tensor<f32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.exponential_minus_one %4 : tensor<4x6xf32>
    %6 = stablehlo.convert %arg1 : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<4x6xf32>
    %9 = call @_where_4(%1, %arg0, %8) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %9 : tensor<4x6xf32>
  }
  func.func private @selu_12(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>) {
    %cst = stablehlo.constant dense<1.67326319> : tensor<f32>
    %0:6 = call @elu_13(%arg0, %cst) : (tensor<4x6xf32>, tensor<f32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>)
    %cst_0 = stablehlo.constant dense<1.05070102> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.multiply %1, %0#0 : tensor<4x6xf32>
    return %2, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>
  }
  func.func private @elu_13(%arg0: tensor<4x6xf32>, %arg1: tensor<f32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4:2 = call @_where_14(%3, %cst_1, %arg0) : (tensor<4x6xi1>, tensor<f32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    %5 = stablehlo.exponential_minus_one %4#0 : tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %7 = stablehlo.add %5, %6 : tensor<4x6xf32>
    %8 = stablehlo.convert %arg1 : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %10 = stablehlo.multiply %9, %5 : tensor<4x6xf32>
    %11 = call @_where_15(%1, %arg0, %10) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %11, %3, %4#1, %7, %8, %1 : tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>
  }
  func.func private @_where_14(%arg0: tensor<4x6xi1>, %arg1: tensor<f32>, %arg2: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    return %2, %3 : tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @_where_15(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  func.func private @selu_16(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>, %arg3: tensor<f32>, %arg4: tensor<4x6xi1>, %arg5: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<1.05070102> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.multiply %0, %arg5 : tensor<4x6xf32>
    %2 = call @elu_17(%arg0, %arg1, %arg2, %arg3, %arg4, %1) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xi1>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %2 : tensor<4x6xf32>
  }
  func.func private @elu_17(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>, %arg3: tensor<f32>, %arg4: tensor<4x6xi1>, %arg5: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0:2 = call @_where_18(%arg4, %arg5) : (tensor<4x6xi1>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.multiply %1, %0#1 : tensor<4x6xf32>
    %3 = stablehlo.multiply %2, %arg2 : tensor<4x6xf32>
    %4 = call @_where_19(%arg0, %arg1, %3) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.add %0#0, %4 : tensor<4x6xf32>
    return %5 : tensor<4x6xf32>
  }
  func.func private @_where_18(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.select %arg0, %0, %arg1 : tensor<4x6xi1>, tensor<4x6xf32>
    %2 = stablehlo.select %arg0, %arg1, %0 : tensor<4x6xi1>, tensor<4x6xf32>
    return %2, %1 : tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @_where_19(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @leaky_relu(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<4x6xf32>
    %4 = call @_where_4(%1, %arg0, %3) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %4 : tensor<4x6xf32>
  }
  func.func private @leaky_relu_20(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<4x6xf32>
    %4 = call @_where_7(%1, %arg0, %3) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %4, %1 : tensor<4x6xf32>, tensor<4x6xi1>
  }
  func.func private @leaky_relu_21(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0:2 = call @_where_9(%arg0, %arg1) : (tensor<4x6xi1>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    %cst = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.multiply %1, %0#1 : tensor<4x6xf32>
    %3 = stablehlo.add %0#0, %2 : tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
  func.func private @hard_tanh(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = call @_where_22(%3, %c, %arg0) : (tensor<4x6xi1>, tensor<i32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %5 = call @_where_22(%1, %c_1, %4) : (tensor<4x6xi1>, tensor<i32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %5 : tensor<4x6xf32>
  }
  func.func private @_where_22(%arg0: tensor<4x6xi1>, %arg1: tensor<i32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %2 : tensor<4x6xf32>
  }
  func.func private @hard_tanh_23(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4:2 = call @_where_24(%3, %c, %arg0) : (tensor<4x6xi1>, tensor<i32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %5:2 = call @_where_24(%1, %c_1, %4#0) : (tensor<4x6xi1>, tensor<i32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    return %5#0, %3, %4#1, %1, %5#1 : tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>
  }
  func.func private @_where_24(%arg0: tensor<4x6xi1>, %arg1: tensor<i32>, %arg2: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    return %2, %3 : tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @hard_tanh_25(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xi1>, %arg3: tensor<4x6xf32>, %arg4: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = call @_where_26(%arg2, %arg3, %arg4) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = call @_where_26(%arg0, %arg1, %0) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @_where_26(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @mish(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = call @softplus(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.tanh %0 : tensor<4x6xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<4x6xf32>
    return %2 : tensor<4x6xf32>
  }
  func.func private @mish_27(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %0:3 = call @softplus_28(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    %1 = stablehlo.tanh %0#0 : tensor<4x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<4x6xf32>
    %4 = stablehlo.multiply %arg0, %1 : tensor<4x6xf32>
    return %4, %0#1, %0#2, %1, %3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @softplus_28(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x6xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<4x6xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<4x6xf32>
    %7 = stablehlo.abs %3 : tensor<4x6xf32>
    %8 = stablehlo.negate %7 : tensor<4x6xf32>
    %9 = stablehlo.exponential %8 : tensor<4x6xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<4x6xf32>
    %11 = stablehlo.add %1, %10 : tensor<4x6xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %14 = stablehlo.compare EQ, %arg0, %13, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %16 = stablehlo.select %14, %15, %arg0 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %18 = stablehlo.compare EQ, %12, %17, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %20 = stablehlo.select %18, %19, %12 : tensor<4x6xi1>, tensor<4x6xf32>
    %21 = stablehlo.subtract %16, %20 : tensor<4x6xf32>
    %22 = stablehlo.exponential %21 : tensor<4x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %23 = stablehlo.compare EQ, %cst_4, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.select %23, %cst_7, %cst_6 : tensor<i1>, tensor<f32>
    %cst_8 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %26 = stablehlo.compare EQ, %12, %25, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %28 = stablehlo.select %26, %27, %12 : tensor<4x6xi1>, tensor<4x6xf32>
    %29 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %30 = stablehlo.subtract %29, %28 : tensor<4x6xf32>
    %31 = stablehlo.exponential %30 : tensor<4x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %33 = stablehlo.multiply %32, %31 : tensor<4x6xf32>
    return %12, %22, %33 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @mish_29(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>, %arg3: tensor<4x6xf32>, %arg4: tensor<4x6xf32>, %arg5: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.multiply %arg4, %arg5 : tensor<4x6xf32>
    %1 = stablehlo.multiply %arg5, %arg2 : tensor<4x6xf32>
    %2 = stablehlo.multiply %0, %arg3 : tensor<4x6xf32>
    %3 = stablehlo.multiply %2, %arg2 : tensor<4x6xf32>
    %4 = stablehlo.add %2, %3 : tensor<4x6xf32>
    %5 = call @softplus_30(%arg0, %arg1, %4) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %6 = stablehlo.add %1, %5 : tensor<4x6xf32>
    return %6 : tensor<4x6xf32>
  }
  func.func private @softplus_30(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.multiply %arg2, %arg0 : tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  func.func private @glu(%arg0: tensor<4x6xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.slice %arg0 [0:4, 0:3] : (tensor<4x6xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.slice %arg0 [0:4, 3:6] : (tensor<4x6xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.negate %1 : tensor<4x3xf32>
    %3 = stablehlo.exponential %2 : tensor<4x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %5 = stablehlo.add %4, %3 : tensor<4x3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %7 = stablehlo.divide %6, %5 : tensor<4x3xf32>
    %8 = stablehlo.multiply %0, %7 : tensor<4x3xf32>
    return %8 : tensor<4x3xf32>
  }
  func.func private @glu_31(%arg0: tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
    %0 = stablehlo.slice %arg0 [0:4, 0:3] : (tensor<4x6xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.slice %arg0 [0:4, 3:6] : (tensor<4x6xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.negate %1 : tensor<4x3xf32>
    %3 = stablehlo.exponential %2 : tensor<4x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %5 = stablehlo.add %4, %3 : tensor<4x3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %7 = stablehlo.divide %6, %5 : tensor<4x3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %9 = stablehlo.subtract %8, %7 : tensor<4x3xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<4x3xf32>
    %11 = stablehlo.multiply %0, %7 : tensor<4x3xf32>
    return %11, %10, %7, %0 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
  }
  func.func private @glu_32(%arg0: tensor<4x3xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<4x3xf32>, %arg3: tensor<4x3xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<4x3xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<4x3xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<4x3xf32>
    %3 = stablehlo.concatenate %1, %2, dim = 1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
}
