#pragma once

#include <cstddef>

namespace tutti::fake_cuda {

// In what the libraries of different versions differ, as far as a caller could notice: read of
// NCCL's sources from 2.27.3 to 2.30.7, of headers from 2.18.3 on, and seen of 2.28.9, 2.30.7 and
// 2.32.3.
struct NcclPersona {
  // ncclCommWindowRegister and its counterpart, since 2.27.
  bool has_windows = false;
  // Where no window can be had it gives null, since 2.30; before, it leaves what was there.
  bool clears_windows = false;
  // Ranks may share a GPU where NCCL_MULTI_RANK_GPU_ENABLE=1 says so, since 2.30.
  bool lets_ranks_share_gpus = false;
  // ncclTimeout is a result, since 2.30.3.
  bool has_timeouts = false;
  // Of ncclConfig_t; of a longer one it reads no more.
  std::size_t config_bytes = 0;
};

constexpr std::size_t nccl_config_bytes(int version) {
  if (version < 22700) return 48;
  if (version < 22800) return 72;
  if (version < 22900) return 80;
  if (version < 23000) return 88;
  if (version < 23100) return 96;
  return version < 23200 ? 112 : 120;
}

// 22809 is 2.28.9.
constexpr NcclPersona nccl_persona(int version) {
  return {.has_windows = version >= 22700,
          .clears_windows = version >= 23000,
          .lets_ranks_share_gpus = version >= 23000,
          .has_timeouts = version >= 23003,
          .config_bytes = nccl_config_bytes(version)};
}

}  // namespace tutti::fake_cuda
