// SPDX-License-Identifier: Apache-2.0
// One rank per GPU: a rank takes the device of its local rank (MPI_Comm_split_type) among those it sees, which may be one
// (CUDA_VISIBLE_DEVICES, srun --gpus-per-task). Ranks that meet on one device are an error unless AGWAVE_SHARE_GPUS=1 asks for it.
#pragma once
#include "comm/comm.hpp"
#include "device/cuda_device.hpp"

namespace agwave {

inline constexpr const char* share_variable = "AGWAVE_SHARE_GPUS";

// This rank's device, current from now on; not present where there is none. Collective; throws on every rank alike.
CudaDevice own_device(const Comm& comm);

// How many ranks of this node are on the device of this one, itself included; 1 without a device. Collective.
int ranks_on_device(const CudaDevice& device, const Comm& comm);

// Throws Error(device) on every rank when two share a device and nobody asked for it. Collective.
void refuse_shared_devices(const CudaDevice& device, const Comm& comm);

}  // namespace agwave
