// add_0e9bc33d: outer [8192, 1024]
// tiles: a block for 32 x 32 of 8388608 points, along o0 and o1

extern "C" __global__ void __launch_bounds__(256)
add_0e9bc33d(const f32* __restrict__ b0, const f32* b1, f32* b2) {
  const i32 t1 = blockIdx.x % 32U * 32;
  const i32 t0 = blockIdx.x / 32U * 32;
  __shared__ f32 w0[32][33];
#pragma unroll
  for (int step = 0; step < 32; step += 8) {
    const int k = step + threadIdx.y;
    const i32 o0 = t0 + threadIdx.x;
    const i32 o1 = t1 + k;
    if (o0 < 8192 && o1 < 1024) {
      w0[k][threadIdx.x] = b0[o0 + o1 * 8192];
    }
  }
  __syncthreads();
#pragma unroll
  for (int step = 0; step < 32; step += 8) {
    const int k = step + threadIdx.y;
    const i32 o0 = t0 + k;
    const i32 o1 = t1 + threadIdx.x;
    if (o0 < 8192 && o1 < 1024) {
      const f32 v0 = w0[threadIdx.x][k];
      const f32 v1 = b1[o0 * 1024 + o1];
      const f32 v2 = v0 + v1;
      b2[o0 * 1024 + o1] = v2;
    }
  }
}
