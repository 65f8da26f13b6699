// SPDX-License-Identifier: Apache-2.0
#include "device/cublas.hpp"

#include "device/shared_library.hpp"
#include "error/error.hpp"

#if AGWAVE_CUDA && AGWAVE_CUBLAS
#include <cublas_v2.h>

#include <cmath>
#include <cstdlib>
#include <type_traits>

namespace agwave {

namespace {

// Bits of the mantissa that FP64 products by integers keep (CUDA 13.0 Update 2 and later); without it products are in FP64.
constexpr const char* emulation_variable = "AGWAVE_FP64_EMULATION";

const std::string library_name = text("libcublas.so.", CUBLAS_VER_MAJOR);

struct Library : SharedLibrary {
  decltype(cublasCreate_v2)* create = find<decltype(cublasCreate_v2)>("cublasCreate_v2");
  decltype(cublasDestroy_v2)* destroy = find<decltype(cublasDestroy_v2)>("cublasDestroy_v2");
  decltype(cublasSetStream_v2)* set_stream = find<decltype(cublasSetStream_v2)>("cublasSetStream_v2");
  decltype(cublasSetMathMode)* set_math_mode = find<decltype(cublasSetMathMode)>("cublasSetMathMode");
  decltype(cublasDgemm_v2_64)* dgemm = find<decltype(cublasDgemm_v2_64)>("cublasDgemm_v2_64");
  decltype(cublasDgemmStridedBatched_64)* dgemm_batched = find<decltype(cublasDgemmStridedBatched_64)>("cublasDgemmStridedBatched_64");
  decltype(cublasGetStatusString)* status_string = find<decltype(cublasGetStatusString)>("cublasGetStatusString");

  Library() : SharedLibrary(library_name, "one of CUDA 12", AGWAVE_CUDA_LIBRARIES) {}  // the folder: where the build saw CUDA
};

const Library& library() {
  static const Library opened;
  return opened;
}

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw Error(ExitCode::device, text("cuBLAS: ", call, " failed: ", library().status_string(status)));
}

int emulated_bits() {  // 0: none
  const char* const value = std::getenv(emulation_variable);
  if (!value || !*value) return 0;
  char* end = nullptr;
  const long bits = std::strtol(value, &end, 10);
  if (*end || bits < 1 || bits > 255)
    throw Error(ExitCode::usage, text(emulation_variable, ": '", value, "' is no number of mantissa bits; allowed are 1 to 255, FP64 has 53"));
  return static_cast<int>(bits);
}

// What is asked for when variants are listed, where a bad value is no bits: who multiplies refuses it.
int bits_if_any() {
  try {
    return emulated_bits();
  } catch (const Error&) {
    return 0;
  }
}

#if CUBLAS_VERSION >= 130100
template <class F>
F function(F, const char* name) {
  SharedLibrary emulating(library_name, "one of CUDA 13.0 Update 2", AGWAVE_CUDA_LIBRARIES);
  const F f = emulating.find<std::remove_pointer_t<F>>(name);
  if (!f) throw Error(ExitCode::device, text(emulation_variable, ": ", emulating.missing));
  return f;
}
void emulate(cublasHandle_t handle, int bits) {
  using Strategy = cublasStatus_t (*)(cublasHandle_t, cublasEmulationStrategy_t);
  using Control = cublasStatus_t (*)(cublasHandle_t, cudaEmulationMantissaControl);
  using Count = cublasStatus_t (*)(cublasHandle_t, int);
  check(library().set_math_mode(handle, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH), "cublasSetMathMode");
  check(function(Strategy{}, "cublasSetEmulationStrategy")(handle, CUBLAS_EMULATION_STRATEGY_EAGER), "cublasSetEmulationStrategy");
  check(function(Control{}, "cublasSetFixedPointEmulationMantissaControl")(handle, CUDA_EMULATION_MANTISSA_CONTROL_FIXED),
        "cublasSetFixedPointEmulationMantissaControl");
  check(function(Count{}, "cublasSetFixedPointEmulationMaxMantissaBitCount")(handle, bits), "cublasSetFixedPointEmulationMaxMantissaBitCount");
}
#else
void emulate(cublasHandle_t, int) {
  throw Error(ExitCode::device,
              text(emulation_variable, ": this build's cuBLAS, ", CUBLAS_VER_MAJOR, ".", CUBLAS_VER_MINOR,
                   ", has no FP64 emulation; it takes one of CUDA 13.0 Update 2 or later. Without the variable products are in FP64"));
}
#endif

}  // namespace

double Cublas::emulation_error() { return bits_if_any() > 0 ? std::ldexp(1.0, 7 - bits_if_any()) : 0; }

std::string Cublas::why_absent() { return library().missing; }

Cublas::Cublas(void* cuda_stream) {
  if (!why_absent().empty()) throw Error(ExitCode::device, why_absent());
  bits_ = emulated_bits();
  check(library().create(&handle_), "cublasCreate");
  try {
    check(library().set_stream(handle_, static_cast<cudaStream_t>(cuda_stream)), "cublasSetStream");
    if (bits_ > 0) emulate(handle_, bits_);
  } catch (...) {
    library().destroy(handle_);
    throw;
  }
}

Cublas::~Cublas() { library().destroy(handle_); }

void Cublas::multiply(const MatrixProduct& m, const double* b, double* c, std::int64_t columns) const {
  const double one = 1, zero = 0;
  check(library().dgemm(handle_, m.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, m.rows, columns, m.inner, &one, m.a, m.a_column, b, m.inner,
                        &zero, c, m.rows),
        "cublasDgemm");
}

void Cublas::multiply_batch(const MatrixProduct& m, const double* b, double* c, std::int64_t columns, int products) const {
  const double one = 1, zero = 0;
  check(library().dgemm_batched(handle_, m.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, m.rows, columns, m.inner, &one, m.a, m.a_column, 0, b,
                                m.inner, columns * m.inner, &zero, c, m.rows, columns * m.rows, products),
        "cublasDgemmStridedBatched");
}

std::string Cublas::note() const { return bits_ > 0 ? text(", FP64 emulated with ", bits_, " mantissa bits") : ""; }

}  // namespace agwave
#endif
