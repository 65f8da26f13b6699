// SPDX-License-Identifier: Apache-2.0
// See hdf5.hpp. Two settings matter for readers of a running or killed run: no lock (the default one makes every reader
// fail with "unable to lock file"), and no sieve buffer, so that raw data reach the file in the order they are written.
#include "files/hdf5.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "files/replace_file.hpp"

namespace agwave::hdf5 {
namespace {

herr_t keep_innermost(unsigned, const H5E_error2_t* error, void* result) {
  *static_cast<std::string*>(result) = error->desc != nullptr ? error->desc : "";
  return 1;  // stop: walking upward starts at the innermost
}

// HDF5 1.10 cannot forget a file that it failed to write, and crashes on it in its exit handler: a full disk would end in
// a signal instead of our exit code. Every file is closed by its owner, so nothing is lost without the handler, which has
// to be declined before anybody's first HDF5 call.
[[maybe_unused]] const herr_t no_exit_handler = H5dont_atexit();

Handle access_properties(const File& file) {
  Handle access = file.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set up HDF5");
  file.check(H5Pset_fapl_sec2(access.get()), "set up HDF5");
  file.check(H5Pset_sieve_buf_size(access.get(), 0), "set up HDF5");
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  file.check(H5Pset_file_locking(access.get(), false, true), "set up HDF5");
#endif
  // 1.8: attributes beyond 64 kB, and no "open for writing" mark, which a killed run would leave behind.
  file.check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18), "set up HDF5");
  return access;
}

}  // namespace

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
  }
  return *this;
}

std::string last_reason() {
  std::string message;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &message);
  if (message.empty()) return "HDF5 gives no reason";
  const std::string quote = "error message = '";
  const auto begin = message.find(quote);
  const auto end = begin == std::string::npos ? begin : message.find('\'', begin + quote.size());
  return end == std::string::npos ? "HDF5: " + message : message.substr(begin + quote.size(), end - begin - quote.size());
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (type.get() < 0 || H5Tset_size(type.get(), H5T_VARIABLE) < 0 || H5Tset_cset(type.get(), H5T_CSET_UTF8) < 0)
    throw Error(ExitCode::output, "HDF5 cannot make a string type: " + last_reason());
  return type;
}

hsize_t count(std::span<const hsize_t> shape, std::size_t from) {
  hsize_t product = 1;
  for (std::size_t d = from; d < shape.size(); ++d) product *= shape[d];
  return product;
}

File File::create(const std::string& path) {
  silence();
  File file(path, path + ".part", ExitCode::output);
  const Handle access = access_properties(file);
  const Handle creation = file.own(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "set up HDF5");
  // The netCDF library insists on the order of creation.
  file.check(H5Pset_link_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "set up HDF5");
  file.check(H5Pset_attr_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "set up HDF5");
  std::remove(file.part_.c_str());  // what an earlier run left, or a link to elsewhere
  file.handle_ = file.own(H5Fcreate(file.part_.c_str(), H5F_ACC_EXCL, creation.get(), access.get()), H5Fclose, "create the file");
  return file;
}

File File::open(const std::string& path, ExitCode on_error) {
  silence();
  File file(path, "", on_error);
  const Handle access = access_properties(file);
  file.handle_ = file.own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "open the file");
  return file;
}

File::~File() {
  handle_.reset();
  if (!part_.empty()) std::remove(part_.c_str());
}

void File::fail(const std::string& what, const std::string& reason) const { throw Error(code_, path_ + ": cannot " + what + ": " + reason); }

void File::attribute(hid_t object, const std::string& name, const std::string& value) const {
  const Handle type = text_type();
  const char* text = value.c_str();
  attribute(object, name, type.get(), type.get(), &text);
}

void File::attribute(hid_t object, const std::string& name, hid_t file_type, hid_t memory_type, const void* scalar) const {
  const std::string what = "write attribute " + name;
  const Handle attribute = own(H5Acreate2(object, name.c_str(), file_type, space({}, what).get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  check(H5Awrite(attribute.get(), memory_type, scalar), what);
}

std::string File::text(hid_t object, const std::string& name) const {
  const std::string what = "read attribute " + name;
  const Handle attribute = own(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, what);
  const Handle type = text_type();
  char* found = nullptr;
  check(H5Aread(attribute.get(), type.get(), &found), what);
  std::string value = found ? found : "";
  H5free_memory(found);
  return value;
}

Handle File::space(const Extent& shape, const std::string& what) const {
  return own(shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose, what);
}

Handle File::create(hid_t group, const std::string& name, hid_t type, const Extent& shape, const std::string& what, hid_t properties) const {
  return own(H5Dcreate2(group, name.c_str(), type, space(shape, what).get(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose, what);
}

Extent File::shape(hid_t dataset, const std::string& what) const {
  const Handle space = own(H5Dget_space(dataset), H5Sclose, what);
  Extent shape(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space.get()), what)));
  check(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), what);
  return shape;
}

Handle File::box(const Extent& shape, const Extent& first, const Extent& count, const std::string& what) const {
  Handle part = space(shape, what);
  check(H5Sselect_hyperslab(part.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr), what);
  return part;
}

void File::flush() const {
  check(H5Fflush(id(), H5F_SCOPE_LOCAL), "flush the file");
  if (!part_.empty() || code_ != ExitCode::output) return;
  void* fd = nullptr;  // writing to a file without a name goes well and keeps nothing
  struct stat named {
  }, open{};
  check(H5Fget_vfd_handle(id(), H5P_DEFAULT, &fd), "flush the file");
  if (::stat(path_.c_str(), &named) != 0) fail("go on writing the file", std::strerror(errno));
  if (::fstat(*static_cast<int*>(fd), &open) == 0 && (named.st_ino != open.st_ino || named.st_dev != open.st_dev))
    fail("go on writing the file", "another file has taken its name; is a second run writing there?");
}

void File::sync() const {
  flush();
  void* fd = nullptr;
  check(H5Fget_vfd_handle(id(), H5P_DEFAULT, &fd), "flush the file");
  // Some file systems cannot sync; that is not an error of ours.
  if (::fsync(*static_cast<int*>(fd)) != 0 && errno != EINVAL && errno != ENOTSUP) fail("flush the file", std::strerror(errno));
}

void File::publish() {
  sync();
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail("name the finished file", std::strerror(errno));
  part_.clear();
  sync_directory(std::filesystem::path(path_).parent_path());
}

void File::close() {
  if (id() < 0) return;
  if (part_.empty() && code_ == ExitCode::output) sync();
  check(handle_.reset(), "close the file");
}

}  // namespace agwave::hdf5
