"""OpenVINO as a qassay backend. Usage: adapter.py [NAME], the configuration's name (openvino)."""

from bridge import adapter  # isort: skip  # before anything that may print

import onnx_front_end  # noqa: F401
import operators  # noqa: F401

PER_CHANNEL = ("fake_quantize_per_channel_affine", "fake_quantize_learnable_per_channel_affine")


@adapter.formula(
    *(f"openvino.translate_{operator}" for operator in PER_CHANNEL),
    *(f"{dialect}.{operator}" for dialect in ("pytorch", "openvino", "openvino_cpu") for operator in PER_CHANNEL),
)
def through_torch(case):
    import torch_front_end  # torch is slow to start, and most cases do without it

    return torch_front_end.answer(case)


if __name__ == "__main__":
    adapter.run()
