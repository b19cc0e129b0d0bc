module @jit_generators_of_bits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xui64>) -> (tensor<9x2xui64> {jax.result_info = "result[0][0][0]"}, tensor<175xui8> {jax.result_info = "result[0][0][1]"}, tensor<9x2xui64> {jax.result_info = "result[0][1][0]"}, tensor<175xui16> {jax.result_info = "result[0][1][1]"}, tensor<9x2xui64> {jax.result_info = "result[0][2][0]"}, tensor<175xui32> {jax.result_info = "result[0][2][1]"}, tensor<9x2xui64> {jax.result_info = "result[0][3][0]"}, tensor<175xui64> {jax.result_info = "result[0][3][1]"}, tensor<9x2xui64> {jax.result_info = "result[1][0][0]"}, tensor<175xui8> {jax.result_info = "result[1][0][1]"}, tensor<9x2xui64> {jax.result_info = "result[1][1][0]"}, tensor<175xui16> {jax.result_info = "result[1][1][1]"}, tensor<9x2xui64> {jax.result_info = "result[1][2][0]"}, tensor<175xui32> {jax.result_info = "result[1][2][1]"}, tensor<9x2xui64> {jax.result_info = "result[1][3][0]"}, tensor<175xui64> {jax.result_info = "result[1][3][1]"}, tensor<2x2xui64> {jax.result_info = "result[2][0][0]"}, tensor<24xui8> {jax.result_info = "result[2][0][1]"}, tensor<2x2xui64> {jax.result_info = "result[2][1][0]"}, tensor<24xui16> {jax.result_info = "result[2][1][1]"}, tensor<2x2xui64> {jax.result_info = "result[2][2][0]"}, tensor<24xui32> {jax.result_info = "result[2][2][1]"}, tensor<2x2xui64> {jax.result_info = "result[2][3][0]"}, tensor<24xui64> {jax.result_info = "result[2][3][1]"}) {
    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
    %output_state_0, %output_1 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui8>)
    %output_state_2, %output_3 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
    %output_state_4, %output_5 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui8>)
    %output_state_6, %output_7 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui8>)
    %output_state_8, %output_9 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui8>)
    %output_state_10, %output_11 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
    %output_state_12, %output_13 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3x2xui8>)
    %output_state_14, %output_15 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3x5xui8>)
    %0 = stablehlo.broadcast_in_dim %output_state, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %1 = stablehlo.broadcast_in_dim %output_state_0, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %2 = stablehlo.broadcast_in_dim %output_state_2, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %3 = stablehlo.broadcast_in_dim %output_state_4, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %4 = stablehlo.broadcast_in_dim %output_state_6, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %5 = stablehlo.broadcast_in_dim %output_state_8, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %6 = stablehlo.broadcast_in_dim %output_state_10, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %7 = stablehlo.broadcast_in_dim %output_state_12, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %8 = stablehlo.broadcast_in_dim %output_state_14, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %9 = stablehlo.concatenate %0, %1, %2, %3, %4, %5, %6, %7, %8, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<9x2xui64>
    %10 = stablehlo.reshape %output : (tensor<ui8>) -> tensor<1xui8>
    %11 = stablehlo.reshape %output_7 : (tensor<4x3xui8>) -> tensor<12xui8>
    %12 = stablehlo.reshape %output_9 : (tensor<3x4xui8>) -> tensor<12xui8>
    %13 = stablehlo.reshape %output_11 : (tensor<3x5xui8>) -> tensor<15xui8>
    %14 = stablehlo.reshape %output_13 : (tensor<3x3x2xui8>) -> tensor<18xui8>
    %15 = stablehlo.reshape %output_15 : (tensor<7x3x5xui8>) -> tensor<105xui8>
    %16 = stablehlo.concatenate %10, %output_1, %output_3, %output_5, %11, %12, %13, %14, %15, dim = 0 : (tensor<1xui8>, tensor<1xui8>, tensor<5xui8>, tensor<6xui8>, tensor<12xui8>, tensor<12xui8>, tensor<15xui8>, tensor<18xui8>, tensor<105xui8>) -> tensor<175xui8>
    %output_state_16, %output_17 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
    %output_state_18, %output_19 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui16>)
    %output_state_20, %output_21 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
    %output_state_22, %output_23 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui16>)
    %output_state_24, %output_25 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui16>)
    %output_state_26, %output_27 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui16>)
    %output_state_28, %output_29 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui16>)
    %output_state_30, %output_31 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3x2xui16>)
    %output_state_32, %output_33 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3x5xui16>)
    %17 = stablehlo.broadcast_in_dim %output_state_16, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %18 = stablehlo.broadcast_in_dim %output_state_18, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %19 = stablehlo.broadcast_in_dim %output_state_20, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %20 = stablehlo.broadcast_in_dim %output_state_22, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %21 = stablehlo.broadcast_in_dim %output_state_24, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %22 = stablehlo.broadcast_in_dim %output_state_26, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %23 = stablehlo.broadcast_in_dim %output_state_28, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %24 = stablehlo.broadcast_in_dim %output_state_30, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %25 = stablehlo.broadcast_in_dim %output_state_32, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %26 = stablehlo.concatenate %17, %18, %19, %20, %21, %22, %23, %24, %25, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<9x2xui64>
    %27 = stablehlo.reshape %output_17 : (tensor<ui16>) -> tensor<1xui16>
    %28 = stablehlo.reshape %output_25 : (tensor<4x3xui16>) -> tensor<12xui16>
    %29 = stablehlo.reshape %output_27 : (tensor<3x4xui16>) -> tensor<12xui16>
    %30 = stablehlo.reshape %output_29 : (tensor<3x5xui16>) -> tensor<15xui16>
    %31 = stablehlo.reshape %output_31 : (tensor<3x3x2xui16>) -> tensor<18xui16>
    %32 = stablehlo.reshape %output_33 : (tensor<7x3x5xui16>) -> tensor<105xui16>
    %33 = stablehlo.concatenate %27, %output_19, %output_21, %output_23, %28, %29, %30, %31, %32, dim = 0 : (tensor<1xui16>, tensor<1xui16>, tensor<5xui16>, tensor<6xui16>, tensor<12xui16>, tensor<12xui16>, tensor<15xui16>, tensor<18xui16>, tensor<105xui16>) -> tensor<175xui16>
    %output_state_34, %output_35 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
    %output_state_36, %output_37 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui32>)
    %output_state_38, %output_39 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %output_state_40, %output_41 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>)
    %output_state_42, %output_43 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui32>)
    %output_state_44, %output_45 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
    %output_state_46, %output_47 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %output_state_48, %output_49 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3x2xui32>)
    %output_state_50, %output_51 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3x5xui32>)
    %34 = stablehlo.broadcast_in_dim %output_state_34, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %35 = stablehlo.broadcast_in_dim %output_state_36, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %36 = stablehlo.broadcast_in_dim %output_state_38, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %37 = stablehlo.broadcast_in_dim %output_state_40, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %38 = stablehlo.broadcast_in_dim %output_state_42, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %39 = stablehlo.broadcast_in_dim %output_state_44, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %40 = stablehlo.broadcast_in_dim %output_state_46, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %41 = stablehlo.broadcast_in_dim %output_state_48, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %42 = stablehlo.broadcast_in_dim %output_state_50, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %43 = stablehlo.concatenate %34, %35, %36, %37, %38, %39, %40, %41, %42, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<9x2xui64>
    %44 = stablehlo.reshape %output_35 : (tensor<ui32>) -> tensor<1xui32>
    %45 = stablehlo.reshape %output_43 : (tensor<4x3xui32>) -> tensor<12xui32>
    %46 = stablehlo.reshape %output_45 : (tensor<3x4xui32>) -> tensor<12xui32>
    %47 = stablehlo.reshape %output_47 : (tensor<3x5xui32>) -> tensor<15xui32>
    %48 = stablehlo.reshape %output_49 : (tensor<3x3x2xui32>) -> tensor<18xui32>
    %49 = stablehlo.reshape %output_51 : (tensor<7x3x5xui32>) -> tensor<105xui32>
    %50 = stablehlo.concatenate %44, %output_37, %output_39, %output_41, %45, %46, %47, %48, %49, dim = 0 : (tensor<1xui32>, tensor<1xui32>, tensor<5xui32>, tensor<6xui32>, tensor<12xui32>, tensor<12xui32>, tensor<15xui32>, tensor<18xui32>, tensor<105xui32>) -> tensor<175xui32>
    %output_state_52, %output_53 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
    %output_state_54, %output_55 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
    %output_state_56, %output_57 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
    %output_state_58, %output_59 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui64>)
    %output_state_60, %output_61 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui64>)
    %output_state_62, %output_63 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui64>)
    %output_state_64, %output_65 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
    %output_state_66, %output_67 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3x2xui64>)
    %output_state_68, %output_69 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3x5xui64>)
    %51 = stablehlo.broadcast_in_dim %output_state_52, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %52 = stablehlo.broadcast_in_dim %output_state_54, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %53 = stablehlo.broadcast_in_dim %output_state_56, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %54 = stablehlo.broadcast_in_dim %output_state_58, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %55 = stablehlo.broadcast_in_dim %output_state_60, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %56 = stablehlo.broadcast_in_dim %output_state_62, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %57 = stablehlo.broadcast_in_dim %output_state_64, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %58 = stablehlo.broadcast_in_dim %output_state_66, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %59 = stablehlo.broadcast_in_dim %output_state_68, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %60 = stablehlo.concatenate %51, %52, %53, %54, %55, %56, %57, %58, %59, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<9x2xui64>
    %61 = stablehlo.reshape %output_53 : (tensor<ui64>) -> tensor<1xui64>
    %62 = stablehlo.reshape %output_61 : (tensor<4x3xui64>) -> tensor<12xui64>
    %63 = stablehlo.reshape %output_63 : (tensor<3x4xui64>) -> tensor<12xui64>
    %64 = stablehlo.reshape %output_65 : (tensor<3x5xui64>) -> tensor<15xui64>
    %65 = stablehlo.reshape %output_67 : (tensor<3x3x2xui64>) -> tensor<18xui64>
    %66 = stablehlo.reshape %output_69 : (tensor<7x3x5xui64>) -> tensor<105xui64>
    %67 = stablehlo.concatenate %61, %output_55, %output_57, %output_59, %62, %63, %64, %65, %66, dim = 0 : (tensor<1xui64>, tensor<1xui64>, tensor<5xui64>, tensor<6xui64>, tensor<12xui64>, tensor<12xui64>, tensor<15xui64>, tensor<18xui64>, tensor<105xui64>) -> tensor<175xui64>
    %output_state_70, %output_71 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
    %output_state_72, %output_73 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui8>)
    %output_state_74, %output_75 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
    %output_state_76, %output_77 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui8>)
    %output_state_78, %output_79 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui8>)
    %output_state_80, %output_81 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui8>)
    %output_state_82, %output_83 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
    %output_state_84, %output_85 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3x2xui8>)
    %output_state_86, %output_87 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3x5xui8>)
    %68 = stablehlo.broadcast_in_dim %output_state_70, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %69 = stablehlo.broadcast_in_dim %output_state_72, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %70 = stablehlo.broadcast_in_dim %output_state_74, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %71 = stablehlo.broadcast_in_dim %output_state_76, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %72 = stablehlo.broadcast_in_dim %output_state_78, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %73 = stablehlo.broadcast_in_dim %output_state_80, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %74 = stablehlo.broadcast_in_dim %output_state_82, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %75 = stablehlo.broadcast_in_dim %output_state_84, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %76 = stablehlo.broadcast_in_dim %output_state_86, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %77 = stablehlo.concatenate %68, %69, %70, %71, %72, %73, %74, %75, %76, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<9x2xui64>
    %78 = stablehlo.reshape %output_71 : (tensor<ui8>) -> tensor<1xui8>
    %79 = stablehlo.reshape %output_79 : (tensor<4x3xui8>) -> tensor<12xui8>
    %80 = stablehlo.reshape %output_81 : (tensor<3x4xui8>) -> tensor<12xui8>
    %81 = stablehlo.reshape %output_83 : (tensor<3x5xui8>) -> tensor<15xui8>
    %82 = stablehlo.reshape %output_85 : (tensor<3x3x2xui8>) -> tensor<18xui8>
    %83 = stablehlo.reshape %output_87 : (tensor<7x3x5xui8>) -> tensor<105xui8>
    %84 = stablehlo.concatenate %78, %output_73, %output_75, %output_77, %79, %80, %81, %82, %83, dim = 0 : (tensor<1xui8>, tensor<1xui8>, tensor<5xui8>, tensor<6xui8>, tensor<12xui8>, tensor<12xui8>, tensor<15xui8>, tensor<18xui8>, tensor<105xui8>) -> tensor<175xui8>
    %output_state_88, %output_89 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
    %output_state_90, %output_91 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui16>)
    %output_state_92, %output_93 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
    %output_state_94, %output_95 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui16>)
    %output_state_96, %output_97 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui16>)
    %output_state_98, %output_99 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui16>)
    %output_state_100, %output_101 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui16>)
    %output_state_102, %output_103 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3x2xui16>)
    %output_state_104, %output_105 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3x5xui16>)
    %85 = stablehlo.broadcast_in_dim %output_state_88, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %86 = stablehlo.broadcast_in_dim %output_state_90, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %87 = stablehlo.broadcast_in_dim %output_state_92, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %88 = stablehlo.broadcast_in_dim %output_state_94, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %89 = stablehlo.broadcast_in_dim %output_state_96, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %90 = stablehlo.broadcast_in_dim %output_state_98, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %91 = stablehlo.broadcast_in_dim %output_state_100, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %92 = stablehlo.broadcast_in_dim %output_state_102, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %93 = stablehlo.broadcast_in_dim %output_state_104, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %94 = stablehlo.concatenate %85, %86, %87, %88, %89, %90, %91, %92, %93, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<9x2xui64>
    %95 = stablehlo.reshape %output_89 : (tensor<ui16>) -> tensor<1xui16>
    %96 = stablehlo.reshape %output_97 : (tensor<4x3xui16>) -> tensor<12xui16>
    %97 = stablehlo.reshape %output_99 : (tensor<3x4xui16>) -> tensor<12xui16>
    %98 = stablehlo.reshape %output_101 : (tensor<3x5xui16>) -> tensor<15xui16>
    %99 = stablehlo.reshape %output_103 : (tensor<3x3x2xui16>) -> tensor<18xui16>
    %100 = stablehlo.reshape %output_105 : (tensor<7x3x5xui16>) -> tensor<105xui16>
    %101 = stablehlo.concatenate %95, %output_91, %output_93, %output_95, %96, %97, %98, %99, %100, dim = 0 : (tensor<1xui16>, tensor<1xui16>, tensor<5xui16>, tensor<6xui16>, tensor<12xui16>, tensor<12xui16>, tensor<15xui16>, tensor<18xui16>, tensor<105xui16>) -> tensor<175xui16>
    %output_state_106, %output_107 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
    %output_state_108, %output_109 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui32>)
    %output_state_110, %output_111 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %output_state_112, %output_113 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>)
    %output_state_114, %output_115 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui32>)
    %output_state_116, %output_117 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
    %output_state_118, %output_119 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %output_state_120, %output_121 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3x2xui32>)
    %output_state_122, %output_123 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3x5xui32>)
    %102 = stablehlo.broadcast_in_dim %output_state_106, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %103 = stablehlo.broadcast_in_dim %output_state_108, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %104 = stablehlo.broadcast_in_dim %output_state_110, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %105 = stablehlo.broadcast_in_dim %output_state_112, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %106 = stablehlo.broadcast_in_dim %output_state_114, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %107 = stablehlo.broadcast_in_dim %output_state_116, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %108 = stablehlo.broadcast_in_dim %output_state_118, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %109 = stablehlo.broadcast_in_dim %output_state_120, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %110 = stablehlo.broadcast_in_dim %output_state_122, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %111 = stablehlo.concatenate %102, %103, %104, %105, %106, %107, %108, %109, %110, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<9x2xui64>
    %112 = stablehlo.reshape %output_107 : (tensor<ui32>) -> tensor<1xui32>
    %113 = stablehlo.reshape %output_115 : (tensor<4x3xui32>) -> tensor<12xui32>
    %114 = stablehlo.reshape %output_117 : (tensor<3x4xui32>) -> tensor<12xui32>
    %115 = stablehlo.reshape %output_119 : (tensor<3x5xui32>) -> tensor<15xui32>
    %116 = stablehlo.reshape %output_121 : (tensor<3x3x2xui32>) -> tensor<18xui32>
    %117 = stablehlo.reshape %output_123 : (tensor<7x3x5xui32>) -> tensor<105xui32>
    %118 = stablehlo.concatenate %112, %output_109, %output_111, %output_113, %113, %114, %115, %116, %117, dim = 0 : (tensor<1xui32>, tensor<1xui32>, tensor<5xui32>, tensor<6xui32>, tensor<12xui32>, tensor<12xui32>, tensor<15xui32>, tensor<18xui32>, tensor<105xui32>) -> tensor<175xui32>
    %output_state_124, %output_125 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
    %output_state_126, %output_127 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
    %output_state_128, %output_129 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
    %output_state_130, %output_131 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui64>)
    %output_state_132, %output_133 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui64>)
    %output_state_134, %output_135 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui64>)
    %output_state_136, %output_137 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
    %output_state_138, %output_139 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3x2xui64>)
    %output_state_140, %output_141 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3x5xui64>)
    %119 = stablehlo.broadcast_in_dim %output_state_124, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %120 = stablehlo.broadcast_in_dim %output_state_126, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %121 = stablehlo.broadcast_in_dim %output_state_128, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %122 = stablehlo.broadcast_in_dim %output_state_130, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %123 = stablehlo.broadcast_in_dim %output_state_132, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %124 = stablehlo.broadcast_in_dim %output_state_134, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %125 = stablehlo.broadcast_in_dim %output_state_136, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %126 = stablehlo.broadcast_in_dim %output_state_138, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %127 = stablehlo.broadcast_in_dim %output_state_140, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %128 = stablehlo.concatenate %119, %120, %121, %122, %123, %124, %125, %126, %127, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<9x2xui64>
    %129 = stablehlo.reshape %output_125 : (tensor<ui64>) -> tensor<1xui64>
    %130 = stablehlo.reshape %output_133 : (tensor<4x3xui64>) -> tensor<12xui64>
    %131 = stablehlo.reshape %output_135 : (tensor<3x4xui64>) -> tensor<12xui64>
    %132 = stablehlo.reshape %output_137 : (tensor<3x5xui64>) -> tensor<15xui64>
    %133 = stablehlo.reshape %output_139 : (tensor<3x3x2xui64>) -> tensor<18xui64>
    %134 = stablehlo.reshape %output_141 : (tensor<7x3x5xui64>) -> tensor<105xui64>
    %135 = stablehlo.concatenate %129, %output_127, %output_129, %output_131, %130, %131, %132, %133, %134, dim = 0 : (tensor<1xui64>, tensor<1xui64>, tensor<5xui64>, tensor<6xui64>, tensor<12xui64>, tensor<12xui64>, tensor<15xui64>, tensor<18xui64>, tensor<105xui64>) -> tensor<175xui64>
    %output_state_142, %output_143 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui8>)
    %output_state_144, %output_145 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui8>)
    %136 = stablehlo.broadcast_in_dim %output_state_142, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %137 = stablehlo.broadcast_in_dim %output_state_144, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %138 = stablehlo.concatenate %136, %137, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<2x2xui64>
    %139 = stablehlo.reshape %output_143 : (tensor<4x3xui8>) -> tensor<12xui8>
    %140 = stablehlo.reshape %output_145 : (tensor<3x4xui8>) -> tensor<12xui8>
    %141 = stablehlo.concatenate %139, %140, dim = 0 : (tensor<12xui8>, tensor<12xui8>) -> tensor<24xui8>
    %output_state_146, %output_147 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui16>)
    %output_state_148, %output_149 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui16>)
    %142 = stablehlo.broadcast_in_dim %output_state_146, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %143 = stablehlo.broadcast_in_dim %output_state_148, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %144 = stablehlo.concatenate %142, %143, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<2x2xui64>
    %145 = stablehlo.reshape %output_147 : (tensor<4x3xui16>) -> tensor<12xui16>
    %146 = stablehlo.reshape %output_149 : (tensor<3x4xui16>) -> tensor<12xui16>
    %147 = stablehlo.concatenate %145, %146, dim = 0 : (tensor<12xui16>, tensor<12xui16>) -> tensor<24xui16>
    %output_state_150, %output_151 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui32>)
    %output_state_152, %output_153 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
    %148 = stablehlo.broadcast_in_dim %output_state_150, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %149 = stablehlo.broadcast_in_dim %output_state_152, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %150 = stablehlo.concatenate %148, %149, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<2x2xui64>
    %151 = stablehlo.reshape %output_151 : (tensor<4x3xui32>) -> tensor<12xui32>
    %152 = stablehlo.reshape %output_153 : (tensor<3x4xui32>) -> tensor<12xui32>
    %153 = stablehlo.concatenate %151, %152, dim = 0 : (tensor<12xui32>, tensor<12xui32>) -> tensor<24xui32>
    %output_state_154, %output_155 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui64>)
    %output_state_156, %output_157 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui64>)
    %154 = stablehlo.broadcast_in_dim %output_state_154, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %155 = stablehlo.broadcast_in_dim %output_state_156, dims = [1] : (tensor<2xui64>) -> tensor<1x2xui64>
    %156 = stablehlo.concatenate %154, %155, dim = 0 : (tensor<1x2xui64>, tensor<1x2xui64>) -> tensor<2x2xui64>
    %157 = stablehlo.reshape %output_155 : (tensor<4x3xui64>) -> tensor<12xui64>
    %158 = stablehlo.reshape %output_157 : (tensor<3x4xui64>) -> tensor<12xui64>
    %159 = stablehlo.concatenate %157, %158, dim = 0 : (tensor<12xui64>, tensor<12xui64>) -> tensor<24xui64>
    return %9, %16, %26, %33, %43, %50, %60, %67, %77, %84, %94, %101, %111, %118, %128, %135, %138, %141, %144, %147, %150, %153, %156, %159 : tensor<9x2xui64>, tensor<175xui8>, tensor<9x2xui64>, tensor<175xui16>, tensor<9x2xui64>, tensor<175xui32>, tensor<9x2xui64>, tensor<175xui64>, tensor<9x2xui64>, tensor<175xui8>, tensor<9x2xui64>, tensor<175xui16>, tensor<9x2xui64>, tensor<175xui32>, tensor<9x2xui64>, tensor<175xui64>, tensor<2x2xui64>, tensor<24xui8>, tensor<2x2xui64>, tensor<24xui16>, tensor<2x2xui64>, tensor<24xui32>, tensor<2x2xui64>, tensor<24xui64>
  }
}
