module @jit_special_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<12xf32>) -> (tensor<12xf32> {jax.result_info = "result[0]"}, tensor<12xf32> {jax.result_info = "result[1]"}, tensor<12xf32> {jax.result_info = "result[2]"}, tensor<12xf32> {jax.result_info = "result[3]"}, tensor<12xf32> {jax.result_info = "result[4]"}, tensor<12xf32> {jax.result_info = "result[5]"}, tensor<12xf32> {jax.result_info = "result[6]"}, tensor<12xf32> {jax.result_info = "result[7]"}, tensor<12xf32> {jax.result_info = "result[8]"}, tensor<f32> {jax.result_info = "result[9]"}, tensor<12xf32> {jax.result_info = "result[10]"}, tensor<12xf32> {jax.result_info = "result[11]"}, tensor<12xf32> {jax.result_info = "result[12]"}, tensor<12xf32> {jax.result_info = "result[13]"}, tensor<12xf32> {jax.result_info = "result[14]"}) {
    %0 = chlo.erf %arg0 : tensor<12xf32> -> tensor<12xf32>
    %1 = chlo.erfc %arg0 : tensor<12xf32> -> tensor<12xf32>
    %2 = chlo.erf_inv %arg1 : tensor<12xf32> -> tensor<12xf32>
    %3 = chlo.lgamma %arg2 : tensor<12xf32> -> tensor<12xf32>
    %4 = chlo.lgamma %arg0 : tensor<12xf32> -> tensor<12xf32>
    %5 = chlo.digamma %arg2 : tensor<12xf32> -> tensor<12xf32>
    %6 = stablehlo.abs %arg1 : tensor<12xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.subtract %7, %6 : tensor<12xf32>
    %9 = stablehlo.divide %6, %8 : tensor<12xf32>
    %10 = stablehlo.log %9 : tensor<12xf32>
    %cst_0 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %12 = stablehlo.multiply %arg0, %11 : tensor<12xf32>
    %13 = stablehlo.abs %12 : tensor<12xf32>
    %cst_1 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %15 = stablehlo.compare LT, %13, %14, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %16 = chlo.erf %12 : tensor<12xf32> -> tensor<12xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %18 = stablehlo.add %17, %16 : tensor<12xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %20 = stablehlo.compare GT, %12, %19, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %21 = chlo.erfc %13 : tensor<12xf32> -> tensor<12xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %23 = stablehlo.subtract %22, %21 : tensor<12xf32>
    %24 = chlo.erfc %13 : tensor<12xf32> -> tensor<12xf32>
    %25 = stablehlo.select %20, %23, %24 : tensor<12xi1>, tensor<12xf32>
    %26 = stablehlo.select %15, %18, %25 : tensor<12xi1>, tensor<12xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %28 = stablehlo.multiply %27, %26 : tensor<12xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %30 = stablehlo.compare NE, %arg0, %29, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %31 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %32 = stablehlo.or %30, %31 : tensor<12xi1>
    %33 = stablehlo.log %arg2 : tensor<12xf32>
    %34 = stablehlo.multiply %arg0, %33 : tensor<12xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %36 = call @_where(%32, %34, %35) : (tensor<12xi1>, tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %37 = stablehlo.reduce(%arg0 init: %cst_8) applies stablehlo.maximum across dimensions = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %38 = stablehlo.maximum %cst_9, %37 : tensor<f32>
    %39 = stablehlo.is_finite %38 : (tensor<f32>) -> tensor<i1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.select %39, %38, %cst_10 : tensor<i1>, tensor<f32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0] : (tensor<1xf32>) -> tensor<12xf32>
    %43 = stablehlo.subtract %arg0, %42 : tensor<12xf32>
    %44 = stablehlo.exponential %43 : tensor<12xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<f32>
    %46 = stablehlo.sign %45 : tensor<f32>
    %47 = stablehlo.abs %45 : tensor<f32>
    %48 = stablehlo.log %47 : tensor<f32>
    %49 = stablehlo.add %48, %40 : tensor<f32>
    %50 = stablehlo.maximum %arg0, %arg1 : tensor<12xf32>
    %51 = stablehlo.subtract %arg0, %arg1 : tensor<12xf32>
    %52 = stablehlo.compare NE, %51, %51, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %53 = stablehlo.add %arg0, %arg1 : tensor<12xf32>
    %54 = stablehlo.abs %51 : tensor<12xf32>
    %55 = stablehlo.negate %54 : tensor<12xf32>
    %56 = stablehlo.exponential %55 : tensor<12xf32>
    %57 = stablehlo.log_plus_one %56 : tensor<12xf32>
    %58 = stablehlo.add %50, %57 : tensor<12xf32>
    %59 = stablehlo.select %52, %53, %58 : tensor<12xi1>, tensor<12xf32>
    %60 = call @sinc(%arg0) : (tensor<12xf32>) -> tensor<12xf32>
    %61 = stablehlo.abs %arg0 : tensor<12xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_14 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %65 = stablehlo.multiply %62, %61 : tensor<12xf32>
    %66 = stablehlo.subtract %65, %63 : tensor<12xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %70 = stablehlo.multiply %66, %67 : tensor<12xf32>
    %71 = stablehlo.subtract %70, %68 : tensor<12xf32>
    %cst_18 = stablehlo.constant dense<-1.30002498E-8> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %73 = stablehlo.add %71, %72 : tensor<12xf32>
    %74 = stablehlo.multiply %66, %73 : tensor<12xf32>
    %75 = stablehlo.subtract %74, %67 : tensor<12xf32>
    %cst_19 = stablehlo.constant dense<6.04699508E-8> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %77 = stablehlo.add %75, %76 : tensor<12xf32>
    %78 = stablehlo.multiply %66, %77 : tensor<12xf32>
    %79 = stablehlo.subtract %78, %73 : tensor<12xf32>
    %cst_20 = stablehlo.constant dense<-2.67079372E-7> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %81 = stablehlo.add %79, %80 : tensor<12xf32>
    %82 = stablehlo.multiply %66, %81 : tensor<12xf32>
    %83 = stablehlo.subtract %82, %77 : tensor<12xf32>
    %cst_21 = stablehlo.constant dense<1.11738757E-6> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %85 = stablehlo.add %83, %84 : tensor<12xf32>
    %86 = stablehlo.multiply %66, %85 : tensor<12xf32>
    %87 = stablehlo.subtract %86, %81 : tensor<12xf32>
    %cst_22 = stablehlo.constant dense<-4.41673819E-6> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %89 = stablehlo.add %87, %88 : tensor<12xf32>
    %90 = stablehlo.multiply %66, %89 : tensor<12xf32>
    %91 = stablehlo.subtract %90, %85 : tensor<12xf32>
    %cst_23 = stablehlo.constant dense<1.64484482E-5> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %93 = stablehlo.add %91, %92 : tensor<12xf32>
    %94 = stablehlo.multiply %66, %93 : tensor<12xf32>
    %95 = stablehlo.subtract %94, %89 : tensor<12xf32>
    %cst_24 = stablehlo.constant dense<-5.75419508E-5> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %97 = stablehlo.add %95, %96 : tensor<12xf32>
    %98 = stablehlo.multiply %66, %97 : tensor<12xf32>
    %99 = stablehlo.subtract %98, %93 : tensor<12xf32>
    %cst_25 = stablehlo.constant dense<1.88502891E-4> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %101 = stablehlo.add %99, %100 : tensor<12xf32>
    %102 = stablehlo.multiply %66, %101 : tensor<12xf32>
    %103 = stablehlo.subtract %102, %97 : tensor<12xf32>
    %cst_26 = stablehlo.constant dense<-5.76375576E-4> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %105 = stablehlo.add %103, %104 : tensor<12xf32>
    %106 = stablehlo.multiply %66, %105 : tensor<12xf32>
    %107 = stablehlo.subtract %106, %101 : tensor<12xf32>
    %cst_27 = stablehlo.constant dense<0.00163947558> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %109 = stablehlo.add %107, %108 : tensor<12xf32>
    %110 = stablehlo.multiply %66, %109 : tensor<12xf32>
    %111 = stablehlo.subtract %110, %105 : tensor<12xf32>
    %cst_28 = stablehlo.constant dense<-4.324310e-03> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %113 = stablehlo.add %111, %112 : tensor<12xf32>
    %114 = stablehlo.multiply %66, %113 : tensor<12xf32>
    %115 = stablehlo.subtract %114, %109 : tensor<12xf32>
    %cst_29 = stablehlo.constant dense<0.0105464607> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %117 = stablehlo.add %115, %116 : tensor<12xf32>
    %118 = stablehlo.multiply %66, %117 : tensor<12xf32>
    %119 = stablehlo.subtract %118, %113 : tensor<12xf32>
    %cst_30 = stablehlo.constant dense<-0.0237374157> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %121 = stablehlo.add %119, %120 : tensor<12xf32>
    %122 = stablehlo.multiply %66, %121 : tensor<12xf32>
    %123 = stablehlo.subtract %122, %117 : tensor<12xf32>
    %cst_31 = stablehlo.constant dense<0.0493052825> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %125 = stablehlo.add %123, %124 : tensor<12xf32>
    %126 = stablehlo.multiply %66, %125 : tensor<12xf32>
    %127 = stablehlo.subtract %126, %121 : tensor<12xf32>
    %cst_32 = stablehlo.constant dense<-9.490110e-02> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %129 = stablehlo.add %127, %128 : tensor<12xf32>
    %130 = stablehlo.multiply %66, %129 : tensor<12xf32>
    %131 = stablehlo.subtract %130, %125 : tensor<12xf32>
    %cst_33 = stablehlo.constant dense<0.171620905> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %133 = stablehlo.add %131, %132 : tensor<12xf32>
    %134 = stablehlo.multiply %66, %133 : tensor<12xf32>
    %135 = stablehlo.subtract %134, %129 : tensor<12xf32>
    %cst_34 = stablehlo.constant dense<-0.304682672> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %137 = stablehlo.add %135, %136 : tensor<12xf32>
    %138 = stablehlo.multiply %66, %137 : tensor<12xf32>
    %139 = stablehlo.subtract %138, %133 : tensor<12xf32>
    %cst_35 = stablehlo.constant dense<0.676795303> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %141 = stablehlo.add %139, %140 : tensor<12xf32>
    %142 = stablehlo.subtract %141, %133 : tensor<12xf32>
    %cst_36 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %144 = stablehlo.multiply %143, %142 : tensor<12xf32>
    %145 = stablehlo.divide %64, %61 : tensor<12xf32>
    %146 = stablehlo.subtract %145, %63 : tensor<12xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %150 = stablehlo.multiply %146, %147 : tensor<12xf32>
    %151 = stablehlo.subtract %150, %148 : tensor<12xf32>
    %cst_40 = stablehlo.constant dense<3.39623196E-9> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %153 = stablehlo.add %151, %152 : tensor<12xf32>
    %154 = stablehlo.multiply %146, %153 : tensor<12xf32>
    %155 = stablehlo.subtract %154, %147 : tensor<12xf32>
    %cst_41 = stablehlo.constant dense<2.26666899E-8> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %157 = stablehlo.add %155, %156 : tensor<12xf32>
    %158 = stablehlo.multiply %146, %157 : tensor<12xf32>
    %159 = stablehlo.subtract %158, %153 : tensor<12xf32>
    %cst_42 = stablehlo.constant dense<2.04891862E-7> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %161 = stablehlo.add %159, %160 : tensor<12xf32>
    %162 = stablehlo.multiply %146, %161 : tensor<12xf32>
    %163 = stablehlo.subtract %162, %157 : tensor<12xf32>
    %cst_43 = stablehlo.constant dense<2.89137051E-6> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %165 = stablehlo.add %163, %164 : tensor<12xf32>
    %166 = stablehlo.multiply %146, %165 : tensor<12xf32>
    %167 = stablehlo.subtract %166, %161 : tensor<12xf32>
    %cst_44 = stablehlo.constant dense<6.88975852E-5> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %169 = stablehlo.add %167, %168 : tensor<12xf32>
    %170 = stablehlo.multiply %146, %169 : tensor<12xf32>
    %171 = stablehlo.subtract %170, %165 : tensor<12xf32>
    %cst_45 = stablehlo.constant dense<0.00336911646> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %173 = stablehlo.add %171, %172 : tensor<12xf32>
    %174 = stablehlo.multiply %146, %173 : tensor<12xf32>
    %175 = stablehlo.subtract %174, %169 : tensor<12xf32>
    %cst_46 = stablehlo.constant dense<0.804490387> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %177 = stablehlo.add %175, %176 : tensor<12xf32>
    %178 = stablehlo.subtract %177, %169 : tensor<12xf32>
    %cst_47 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %180 = stablehlo.multiply %179, %178 : tensor<12xf32>
    %181 = stablehlo.sqrt %61 : tensor<12xf32>
    %182 = stablehlo.divide %180, %181 : tensor<12xf32>
    %cst_48 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %184 = stablehlo.compare LE, %61, %183, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %185 = stablehlo.select %184, %144, %182 : tensor<12xi1>, tensor<12xf32>
    %186 = stablehlo.reverse %arg2, dims = [0] : tensor<12xf32>
    %187 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %188 = stablehlo.compare NE, %186, %186, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %189 = stablehlo.or %187, %188 : tensor<12xi1>
    %cst_49 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %191 = stablehlo.compare EQ, %186, %190, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %193 = stablehlo.compare EQ, %arg2, %192, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %194 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %195 = stablehlo.compare EQ, %186, %194, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %197 = stablehlo.compare LT, %186, %196, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %199 = stablehlo.compare LT, %arg2, %198, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %200 = stablehlo.and %193, %195 : tensor<12xi1>
    %201 = stablehlo.or %197, %199 : tensor<12xi1>
    %202 = stablehlo.or %201, %200 : tensor<12xi1>
    %203 = stablehlo.or %202, %189 : tensor<12xi1>
    %cst_54 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %205 = stablehlo.compare GE, %186, %204, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %206 = stablehlo.compare GT, %186, %arg2, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %207 = stablehlo.and %205, %206 : tensor<12xi1>
    %208 = stablehlo.log %186 : tensor<12xf32>
    %209 = stablehlo.multiply %arg2, %208 : tensor<12xf32>
    %210 = stablehlo.subtract %209, %186 : tensor<12xf32>
    %211 = chlo.lgamma %arg2 : tensor<12xf32> -> tensor<12xf32>
    %212 = stablehlo.subtract %210, %211 : tensor<12xf32>
    %cst_55 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %213 = stablehlo.log %cst_55 : tensor<f32>
    %214 = stablehlo.negate %213 : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %216 = stablehlo.compare LT, %212, %215, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %217 = stablehlo.exponential %212 : tensor<12xf32>
    %218 = stablehlo.or %195, %203 : tensor<12xi1>
    %219 = stablehlo.or %218, %216 : tensor<12xi1>
    %220 = stablehlo.or %219, %191 : tensor<12xi1>
    %221 = stablehlo.not %220 : tensor<12xi1>
    %222 = stablehlo.and %221, %207 : tensor<12xi1>
    %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %224 = stablehlo.subtract %223, %arg2 : tensor<12xf32>
    %225 = stablehlo.add %186, %224 : tensor<12xf32>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %227 = stablehlo.add %225, %226 : tensor<12xf32>
    %cst_58 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_59 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %230 = stablehlo.add %186, %229 : tensor<12xf32>
    %231 = stablehlo.multiply %227, %186 : tensor<12xf32>
    %232 = stablehlo.divide %230, %231 : tensor<12xf32>
    %cst_60 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %235 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %237 = stablehlo.negate %186 : tensor<12xf32>
    %238 = stablehlo.multiply %232, %237 : tensor<12xf32>
    %239 = stablehlo.subtract %236, %238 : tensor<12xf32>
    %240 = stablehlo.divide %239, %231 : tensor<12xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %241:15 = stablehlo.while(%iterArg = %222, %iterArg_77 = %232, %iterArg_78 = %233, %iterArg_79 = %224, %iterArg_80 = %227, %iterArg_81 = %cst_64, %iterArg_82 = %230, %iterArg_83 = %231, %iterArg_84 = %228, %iterArg_85 = %186, %iterArg_86 = %234, %iterArg_87 = %235, %iterArg_88 = %236, %iterArg_89 = %237, %iterArg_90 = %240) : tensor<12xi1>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<f32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    cond {
      %cst_91 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %273 = stablehlo.compare LT, %iterArg_81, %cst_91, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %274 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<12xi1>, tensor<i1>) -> tensor<i1>
      %275 = stablehlo.and %273, %274 : tensor<i1>
      stablehlo.return %275 : tensor<i1>
    } do {
      %cst_91 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %273 = stablehlo.add %iterArg_81, %cst_91 : tensor<f32>
      %cst_92 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %274 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %275 = stablehlo.add %iterArg_79, %274 : tensor<12xf32>
      %cst_93 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %276 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %277 = stablehlo.add %iterArg_80, %276 : tensor<12xf32>
      %278 = stablehlo.broadcast_in_dim %273, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %279 = stablehlo.multiply %275, %278 : tensor<12xf32>
      %280 = stablehlo.multiply %iterArg_82, %277 : tensor<12xf32>
      %281 = stablehlo.multiply %iterArg_84, %279 : tensor<12xf32>
      %282 = stablehlo.subtract %280, %281 : tensor<12xf32>
      %283 = stablehlo.multiply %iterArg_83, %277 : tensor<12xf32>
      %284 = stablehlo.multiply %iterArg_85, %279 : tensor<12xf32>
      %285 = stablehlo.subtract %283, %284 : tensor<12xf32>
      %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %286 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %287 = stablehlo.compare NE, %285, %286, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %288 = stablehlo.divide %282, %285 : tensor<12xf32>
      %289 = stablehlo.subtract %iterArg_77, %288 : tensor<12xf32>
      %290 = stablehlo.divide %289, %288 : tensor<12xf32>
      %291 = stablehlo.abs %290 : tensor<12xf32>
      %cst_95 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %292 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %293 = stablehlo.select %287, %291, %292 : tensor<12xi1>, tensor<12xf32>
      %294 = stablehlo.select %287, %288, %iterArg_77 : tensor<12xi1>, tensor<12xf32>
      %295 = stablehlo.multiply %iterArg_88, %277 : tensor<12xf32>
      %296 = stablehlo.subtract %295, %iterArg_82 : tensor<12xf32>
      %297 = stablehlo.multiply %iterArg_86, %279 : tensor<12xf32>
      %298 = stablehlo.subtract %296, %297 : tensor<12xf32>
      %299 = stablehlo.broadcast_in_dim %273, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %300 = stablehlo.multiply %iterArg_84, %299 : tensor<12xf32>
      %301 = stablehlo.add %298, %300 : tensor<12xf32>
      %302 = stablehlo.multiply %iterArg_89, %277 : tensor<12xf32>
      %303 = stablehlo.subtract %302, %iterArg_83 : tensor<12xf32>
      %304 = stablehlo.multiply %iterArg_87, %279 : tensor<12xf32>
      %305 = stablehlo.subtract %303, %304 : tensor<12xf32>
      %306 = stablehlo.broadcast_in_dim %273, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %307 = stablehlo.multiply %iterArg_85, %306 : tensor<12xf32>
      %308 = stablehlo.add %305, %307 : tensor<12xf32>
      %309 = stablehlo.multiply %294, %308 : tensor<12xf32>
      %310 = stablehlo.subtract %301, %309 : tensor<12xf32>
      %311 = stablehlo.divide %310, %285 : tensor<12xf32>
      %312 = stablehlo.select %287, %311, %iterArg_90 : tensor<12xi1>, tensor<12xf32>
      %313 = stablehlo.subtract %312, %iterArg_90 : tensor<12xf32>
      %314 = stablehlo.abs %313 : tensor<12xf32>
      %cst_96 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %315 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %316 = stablehlo.select %287, %314, %315 : tensor<12xi1>, tensor<12xf32>
      %317 = stablehlo.abs %282 : tensor<12xf32>
      %cst_97 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_98 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %318 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<f32>
      %319 = stablehlo.divide %318, %cst_97 : tensor<f32>
      %320 = stablehlo.broadcast_in_dim %319, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %321 = stablehlo.compare GT, %317, %320, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %cst_99 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %322 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %323 = stablehlo.multiply %iterArg_82, %322 : tensor<12xf32>
      %324 = stablehlo.select %321, %323, %iterArg_82 : tensor<12xi1>, tensor<12xf32>
      %cst_100 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %325 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %326 = stablehlo.multiply %282, %325 : tensor<12xf32>
      %327 = stablehlo.select %321, %326, %282 : tensor<12xi1>, tensor<12xf32>
      %cst_101 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %328 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %329 = stablehlo.multiply %iterArg_83, %328 : tensor<12xf32>
      %330 = stablehlo.select %321, %329, %iterArg_83 : tensor<12xi1>, tensor<12xf32>
      %cst_102 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %331 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %332 = stablehlo.multiply %285, %331 : tensor<12xf32>
      %333 = stablehlo.select %321, %332, %285 : tensor<12xi1>, tensor<12xf32>
      %cst_103 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %334 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %335 = stablehlo.multiply %iterArg_88, %334 : tensor<12xf32>
      %336 = stablehlo.select %321, %335, %iterArg_88 : tensor<12xi1>, tensor<12xf32>
      %cst_104 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %337 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %338 = stablehlo.multiply %iterArg_89, %337 : tensor<12xf32>
      %339 = stablehlo.select %321, %338, %iterArg_89 : tensor<12xi1>, tensor<12xf32>
      %cst_105 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %340 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %341 = stablehlo.multiply %301, %340 : tensor<12xf32>
      %342 = stablehlo.select %321, %341, %301 : tensor<12xi1>, tensor<12xf32>
      %cst_106 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %343 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %344 = stablehlo.multiply %308, %343 : tensor<12xf32>
      %345 = stablehlo.select %321, %344, %308 : tensor<12xi1>, tensor<12xf32>
      %cst_107 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %346 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %347 = stablehlo.compare GT, %293, %346, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %348 = stablehlo.and %iterArg, %347 : tensor<12xi1>
      %349 = stablehlo.select %iterArg, %294, %iterArg_77 : tensor<12xi1>, tensor<12xf32>
      %350 = stablehlo.select %iterArg, %293, %iterArg_78 : tensor<12xi1>, tensor<12xf32>
      %351 = stablehlo.select %iterArg, %275, %iterArg_79 : tensor<12xi1>, tensor<12xf32>
      %352 = stablehlo.select %iterArg, %277, %iterArg_80 : tensor<12xi1>, tensor<12xf32>
      %353 = stablehlo.select %iterArg, %327, %iterArg_82 : tensor<12xi1>, tensor<12xf32>
      %354 = stablehlo.select %iterArg, %333, %iterArg_83 : tensor<12xi1>, tensor<12xf32>
      %355 = stablehlo.select %iterArg, %324, %iterArg_84 : tensor<12xi1>, tensor<12xf32>
      %356 = stablehlo.select %iterArg, %330, %iterArg_85 : tensor<12xi1>, tensor<12xf32>
      %357 = stablehlo.select %iterArg, %336, %iterArg_86 : tensor<12xi1>, tensor<12xf32>
      %358 = stablehlo.select %iterArg, %339, %iterArg_87 : tensor<12xi1>, tensor<12xf32>
      %359 = stablehlo.select %iterArg, %342, %iterArg_88 : tensor<12xi1>, tensor<12xf32>
      %360 = stablehlo.select %iterArg, %345, %iterArg_89 : tensor<12xi1>, tensor<12xf32>
      %361 = stablehlo.select %iterArg, %312, %iterArg_90 : tensor<12xi1>, tensor<12xf32>
      stablehlo.return %348, %349, %350, %351, %352, %273, %353, %354, %355, %356, %357, %358, %359, %360, %361 : tensor<12xi1>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<f32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    }
    %242 = stablehlo.multiply %241#1, %217 : tensor<12xf32>
    %cst_65 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %244 = stablehlo.subtract %243, %242 : tensor<12xf32>
    %245 = stablehlo.not %207 : tensor<12xi1>
    %246 = stablehlo.and %221, %245 : tensor<12xi1>
    %cst_66 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %247 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %251:7 = stablehlo.while(%iterArg = %246, %iterArg_77 = %arg2, %iterArg_78 = %247, %iterArg_79 = %248, %iterArg_80 = %186, %iterArg_81 = %249, %iterArg_82 = %250) : tensor<12xi1>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %273 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<12xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %273 : tensor<i1>
    } do {
      %cst_83 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %273 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %274 = stablehlo.add %iterArg_77, %273 : tensor<12xf32>
      %275 = stablehlo.divide %iterArg_80, %274 : tensor<12xf32>
      %276 = stablehlo.multiply %iterArg_81, %275 : tensor<12xf32>
      %277 = stablehlo.multiply %iterArg_78, %iterArg_80 : tensor<12xf32>
      %278 = stablehlo.multiply %274, %274 : tensor<12xf32>
      %279 = stablehlo.divide %277, %278 : tensor<12xf32>
      %280 = stablehlo.subtract %276, %279 : tensor<12xf32>
      %281 = stablehlo.add %iterArg_82, %280 : tensor<12xf32>
      %282 = stablehlo.divide %iterArg_80, %274 : tensor<12xf32>
      %283 = stablehlo.multiply %iterArg_78, %282 : tensor<12xf32>
      %284 = stablehlo.add %iterArg_79, %283 : tensor<12xf32>
      %285 = stablehlo.divide %283, %284 : tensor<12xf32>
      %cst_84 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %286 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %287 = stablehlo.compare GT, %285, %286, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %288 = stablehlo.and %iterArg, %287 : tensor<12xi1>
      %289 = stablehlo.select %iterArg, %274, %iterArg_77 : tensor<12xi1>, tensor<12xf32>
      %290 = stablehlo.select %iterArg, %283, %iterArg_78 : tensor<12xi1>, tensor<12xf32>
      %291 = stablehlo.select %iterArg, %284, %iterArg_79 : tensor<12xi1>, tensor<12xf32>
      %292 = stablehlo.select %iterArg, %iterArg_80, %iterArg_80 : tensor<12xi1>, tensor<12xf32>
      %293 = stablehlo.select %iterArg, %280, %iterArg_81 : tensor<12xi1>, tensor<12xf32>
      %294 = stablehlo.select %iterArg, %281, %iterArg_82 : tensor<12xi1>, tensor<12xf32>
      stablehlo.return %288, %289, %290, %291, %292, %293, %294 : tensor<12xi1>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    }
    %252 = stablehlo.multiply %251#3, %217 : tensor<12xf32>
    %253 = stablehlo.divide %252, %arg2 : tensor<12xf32>
    %254 = stablehlo.select %207, %244, %253 : tensor<12xi1>, tensor<12xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %256 = stablehlo.select %195, %255, %254 : tensor<12xi1>, tensor<12xf32>
    %cst_71 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %257 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %258 = stablehlo.select %191, %257, %256 : tensor<12xi1>, tensor<12xf32>
    %cst_72 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %259 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %260 = stablehlo.select %203, %259, %258 : tensor<12xi1>, tensor<12xf32>
    %cst_73 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %261 = chlo.square %cst_73 : tensor<f32> -> tensor<f32>
    %cst_74 = stablehlo.constant dense<6.28318548> : tensor<f32>
    %262 = stablehlo.multiply %cst_74, %261 : tensor<f32>
    %263 = stablehlo.log %262 : tensor<f32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %264 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %265 = stablehlo.subtract %arg0, %264 : tensor<12xf32>
    %266 = chlo.square %265 : tensor<12xf32> -> tensor<12xf32>
    %267 = stablehlo.broadcast_in_dim %261, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %268 = stablehlo.divide %266, %267 : tensor<12xf32>
    %269 = stablehlo.broadcast_in_dim %263, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %270 = stablehlo.add %269, %268 : tensor<12xf32>
    %cst_76 = stablehlo.constant dense<-2.000000e+00> : tensor<f32>
    %271 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %272 = stablehlo.divide %270, %271 : tensor<12xf32>
    return %0, %1, %2, %3, %4, %5, %10, %28, %36, %49, %59, %60, %185, %260, %272 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<f32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<12xf32>, %arg2: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<12xi1>, tensor<12xf32>
    return %0 : tensor<12xf32>
  }
  func.func private @sinc(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_0 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<12xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = call @_where_0(%1, %cst_1, %3) : (tensor<12xi1>, tensor<f32>, tensor<12xf32>) -> tensor<12xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %6 = stablehlo.multiply %3, %5 : tensor<12xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.add %6, %7 : tensor<12xf32>
    %9 = stablehlo.sine %4 : tensor<12xf32>
    %10 = stablehlo.divide %9, %4 : tensor<12xf32>
    %11 = call @_where(%1, %8, %10) : (tensor<12xi1>, tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    return %11 : tensor<12xf32>
  }
  func.func private @_where_0(%arg0: tensor<12xi1>, %arg1: tensor<f32>, %arg2: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<12xi1>, tensor<12xf32>
    return %1 : tensor<12xf32>
  }
}
