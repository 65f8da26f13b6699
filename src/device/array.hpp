// SPDX-License-Identifier: Apache-2.0
// Array<T>: a move-only block of host or device memory. Host memory is 64-byte aligned; device memory is plain cudaMalloc.
// Every allocation is counted, so that a run can report its peak bytes per dof.
// Throws Error(device) with the bytes asked for and the bytes free when memory runs out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace agwave {

enum class Space { host, pinned, device };

void* allocate(Space space, std::size_t bytes);
void release(Space space, void* pointer, std::size_t bytes) noexcept;
void copy_bytes(Space to_space, void* to, Space from_space, const void* from, std::size_t bytes);
void zero_bytes(Space space, void* pointer, std::size_t bytes);

struct MemoryUse {
  std::size_t now = 0, peak = 0;
};  // [bytes], all spaces of this rank together
MemoryUse memory_use();
void reset_memory_peak();  // the peak counts from what is in use now

template <class T>
class Array {
 public:
  Array() = default;
  Array(Space space, std::size_t size) : space_(space), size_(size), data_(static_cast<T*>(allocate(space, size * sizeof(T)))) {}
  Array(Space space, std::span<const T> values) : Array(space, values.size()) { copy_from(values); }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { release(space_, data_, size_ * sizeof(T)); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Space space() const { return space_; }
  void abandon() noexcept {  // its memory is never freed
    data_ = nullptr;
    size_ = 0;
  }
  void zero() { zero_bytes(space_, data_, size_ * sizeof(T)); }
  void copy_from(std::span<const T> values) { copy_bytes(space_, data_, Space::host, values.data(), values.size() * sizeof(T)); }
  void copy_to(std::span<T> values) const { copy_bytes(Space::host, values.data(), space_, data_, values.size() * sizeof(T)); }
  std::vector<T> to_host() const {
    std::vector<T> values(size_);
    copy_to(values);
    return values;
  }

 private:
  void swap(Array& other) noexcept {
    std::swap(space_, other.space_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }
  Space space_ = Space::host;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

}  // namespace agwave
