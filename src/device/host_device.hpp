// SPDX-License-Identifier: Apache-2.0
// AGWAVE_HD marks functions that are written once and compiled for host and device.
#pragma once
#ifdef __CUDACC__
#define AGWAVE_HD __host__ __device__ __forceinline__
#else
#define AGWAVE_HD inline
#endif
