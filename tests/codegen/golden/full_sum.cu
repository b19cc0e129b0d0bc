// mul_sum_parts_08ea5898: outer [16], inner [524288]
// rows: 512 threads for each of 16 points, 1 points a block, 4 elements at once, loops divided into 32 parts

extern "C" __global__ void __launch_bounds__(512)
mul_sum_parts_08ea5898(const f32* __restrict__ b0, f32* __restrict__ b1, u8* workspace) {
  const u32 p = blockIdx.x;
  const i32 o0 = p;

  f32 v2 = 0.0F;
#pragma unroll
  for (i32 round = 0; round < 8; ++round) {
    const u32 q = threadIdx.x + blockIdx.y * 512 + round * 16384;
    const i32 i0 = q * 4U;
    const Pack<f32, 4> p0 = load<4>(b0 + o0 * 524288 + i0);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const f32 v0 = p0.at[k];
      const f32 v1 = v0 * v0;
      v2 = v2 + v1;
    }
  }
  __shared__ f32 w2[16];
  v2 = combine_block<512>(v2, w2, [](f32 x, f32 y) { return x + y; });

  // The last block to come goes on with the results of all parts.
  f32* const parts2 = reinterpret_cast<f32*>(workspace + 4096) + p;
  if (threadIdx.x == 0) {
    parts2[blockIdx.y * 16] = v2;
  }
  __threadfence();
  __syncthreads();
  __shared__ bool last;
  u32* const counter = reinterpret_cast<u32*>(workspace) + blockIdx.x;
  if (threadIdx.x + threadIdx.y == 0) {
    last = atomicAdd(counter, 1U) == 31U;
    if (last) *counter = 0;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  v2 = 0.0F;
#pragma unroll 4
  for (i32 part = threadIdx.x; part < 32; part += 512) {
    v2 = v2 + parts2[part * 16];
  }
  v2 = combine_block<512>(v2, w2, [](f32 x, f32 y) { return x + y; });

  if (threadIdx.x == 0) {
    b1[o0] = v2;
  }
}
