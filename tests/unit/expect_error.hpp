// SPDX-License-Identifier: Apache-2.0
// Errors are part of the interface: tests check the exit code they carry and the words a user needs in the message.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "error/error.hpp"

namespace agwave {

// The message of the Error with this code that `call` must throw.
template <class Call>
std::string message_of(ExitCode code, Call call) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(code)) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

inline void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const auto& w : words) EXPECT_NE(message.find(w), std::string::npos) << "'" << w << "' is not in: " << message;
}

}  // namespace agwave
