// SPDX-License-Identifier: Apache-2.0
// Build facts, filled in by CMake (version.cpp.in).
#pragma once
namespace agwave {
extern const char* const version;  // e.g. "0.1.0"
extern const char* const commit;   // short git hash, "-dirty" appended when the tree had changes; "unknown" outside git
extern const char* const build_type;
extern const char* const compiler;
extern const char* const cuda_compiler;  // empty without CUDA
extern const bool has_cuda, has_netcdf, has_proj, has_nccl, has_blas, has_cublas;
}  // namespace agwave
