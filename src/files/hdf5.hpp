// SPDX-License-Identifier: Apache-2.0
// HDF5 with every return code checked: identifiers that close themselves and a file whose failures name the path, what
// was being done and the system's reason ("No space left on device"). HDF5's own printing to stderr is switched off.
// A new file grows under PATH.part and takes its name in publish(), once everything a reader needs is on the disk; it
// is never locked, so that it can be read while the run goes on.
#pragma once
#include <hdf5.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "error/error.hpp"

namespace agwave::hdf5 {

using Extent = std::vector<hsize_t>;                                  // slowest first
hsize_t count(std::span<const hsize_t> shape, std::size_t from = 0);  // of values, from that dimension on; a scalar has one

// Owns one identifier of any kind (file, dataset, space, type, property list).
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept;
  hid_t get() const { return id_; }
  herr_t reset() noexcept { return id_ < 0 ? 0 : close_(std::exchange(id_, -1)); }  // negative: HDF5 could not close it

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Switches off what HDF5 prints of its own; each thread that calls HDF5 has to, opening or creating a file does.
void silence();

// The innermost message of the last failed call, reduced to the system's words where HDF5 quotes them.
std::string last_reason();

class File {
 public:
  static File create(const std::string& path);                                     // for writing; throws Error(output)
  static File open(const std::string& path, ExitCode on_error = ExitCode::input);  // read-only
  ~File();                                                                         // closes without complaint; a file never published is removed
  File(File&& other) noexcept
      : path_(std::move(other.path_)), part_(std::exchange(other.part_, {})), code_(other.code_), handle_(std::move(other.handle_)) {}
  File& operator=(File&&) = delete;

  hid_t id() const { return handle_.get(); }
  const std::string& path() const { return path_; }
  // Returns a non-negative `result`; otherwise throws "PATH: cannot WHAT: REASON".
  template <class Result>
  Result check(Result result, const std::string& what) const {
    if (result < 0) fail(what, last_reason());
    return result;
  }
  Handle own(hid_t object, Handle::Close closer, const std::string& what) const { return Handle(check(object, what), closer); }
  [[noreturn]] void fail(const std::string& what, const std::string& reason) const;

  // Attributes of the file (its root group) or of one of its objects. Text is variable-length UTF-8, of any size.
  void attribute(hid_t object, const std::string& name, const std::string& value) const;
  void attribute(hid_t object, const std::string& name, hid_t file_type, hid_t memory_type, const void* scalar) const;
  void attribute(hid_t object, const std::string& name, double value) const { attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value); }
  void attribute(hid_t object, const std::string& name, std::int64_t value) const {
    attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
  }
  std::string text(hid_t object, const std::string& name) const;  // attribute

  Handle space(const Extent& shape, const std::string& what) const;  // without dimensions: of a scalar
  // A new dataset of a group, or of the file.
  Handle create(hid_t group, const std::string& name, hid_t type, const Extent& shape, const std::string& what, hid_t properties = H5P_DEFAULT) const;
  Extent shape(hid_t dataset, const std::string& what) const;
  Handle box(const Extent& shape, const Extent& first, const Extent& count, const std::string& what) const;  // of an array of `shape`

  void flush() const;  // hands everything to the operating system: survives a kill. An error when the file's name is gone
  void sync() const;   // and to the disk: survives a crash of the machine
  void publish();      // sync, then replaces whatever stands under path()
  void close();        // all other identifiers of the file must be closed

 private:
  File(std::string path, std::string part, ExitCode code) : path_(std::move(path)), part_(std::move(part)), code_(code) {}
  std::string path_, part_;  // part_: the temporary name, empty once published
  ExitCode code_;
  Handle handle_;
};

Handle text_type();  // variable-length UTF-8

}  // namespace agwave::hdf5
