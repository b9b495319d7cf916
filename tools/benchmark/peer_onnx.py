"""Elements per second of ONNX Runtime's and the reference evaluator's QuantizeLinear, one thread, as JSON by formula id."""

import json

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from stopwatch import ELEMENTS, elements_per_second, ramp

node = helper.make_node("QuantizeLinear", ["x", "scale", "zero_point"], ["y"])
graph = helper.make_graph(
    [node],
    "quantize",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ELEMENTS])],
    [helper.make_tensor_value_info("y", TensorProto.UINT8, [ELEMENTS])],
    [helper.make_tensor("scale", TensorProto.FLOAT, [], [0.1]), helper.make_tensor("zero_point", TensorProto.UINT8, [], [3])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)

x = ramp()
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
# Bound buffers: neither side pays for handing tensors over.
binding = session.io_binding()
binding.bind_ortvalue_input("x", onnxruntime.OrtValue.ortvalue_from_numpy(x))
binding.bind_ortvalue_output("y", onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(ELEMENTS, np.uint8)))
reference = ReferenceEvaluator(model)

print(
    json.dumps(
        {
            "onnxruntime.QuantizeLinear": elements_per_second(lambda: session.run_with_iobinding(binding)),
            "onnx_reference.QuantizeLinear": elements_per_second(lambda: reference.run(None, {"x": x})),
        }
    )
)
