// Every formula there is.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "interpreter/formula.hpp"

namespace qassay {

namespace onnx {
std::vector<Formula> formulas();
}
namespace onnxruntime {
std::vector<Formula> formulas();
}
namespace onnx_reference {
std::vector<Formula> formulas();
}
namespace pytorch {
std::vector<Formula> formulas();
}
namespace quantized_decomposed {
std::vector<Formula> formulas();
}
namespace torchao {
std::vector<Formula> formulas();
}
namespace inductor {
std::vector<Formula> formulas();
}
namespace executorch {
std::vector<Formula> formulas();
}
namespace openvino {
std::vector<Formula> formulas();
}
namespace openvino_cpu {
std::vector<Formula> formulas();
}

/// All formulas, dialect by dialect.
std::span<const Formula> all_formulas();

/// The formula with this id, or nullptr.
const Formula* find_formula(std::string_view id);

/// The formula with this id. Throws RequestError(not_found) that offers the nearest names.
const Formula& formula(std::string_view id);

}  // namespace qassay
