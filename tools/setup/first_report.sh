#!/usr/bin/env bash
# From a fresh Debian machine to a report: installs what is missing, builds, sets up ONNX Runtime and the ONNX reference in environments of
# their own, checks both on all ONNX cases and writes report/index.html.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tools/setup/install_packages.sh build
cmake -S . -B build -G Ninja -DQASSAY_DEVELOPER=OFF >&2
cmake --build build >&2
build/qassay backends --install onnxruntime --install onnx_reference
mkdir -p report
build/qassay check --backend onnxruntime --backend onnx_reference cases/onnx cases/onnxruntime cases/onnx_reference \
  --html report/index.html --json report/results.json --junit report/junit.xml
echo "The report: $PWD/report/index.html"
