// SPDX-License-Identifier: Apache-2.0
// A library that is opened at run time, so that programs start where there is none. What is opened stays open.
#pragma once
#include <dlfcn.h>

#include <string>

#include "error/error.hpp"

namespace agwave {

class SharedLibrary {
 public:
  std::string missing;  // what could not be opened or found; empty when all is there

  // `needed`: which release has the functions, for the message; `elsewhere`: a folder to look in where the loader finds none, or "".
  SharedLibrary(std::string name, std::string needed, const std::string& elsewhere = "") : name_(std::move(name)), needed_(std::move(needed)) {
    handle_ = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_ && !elsewhere.empty()) handle_ = dlopen((elsewhere + "/" + name_).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) missing = name_ + " cannot be opened (LD_LIBRARY_PATH?)";
  }

  // Null where there is none, which is missing then.
  template <class F>
  F* find(const char* function) {
    F* const f = handle_ ? reinterpret_cast<F*>(dlsym(handle_, function)) : nullptr;
    if (!f && missing.empty()) missing = text(name_, " has no ", function, "; ", needed_, " or later is needed");
    return f;
  }

 private:
  std::string name_, needed_;
  void* handle_ = nullptr;
};

}  // namespace agwave
