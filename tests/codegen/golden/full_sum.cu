// mul_sum_parts_14ed084e: outer [512], inner [16384]
// rows: 512 threads for each of 512 points, 1 points a block, 4 elements at once

extern "C" __global__ void __launch_bounds__(512)
mul_sum_parts_14ed084e(const f32* __restrict__ b0, f32* __restrict__ b1) {
  const u32 p = blockIdx.x;
  const i32 o0 = p;

  f32 v2 = 0.0F;
#pragma unroll
  for (i32 round = 0; round < 8; ++round) {
    const u32 q = threadIdx.x + round * 512;
    const i32 i0 = q * 4U;
    const Pack<f32, 4> p0 = load<4>(b0 + o0 * 16384 + i0);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const f32 v0 = p0.at[k];
      const f32 v1 = v0 * v0;
      v2 = v2 + v1;
    }
  }
  __shared__ f32 w2[16];
  v2 = combine_block<512>(v2, w2, [](f32 x, f32 y) { return x + y; });

  if (threadIdx.x == 0) {
    b1[o0] = v2;
  }
}
