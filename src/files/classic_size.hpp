// SPDX-License-Identifier: Apache-2.0
// The netCDF library reads zeros beyond the end of a truncated classic (netCDF-3) file, without complaint: zeros that
// would become sea level. So the size that the header asks for is compared with the file's.
#pragma once
#include <cstdint>
#include <string>

namespace agwave {

// Bytes that the header of a classic file asks for (formats 1, 2 and 5); 0 for files of another format, and the largest
// value there is for a header that is cut off itself or has a type that the format does not know.
std::uint64_t classic_size(const std::string& path);

}  // namespace agwave
