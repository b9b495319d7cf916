#!/usr/bin/env bash
# Everything needed and all tests: packages, build, C++ tests, goldens from two compilers, real backends, oracle, adapters, report, README
# examples, schemas, formatting. Stops at the end with what failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()
step() { # name, command…
  local name="$1"
  shift
  printf '\n=== %s\n' "$name"
  local start=$SECONDS
  if "$@"; then
    printf '=== %s: passed in %d s\n' "$name" $((SECONDS - start))
  else
    printf '=== %s: FAILED\n' "$name"
    failed+=("$name")
  fi
}
must() { # a step without which the rest makes no sense
  step "$@"
  if [ "${#failed[@]}" -gt 0 ]; then
    printf '\nFAILED: %s\n' "${failed[*]}"
    exit 1
  fi
}

build_with() { # folder, compiler, build type, targets…
  cmake -S . -B "$1" -G Ninja -DQASSAY_DEVELOPER=ON -DCMAKE_CXX_COMPILER="$2" -DCMAKE_BUILD_TYPE="$3" \
    -DCMAKE_CXX_FLAGS_DEBUG="-O0" >"$1.log" &&
    cmake --build "$1" --target "${@:4}"
}
python_environment() {
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/pip install -q -r tests/requirements.txt
}

must "packages" tools/setup/install_packages.sh build tests
must "build with gcc" build_with build g++ Release all
must "python environment" python_environment
step "C++ tests" ctest --test-dir build --output-on-failure --no-tests=error -j2
step "goldens, gcc -O3" build/qassay golden --check
step "goldens, gcc, plain instructions" env QASSAY_VECTOR_TARGET=baseline build/qassay golden --check
step "build with clang -O0" build_with build-clang clang++ Debug qassay
step "goldens, clang -O0" build-clang/qassay golden --check
must "backends" build/qassay backends --install onnxruntime --install onnx_reference --install pytorch --install executorch --install openvino
step "check against ONNX Runtime and the ONNX reference" build/qassay check --backend onnxruntime --backend onnx_reference \
  cases/onnx cases/onnxruntime cases/onnx_reference cases/program/integer_linear.json
step "check against PyTorch and torchao" build/qassay check --backend pytorch cases/pytorch cases/quantized_decomposed cases/torchao \
  cases/program
step "check against PyTorch without FMA" build/qassay check --backend pytorch_default cases/pytorch
# Here every case makes a program or a kernel of its own, so not all cases are run.
step "check against ExecuTorch and its XNNPACK delegate" build/qassay check --backend executorch --backend executorch_xnnpack \
  cases/executorch
step "check against OpenVINO's reference kernels" build/qassay check --backend openvino_reference cases/openvino
step "check against OpenVINO's CPU plugin" build/qassay check --backend openvino --backend openvino_lpt_off --backend openvino_jit \
  cases/openvino_cpu cases/program/translated_fake_quantize.json
step "check what crosses from PyTorch and ONNX to OpenVINO" build/qassay check --backend openvino --backend openvino_reference \
  cases/pytorch/fake_quantize_learnable_per_channel_affine.json cases/onnx/quantize_linear.json cases/onnx/dequantize_linear.json
step "check against torch.compile" build/qassay check --backend pytorch_compiled_tensor cases/inductor/quantize_per_tensor_tensor.json
step "Python tests" .venv/bin/python -m pytest -q -n 2 tests
step "ruff" .venv/bin/ruff check .
step "ruff format" .venv/bin/ruff format --check .
step "clang-format" bash -c "git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror"
step "clang-tidy on the interpreter" bash -c "git ls-files 'interpreter/*.cpp' | xargs -P 2 -n 4 clang-tidy -p build-clang --quiet 2>/dev/null"

if [ "${#failed[@]}" -gt 0 ]; then
  printf '\nFAILED: %s\n' "${failed[*]}"
  exit 1
fi
printf '\nall steps passed\n'
