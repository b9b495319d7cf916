// What tells one configuration of OpenVINO's CPU plugin from another.
#pragma once

#include "interpreter/openvino/parameters.hpp"

namespace qassay::openvino_cpu {

/// The plugin's node that computes a grid.
enum class Node : std::uint8_t {
  snippets,   ///< generated code for a subgraph; the usual one
  jit,        ///< the older FakeQuantize node
  reference,  ///< the reference kernel, called as a node
  eltwise,    ///< elementwise operations one by one
};

enum class LowPrecisionTransforms : std::uint8_t { no, yes };

inline Parameter node_parameter() {
  return {.name = "node",
          .role = Role::node,
          .kind = ParameterKind::choice,
          .fallback = "snippets",
          .words = {"snippets", "jit", "reference", "eltwise"},
          .about = "the plugin's node that computes; README.md says which runs when"};
}
inline Parameter low_precision_transforms_parameter() {
  return {.name = "lp_transforms_mode",
          .role = Role::low_precision_transforms,
          .kind = ParameterKind::choice,
          .fallback = "no",
          .words = {"no", "yes"},
          .about = "the plugin's key LP_TRANSFORMS_MODE: whether output bounds are rewritten before the node is made"};
}
inline bool asks_for_rewriting(const Arguments& arguments) {
  return arguments.choice<LowPrecisionTransforms>(Role::low_precision_transforms) == LowPrecisionTransforms::yes;
}

}  // namespace qassay::openvino_cpu
