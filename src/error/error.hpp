// SPDX-License-Identifier: Apache-2.0
// Errors are part of the interface: every failure is an `Error` that carries the exit code the command line promises.
// Throw it anywhere; main() catches it once, prints it on rank 0 and returns the code.
#pragma once
#include <sstream>
#include <stdexcept>
#include <string>

namespace agwave {

enum class ExitCode : int {
  done = 0,
  usage = 2,     // command line or case file (a sensor outside the domain included)
  input = 3,     // input data missing, unreadable, wrong or not covering the domain
  unstable = 4,  // the state is not finite, or its energy grows without a source
  output = 5,    // cannot write: directory, disk
  device = 6,    // GPU or MPI, not enough memory, or what nobody has foreseen
  stopped = 75,  // clean stop on a signal
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// An Error that every rank throws together (Comm::agree): rank 0 prints it and all ranks leave in good order. Any other
// Error belongs to one rank alone, which must abort the others lest they wait for it.
class AgreedError : public Error {
 public:
  AgreedError(ExitCode code, const std::string& message, int ranks = 0) : Error(code, message), ranks_(ranks) {}
  int ranks() const { return ranks_; }  // among how many it was agreed; 0: not by Comm::agree

 private:
  int ranks_;
};

// Concatenates its arguments as `operator<<` prints them; doubles with 15 significant digits at most.
template <class... Args>
std::string text(const Args&... args) {
  std::ostringstream out;
  out.precision(15);
  (out << ... << args);
  return out.str();
}

// To so many significant digits, for people.
inline double rounded(double value, int digits = 3) {
  std::ostringstream out;
  out.precision(digits);
  out << value;
  double result = value;
  std::istringstream(out.str()) >> result;
  return result;
}

}  // namespace agwave
