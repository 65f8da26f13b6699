// SPDX-License-Identifier: Apache-2.0
// Largest eigenvalues on one element in the M_p product: by Lanczos for any symmetric 125 x 125 operator, eight side by side, and for boxes.
//   A_box = c_x K x N x N + c_y N x K x N + c_z N x N x K,   K = dB^T w dB, N = B^T w B in the lumped GLL product,
// so a box with half sizes a_d has c_d = c^2 / a_d^2; walls and floor add sigma on the nodes of their faces.
#pragma once
#include <array>
#include <functional>
#include <span>

#include "fem/element_lanes.hpp"

namespace agwave {

using PerLane = std::array<double, Lanes>;  // between functions: how a vector wider than the registers is passed depends on the target

// Largest eigenvalues of symmetric operators on R^125, one a lane, none of which depends on the others; relative error below 1e-9.
PerLane largest_eigenvalues(const std::function<void(const Vec* in, Vec* out)>& apply);

struct BoxElement {
  double c[3] = {};                         // [1/s^2]
  double sigma_x[2] = {}, sigma_y[2] = {};  // damping rate on the low and high face [1/s]
  double sigma_floor = 0;                   // and on the floor
};

// max over x of (a A + s S) and over the boxes, both relative to M_p; 0 of none.
double box_support(std::span<const BoxElement> boxes, double a, double s);

// Upper bound of box_support() of one box with a = 1, s = 0, tight to about 0.1 %: linear interpolation of the convex, homogeneous function.
class BoxBound {
 public:
  BoxBound();
  double operator()(double cx, double cy, double cz) const;

 private:
  static constexpr int N = 24;
  double value_[N + 1][N + 1];
};
const BoxBound& box_bound();  // made once, which takes a hundredth of a second

}  // namespace agwave
