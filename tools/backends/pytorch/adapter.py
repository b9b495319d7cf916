"""PyTorch, eager, on the CPU, one thread, as a qassay backend. Usage: adapter.py [NAME], the backend's name (pytorch)."""

from bridge import adapter  # isort: skip  # before anything that may print

import aten_operators  # noqa: F401
import decomposed  # noqa: F401
import observers  # noqa: F401
import torchao_primitives  # noqa: F401

if __name__ == "__main__":
    adapter.run()
