// SPDX-License-Identifier: Apache-2.0
// Walks a classic netCDF header ("NetCDF Classic Format Specification"): big-endian counts of 4 bytes, 8 in format 5;
// names and attribute values padded to 4 bytes; per variable its dimensions, type and offset.
#include "files/classic_size.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <vector>

namespace agwave {
namespace {

struct Header {
  std::ifstream in;
  int version = 0;

  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (int b = 0; b < bytes; ++b) value = value << 8 | static_cast<std::uint64_t>(in.get() & 0xff);
    return value;
  }
  std::uint64_t count() { return number(version == 5 ? 8 : 4); }
  std::uint64_t list() {  // number of elements after a tag
    number(4);
    return in ? count() : 0;
  }
  void skip(std::uint64_t bytes) {
    if (bytes > std::uint64_t{1} << 40) return in.setstate(std::ios::failbit);  // nonsense, and never a step back
    in.seekg(static_cast<std::streamoff>((bytes + 3) / 4 * 4), std::ios::cur);
  }
  void skip_attributes() {
    for (std::uint64_t n = list(); n > 0 && in; --n) {
      skip(count());
      const std::uint64_t width = value_size();
      const std::uint64_t values = count();
      skip(values > std::uint64_t{1} << 40 ? values : values * width);
    }
  }
  std::uint64_t value_size() {  // of the type that comes next; the library divides by that of an unknown one
    static constexpr std::uint64_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};  // byte char short int float double, then unsigned and 64-bit
    const std::uint64_t type = number(4);
    if (type > 0 && type < (version == 5 ? std::size(sizes) : 7)) return sizes[type];
    in.setstate(std::ios::failbit);
    return 0;
  }
};

}  // namespace

std::uint64_t classic_size(const std::string& path) {
  Header h{std::ifstream(path, std::ios::binary)};
  char magic[4] = {};
  h.in.read(magic, 4);
  h.version = static_cast<unsigned char>(magic[3]);
  if (!h.in || std::string(magic, 3) != "CDF" || (h.version != 1 && h.version != 2 && h.version != 5)) return 0;
  const std::uint64_t records = h.count();
  const bool streaming = records == (h.version == 5 ? std::numeric_limits<std::uint64_t>::max() : 0xffffffffu);  // not known to the header
  std::vector<std::uint64_t> dimensions;
  for (std::uint64_t n = h.list(); n > 0 && h.in; --n) {
    h.skip(h.count());
    dimensions.push_back(h.count());  // 0: the record dimension
  }
  h.skip_attributes();

  struct Variable {
    std::uint64_t begin, bytes;
    bool record;
  };
  std::vector<Variable> variables;
  std::uint64_t record_size = 0, record_variables = 0;
  for (std::uint64_t n = h.list(); n > 0 && h.in; --n) {
    h.skip(h.count());
    std::uint64_t points = 1;
    bool record = false;
    const std::uint64_t rank = h.count();
    for (std::uint64_t d = 0; d < rank && h.in; ++d) {
      const std::uint64_t id = h.count(), size = id < dimensions.size() ? dimensions[id] : 1;
      if (d == 0 && size == 0)
        record = true;
      else
        points *= size;
    }
    h.skip_attributes();
    const std::uint64_t bytes = points * h.value_size();
    h.count();  // vsize, unreliable for large variables
    variables.push_back({h.number(h.version == 1 ? 4 : 8), bytes, record});
    if (record) record_size += (bytes + 3) / 4 * 4, ++record_variables;
  }
  if (!h.in) return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t needed = 0;
  for (const Variable& v : variables) {
    if (!v.record) {
      needed = std::max(needed, v.begin + v.bytes);
    } else if (records > 0 && !streaming) {
      const std::uint64_t stride = record_variables == 1 ? v.bytes : record_size;  // a lone record variable is not padded
      needed = std::max(needed, v.begin + (records - 1) * stride + v.bytes);
    }
  }
  return needed;
}

}  // namespace agwave
