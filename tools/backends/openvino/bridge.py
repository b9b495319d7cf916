"""What the modules of this adapter share: the adapter object. Importing it starts the adapter; the first argument is the configuration."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from qassay_adapter import Adapter

NAME = sys.argv[1] if len(sys.argv) > 1 else "openvino"
adapter = Adapter(
    NAME,
    version=metadata.version("openvino"),
    packages={name: metadata.version(name) for name in ("onnx", "torch", "numpy", "ml_dtypes")},
)
