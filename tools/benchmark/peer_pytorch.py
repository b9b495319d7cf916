"""Elements per second of PyTorch's quantize and fake-quantize operators, one thread, as JSON by formula id."""

import json
import warnings

import torch
from stopwatch import elements_per_second, ramp

warnings.filterwarnings("ignore", category=UserWarning)
torch.set_num_threads(1)
x = torch.from_numpy(ramp())

print(
    json.dumps(
        {
            "pytorch.quantize_per_tensor@2.13": elements_per_second(lambda: torch.quantize_per_tensor(x, 0.1, 3, torch.quint8)),
            "pytorch.fake_quantize_per_tensor_affine": elements_per_second(
                lambda: torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(x, 0.1, 3, 0, 255)
            ),
        }
    )
)
