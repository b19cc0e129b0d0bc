module @jit_special_functions_far attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<39xf32>, %arg1: tensor<25xf32>, %arg2: tensor<12xf32>) -> (tensor<39xf32> {jax.result_info = "result[0]"}, tensor<39xf32> {jax.result_info = "result[1]"}, tensor<39xf32> {jax.result_info = "result[2]"}, tensor<39xf32> {jax.result_info = "result[3]"}, tensor<39xf32> {jax.result_info = "result[4]"}, tensor<39xf32> {jax.result_info = "result[5]"}, tensor<39xf32> {jax.result_info = "result[6]"}, tensor<39xf32> {jax.result_info = "result[7]"}, tensor<39xf32> {jax.result_info = "result[8]"}, tensor<39xf32> {jax.result_info = "result[9]"}, tensor<39xf32> {jax.result_info = "result[10]"}, tensor<39xi1> {jax.result_info = "result[11]"}, tensor<39xf32> {jax.result_info = "result[12]"}, tensor<25xf32> {jax.result_info = "result[13]"}, tensor<25xf32> {jax.result_info = "result[14]"}, tensor<25xf32> {jax.result_info = "result[15]"}, tensor<25xf32> {jax.result_info = "result[16]"}, tensor<12xf32> {jax.result_info = "result[17]"}, tensor<12xf32> {jax.result_info = "result[18]"}, tensor<12xf32> {jax.result_info = "result[19]"}) {
    %0 = chlo.erf %arg0 : tensor<39xf32> -> tensor<39xf32>
    %1 = chlo.erfc %arg0 : tensor<39xf32> -> tensor<39xf32>
    %2 = chlo.lgamma %arg0 : tensor<39xf32> -> tensor<39xf32>
    %3 = chlo.digamma %arg0 : tensor<39xf32> -> tensor<39xf32>
    %4 = chlo.sinh %arg0 : tensor<39xf32> -> tensor<39xf32>
    %5 = chlo.cosh %arg0 : tensor<39xf32> -> tensor<39xf32>
    %6 = stablehlo.tan %arg0 : tensor<39xf32>
    %7 = chlo.asinh %arg0 : tensor<39xf32> -> tensor<39xf32>
    %8 = call @arccosh(%arg0) : (tensor<39xf32>) -> tensor<39xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<39xf32>
    %10 = stablehlo.multiply %arg0, %9 : tensor<39xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<39xf32>
    %12 = stablehlo.add %10, %11 : tensor<39xf32>
    %13 = chlo.next_after %arg0, %12 : tensor<39xf32>, tensor<39xf32> -> tensor<39xf32>
    %14 = chlo.bessel_i1e %arg0 : tensor<39xf32> -> tensor<39xf32>
    %15 = call @isinf(%arg0) : (tensor<39xf32>) -> tensor<39xi1>
    %16 = chlo.atan %arg0 : tensor<39xf32> -> tensor<39xf32>
    %17 = chlo.erf_inv %arg1 : tensor<25xf32> -> tensor<25xf32>
    %18 = chlo.asin %arg1 : tensor<25xf32> -> tensor<25xf32>
    %19 = chlo.acos %arg1 : tensor<25xf32> -> tensor<25xf32>
    %20 = chlo.atanh %arg1 : tensor<25xf32> -> tensor<25xf32>
    %cst_1 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %22 = stablehlo.add %arg2, %21 : tensor<12xf32>
    %23 = stablehlo.reverse %arg2, dims = [0] : tensor<12xf32>
    %24 = chlo.zeta %22, %23 : tensor<12xf32>, tensor<12xf32> -> tensor<12xf32>
    %25 = call @round(%arg2) : (tensor<12xf32>) -> tensor<12xf32>
    %26 = stablehlo.reverse %arg2, dims = [0] : tensor<12xf32>
    %27 = chlo.polygamma %25, %26 : tensor<12xf32>, tensor<12xf32> -> tensor<12xf32>
    %28 = stablehlo.reverse %arg2, dims = [0] : tensor<12xf32>
    %29 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %30 = stablehlo.compare NE, %28, %28, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %31 = stablehlo.or %29, %30 : tensor<12xi1>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %33 = stablehlo.compare EQ, %28, %32, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %35 = stablehlo.compare EQ, %arg2, %34, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %37 = stablehlo.compare EQ, %28, %36, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %39 = stablehlo.compare LT, %28, %38, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %41 = stablehlo.compare LT, %arg2, %40, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %42 = stablehlo.and %35, %37 : tensor<12xi1>
    %43 = stablehlo.or %39, %41 : tensor<12xi1>
    %44 = stablehlo.or %43, %42 : tensor<12xi1>
    %45 = stablehlo.or %44, %31 : tensor<12xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %47 = stablehlo.compare GE, %28, %46, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %48 = stablehlo.compare GT, %28, %arg2, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %49 = stablehlo.and %47, %48 : tensor<12xi1>
    %50 = stablehlo.log %28 : tensor<12xf32>
    %51 = stablehlo.multiply %arg2, %50 : tensor<12xf32>
    %52 = stablehlo.subtract %51, %28 : tensor<12xf32>
    %53 = chlo.lgamma %arg2 : tensor<12xf32> -> tensor<12xf32>
    %54 = stablehlo.subtract %52, %53 : tensor<12xf32>
    %cst_8 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %55 = stablehlo.log %cst_8 : tensor<f32>
    %56 = stablehlo.negate %55 : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %58 = stablehlo.compare LT, %54, %57, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %59 = stablehlo.exponential %54 : tensor<12xf32>
    %60 = stablehlo.or %37, %45 : tensor<12xi1>
    %61 = stablehlo.or %60, %58 : tensor<12xi1>
    %62 = stablehlo.or %61, %33 : tensor<12xi1>
    %63 = stablehlo.not %62 : tensor<12xi1>
    %64 = stablehlo.and %63, %49 : tensor<12xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %66 = stablehlo.subtract %65, %arg2 : tensor<12xf32>
    %67 = stablehlo.add %28, %66 : tensor<12xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %69 = stablehlo.add %67, %68 : tensor<12xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %72 = stablehlo.add %28, %71 : tensor<12xf32>
    %73 = stablehlo.multiply %69, %28 : tensor<12xf32>
    %74 = stablehlo.divide %72, %73 : tensor<12xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %79 = stablehlo.negate %28 : tensor<12xf32>
    %80 = stablehlo.multiply %74, %79 : tensor<12xf32>
    %81 = stablehlo.subtract %78, %80 : tensor<12xf32>
    %82 = stablehlo.divide %81, %73 : tensor<12xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83:15 = stablehlo.while(%iterArg = %64, %iterArg_26 = %74, %iterArg_27 = %75, %iterArg_28 = %66, %iterArg_29 = %69, %iterArg_30 = %cst_17, %iterArg_31 = %72, %iterArg_32 = %73, %iterArg_33 = %70, %iterArg_34 = %28, %iterArg_35 = %76, %iterArg_36 = %77, %iterArg_37 = %78, %iterArg_38 = %79, %iterArg_39 = %82) : tensor<12xi1>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<f32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    cond {
      %cst_40 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %103 = stablehlo.compare LT, %iterArg_30, %cst_40, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %104 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<12xi1>, tensor<i1>) -> tensor<i1>
      %105 = stablehlo.and %103, %104 : tensor<i1>
      stablehlo.return %105 : tensor<i1>
    } do {
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %103 = stablehlo.add %iterArg_30, %cst_40 : tensor<f32>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %104 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %105 = stablehlo.add %iterArg_28, %104 : tensor<12xf32>
      %cst_42 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %106 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %107 = stablehlo.add %iterArg_29, %106 : tensor<12xf32>
      %108 = stablehlo.broadcast_in_dim %103, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %109 = stablehlo.multiply %105, %108 : tensor<12xf32>
      %110 = stablehlo.multiply %iterArg_31, %107 : tensor<12xf32>
      %111 = stablehlo.multiply %iterArg_33, %109 : tensor<12xf32>
      %112 = stablehlo.subtract %110, %111 : tensor<12xf32>
      %113 = stablehlo.multiply %iterArg_32, %107 : tensor<12xf32>
      %114 = stablehlo.multiply %iterArg_34, %109 : tensor<12xf32>
      %115 = stablehlo.subtract %113, %114 : tensor<12xf32>
      %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %116 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %117 = stablehlo.compare NE, %115, %116, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %118 = stablehlo.divide %112, %115 : tensor<12xf32>
      %119 = stablehlo.subtract %iterArg_26, %118 : tensor<12xf32>
      %120 = stablehlo.divide %119, %118 : tensor<12xf32>
      %121 = stablehlo.abs %120 : tensor<12xf32>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %122 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %123 = stablehlo.select %117, %121, %122 : tensor<12xi1>, tensor<12xf32>
      %124 = stablehlo.select %117, %118, %iterArg_26 : tensor<12xi1>, tensor<12xf32>
      %125 = stablehlo.multiply %iterArg_37, %107 : tensor<12xf32>
      %126 = stablehlo.subtract %125, %iterArg_31 : tensor<12xf32>
      %127 = stablehlo.multiply %iterArg_35, %109 : tensor<12xf32>
      %128 = stablehlo.subtract %126, %127 : tensor<12xf32>
      %129 = stablehlo.broadcast_in_dim %103, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %130 = stablehlo.multiply %iterArg_33, %129 : tensor<12xf32>
      %131 = stablehlo.add %128, %130 : tensor<12xf32>
      %132 = stablehlo.multiply %iterArg_38, %107 : tensor<12xf32>
      %133 = stablehlo.subtract %132, %iterArg_32 : tensor<12xf32>
      %134 = stablehlo.multiply %iterArg_36, %109 : tensor<12xf32>
      %135 = stablehlo.subtract %133, %134 : tensor<12xf32>
      %136 = stablehlo.broadcast_in_dim %103, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %137 = stablehlo.multiply %iterArg_34, %136 : tensor<12xf32>
      %138 = stablehlo.add %135, %137 : tensor<12xf32>
      %139 = stablehlo.multiply %124, %138 : tensor<12xf32>
      %140 = stablehlo.subtract %131, %139 : tensor<12xf32>
      %141 = stablehlo.divide %140, %115 : tensor<12xf32>
      %142 = stablehlo.select %117, %141, %iterArg_39 : tensor<12xi1>, tensor<12xf32>
      %143 = stablehlo.subtract %142, %iterArg_39 : tensor<12xf32>
      %144 = stablehlo.abs %143 : tensor<12xf32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %145 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %146 = stablehlo.select %117, %144, %145 : tensor<12xi1>, tensor<12xf32>
      %147 = stablehlo.abs %112 : tensor<12xf32>
      %cst_46 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %148 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<f32>
      %149 = stablehlo.divide %148, %cst_46 : tensor<f32>
      %150 = stablehlo.broadcast_in_dim %149, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %151 = stablehlo.compare GT, %147, %150, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %152 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %153 = stablehlo.multiply %iterArg_31, %152 : tensor<12xf32>
      %154 = stablehlo.select %151, %153, %iterArg_31 : tensor<12xi1>, tensor<12xf32>
      %cst_49 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %155 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %156 = stablehlo.multiply %112, %155 : tensor<12xf32>
      %157 = stablehlo.select %151, %156, %112 : tensor<12xi1>, tensor<12xf32>
      %cst_50 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %158 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %159 = stablehlo.multiply %iterArg_32, %158 : tensor<12xf32>
      %160 = stablehlo.select %151, %159, %iterArg_32 : tensor<12xi1>, tensor<12xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %161 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %162 = stablehlo.multiply %115, %161 : tensor<12xf32>
      %163 = stablehlo.select %151, %162, %115 : tensor<12xi1>, tensor<12xf32>
      %cst_52 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %164 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %165 = stablehlo.multiply %iterArg_37, %164 : tensor<12xf32>
      %166 = stablehlo.select %151, %165, %iterArg_37 : tensor<12xi1>, tensor<12xf32>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %167 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %168 = stablehlo.multiply %iterArg_38, %167 : tensor<12xf32>
      %169 = stablehlo.select %151, %168, %iterArg_38 : tensor<12xi1>, tensor<12xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %170 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %171 = stablehlo.multiply %131, %170 : tensor<12xf32>
      %172 = stablehlo.select %151, %171, %131 : tensor<12xi1>, tensor<12xf32>
      %cst_55 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %173 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %174 = stablehlo.multiply %138, %173 : tensor<12xf32>
      %175 = stablehlo.select %151, %174, %138 : tensor<12xi1>, tensor<12xf32>
      %cst_56 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %176 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %177 = stablehlo.compare GT, %123, %176, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %178 = stablehlo.and %iterArg, %177 : tensor<12xi1>
      %179 = stablehlo.select %iterArg, %124, %iterArg_26 : tensor<12xi1>, tensor<12xf32>
      %180 = stablehlo.select %iterArg, %123, %iterArg_27 : tensor<12xi1>, tensor<12xf32>
      %181 = stablehlo.select %iterArg, %105, %iterArg_28 : tensor<12xi1>, tensor<12xf32>
      %182 = stablehlo.select %iterArg, %107, %iterArg_29 : tensor<12xi1>, tensor<12xf32>
      %183 = stablehlo.select %iterArg, %157, %iterArg_31 : tensor<12xi1>, tensor<12xf32>
      %184 = stablehlo.select %iterArg, %163, %iterArg_32 : tensor<12xi1>, tensor<12xf32>
      %185 = stablehlo.select %iterArg, %154, %iterArg_33 : tensor<12xi1>, tensor<12xf32>
      %186 = stablehlo.select %iterArg, %160, %iterArg_34 : tensor<12xi1>, tensor<12xf32>
      %187 = stablehlo.select %iterArg, %166, %iterArg_35 : tensor<12xi1>, tensor<12xf32>
      %188 = stablehlo.select %iterArg, %169, %iterArg_36 : tensor<12xi1>, tensor<12xf32>
      %189 = stablehlo.select %iterArg, %172, %iterArg_37 : tensor<12xi1>, tensor<12xf32>
      %190 = stablehlo.select %iterArg, %175, %iterArg_38 : tensor<12xi1>, tensor<12xf32>
      %191 = stablehlo.select %iterArg, %142, %iterArg_39 : tensor<12xi1>, tensor<12xf32>
      stablehlo.return %178, %179, %180, %181, %182, %103, %183, %184, %185, %186, %187, %188, %189, %190, %191 : tensor<12xi1>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<f32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    }
    %84 = stablehlo.multiply %83#1, %59 : tensor<12xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %86 = stablehlo.subtract %85, %84 : tensor<12xf32>
    %87 = stablehlo.not %49 : tensor<12xi1>
    %88 = stablehlo.and %63, %87 : tensor<12xi1>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %93:7 = stablehlo.while(%iterArg = %88, %iterArg_26 = %arg2, %iterArg_27 = %89, %iterArg_28 = %90, %iterArg_29 = %28, %iterArg_30 = %91, %iterArg_31 = %92) : tensor<12xi1>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %103 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<12xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %103 : tensor<i1>
    } do {
      %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %103 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %104 = stablehlo.add %iterArg_26, %103 : tensor<12xf32>
      %105 = stablehlo.divide %iterArg_29, %104 : tensor<12xf32>
      %106 = stablehlo.multiply %iterArg_30, %105 : tensor<12xf32>
      %107 = stablehlo.multiply %iterArg_27, %iterArg_29 : tensor<12xf32>
      %108 = stablehlo.multiply %104, %104 : tensor<12xf32>
      %109 = stablehlo.divide %107, %108 : tensor<12xf32>
      %110 = stablehlo.subtract %106, %109 : tensor<12xf32>
      %111 = stablehlo.add %iterArg_31, %110 : tensor<12xf32>
      %112 = stablehlo.divide %iterArg_29, %104 : tensor<12xf32>
      %113 = stablehlo.multiply %iterArg_27, %112 : tensor<12xf32>
      %114 = stablehlo.add %iterArg_28, %113 : tensor<12xf32>
      %115 = stablehlo.divide %113, %114 : tensor<12xf32>
      %cst_33 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %116 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %117 = stablehlo.compare GT, %115, %116, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %118 = stablehlo.and %iterArg, %117 : tensor<12xi1>
      %119 = stablehlo.select %iterArg, %104, %iterArg_26 : tensor<12xi1>, tensor<12xf32>
      %120 = stablehlo.select %iterArg, %113, %iterArg_27 : tensor<12xi1>, tensor<12xf32>
      %121 = stablehlo.select %iterArg, %114, %iterArg_28 : tensor<12xi1>, tensor<12xf32>
      %122 = stablehlo.select %iterArg, %iterArg_29, %iterArg_29 : tensor<12xi1>, tensor<12xf32>
      %123 = stablehlo.select %iterArg, %110, %iterArg_30 : tensor<12xi1>, tensor<12xf32>
      %124 = stablehlo.select %iterArg, %111, %iterArg_31 : tensor<12xi1>, tensor<12xf32>
      stablehlo.return %118, %119, %120, %121, %122, %123, %124 : tensor<12xi1>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
    }
    %94 = stablehlo.multiply %93#3, %59 : tensor<12xf32>
    %95 = stablehlo.divide %94, %arg2 : tensor<12xf32>
    %96 = stablehlo.select %49, %86, %95 : tensor<12xi1>, tensor<12xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %98 = stablehlo.select %37, %97, %96 : tensor<12xi1>, tensor<12xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %100 = stablehlo.select %33, %99, %98 : tensor<12xi1>, tensor<12xf32>
    %cst_25 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %102 = stablehlo.select %45, %101, %100 : tensor<12xi1>, tensor<12xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %13, %14, %15, %16, %17, %18, %19, %20, %24, %27, %102 : tensor<39xf32>, tensor<39xf32>, tensor<39xf32>, tensor<39xf32>, tensor<39xf32>, tensor<39xf32>, tensor<39xf32>, tensor<39xf32>, tensor<39xf32>, tensor<39xf32>, tensor<39xf32>, tensor<39xi1>, tensor<39xf32>, tensor<25xf32>, tensor<25xf32>, tensor<25xf32>, tensor<25xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
  func.func private @arccosh(%arg0: tensor<39xf32>) -> tensor<39xf32> {
    %0 = chlo.acosh %arg0 : tensor<39xf32> -> tensor<39xf32>
    return %0 : tensor<39xf32>
  }
  func.func private @isinf(%arg0: tensor<39xf32>) -> tensor<39xi1> {
    %0 = stablehlo.abs %arg0 : tensor<39xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<39xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<39xf32>, tensor<39xf32>) -> tensor<39xi1>
    return %2 : tensor<39xi1>
  }
  func.func private @round(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<12xf32>
    return %0 : tensor<12xf32>
  }
}
