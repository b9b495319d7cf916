"""A small network after quantization aware training: the graph that was trained against the graph that convert_pt2e makes of it.

The four settings are four branches of one model, each a copy of the same pretrained network with a configuration of its own. They share
nothing but the input, so each trains as it would alone; and convert_pt2e, which traces patterns for 15 seconds whatever the model, is
called once.
"""

import copy
import dataclasses
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import torch
from arrays import ratios, save, sqnr_db, ulps_apart
from fake_quantizers import EPS, state
from torch import nn
from torchao.quantization.pt2e import FakeQuantize, MovingAveragePerChannelMinMaxObserver, disable_observer, move_exported_model_to_eval
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_qat_pt2e
from torchao.quantization.pt2e.quantizer import Quantizer

# ExecuTorch's XNNPACK quantizer, as torchao keeps it for its own tests: the same configuration and annotators without ExecuTorch.
from torchao.testing.pt2e._xnnpack_quantizer import get_symmetric_quantization_config
from torchao.testing.pt2e._xnnpack_quantizer_utils import OP_TO_ANNOTATOR, QuantizationConfig, propagate_annotation

SETTINGS = {"int8_fused": (127, False), "int8_plain": (127, True), "int4_fused": (7, False), "int4_plain": (7, True)}
LAYERS = (torch.ops.aten.conv2d.default, torch.ops.aten.linear.default)
CLASSES, IMAGES, BATCH, EPOCHS = 10, 512, 32, 2


def network() -> nn.Module:
    width = 8
    return nn.Sequential(
        OrderedDict(
            conv_1=nn.Conv2d(3, width, 3, padding=1, bias=False),
            bn_1=nn.BatchNorm2d(width),
            relu_1=nn.ReLU(),
            conv_2=nn.Conv2d(width, width, 3, padding=1, bias=False),
            bn_2=nn.BatchNorm2d(width),
            relu_2=nn.ReLU(),
            flatten=nn.Flatten(),
            linear=nn.Linear(width * 8 * 8, CLASSES),
        )
    )


class Branches(nn.Module):
    def __init__(self, branches: dict[str, nn.Module]):
        super().__init__()
        for name, branch in branches.items():
            self.add_module(name, branch)

    def forward(self, x):
        return [branch(x) for branch in self.children()]


def images() -> tuple[torch.Tensor, torch.Tensor]:
    """A picture for each class, under noise."""
    pictures = torch.randn(CLASSES, 3, 8, 8)
    labels = torch.randint(0, CLASSES, (IMAGES,))
    return pictures[labels] + torch.randn(IMAGES, 3, 8, 8), labels


def train(model: nn.Module, x: torch.Tensor, labels: torch.Tensor, rate: float) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
    for _ in range(EPOCHS):
        for start in range(0, len(x), BATCH):
            optimizer.zero_grad()
            outputs = model(x[start : start + BATCH])
            # Branches share no parameters: the gradient of the sum is each branch's own.
            sum(nn.functional.cross_entropy(output, labels[start : start + BATCH]) for output in outputs).backward()
            optimizer.step()


def configuration(quant_max: int, is_plain: bool) -> QuantizationConfig:
    """XNNPACK's default for training; the plain one differs in the module on the weights alone."""
    default = get_symmetric_quantization_config(is_per_channel=True, is_qat=True, weight_qmin=-quant_max, weight_qmax=quant_max)
    if not is_plain:
        return default
    plain = FakeQuantize.with_args(observer=MovingAveragePerChannelMinMaxObserver, eps=EPS)
    return dataclasses.replace(default, weight=dataclasses.replace(default.weight, observer_or_fake_quant_ctr=plain))


def is_of_branch(name: str) -> Callable[[torch.fx.Node], bool]:
    def filter_node(node: torch.fx.Node) -> bool:
        # Parameters carry no module stack, only their path. (XNNPACKQuantizer.set_module_name looks at the stack alone and so passes over
        # every layer of an exported program.)
        if node.op == "get_attr":
            return node.target.startswith(f"{name}.")
        return any(path == name for path, _ in node.meta.get("nn_module_stack", {}).values())

    return filter_node


class BranchQuantizer(Quantizer):
    """XNNPACK's own annotators, with a configuration for each branch."""

    def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
        for name, (quant_max, is_plain) in SETTINGS.items():
            for pattern in ("conv_bn_relu", "linear"):
                OP_TO_ANNOTATOR[pattern](model, configuration(quant_max, is_plain), is_of_branch(name))
        propagate_annotation(model)
        return model

    def validate(self, model: torch.fx.GraphModule) -> None:
        pass


def attribute(model: torch.fx.GraphModule, node: torch.fx.Node) -> torch.Tensor:
    value = model
    for part in node.target.split("."):
        value = getattr(value, part)
    return value


def layers(graph: torch.fx.Graph) -> list[torch.fx.Node]:
    return [node for node in graph.nodes if node.target in LAYERS]


def weight_name(fake_quantized: torch.fx.Node) -> tuple[str, str]:
    """(setting, layer). A convolution's weight is multiplied by the batch norm's factor before it is fake quantized."""
    node = fake_quantized
    while node.op != "get_attr":
        node = node.args[0]
    setting, layer, parameter = node.target.split(".")
    assert parameter == "weight", node.target
    return setting, layer


def graph_outputs(graph: torch.fx.Graph) -> list[torch.fx.Node]:
    return list(graph.output_node().args[0])


def codes_of(output: torch.Tensor, scale: torch.Tensor, zero_point: torch.Tensor) -> torch.Tensor:
    """The int8 codes behind an output on its grid. Without them an output scale 1 ulp off looks like a difference everywhere."""
    return ((output / scale).round() + zero_point).to(torch.int8)


class Watch:
    """Keeps what goes into and comes out of each fake quantizer of a prepared graph."""

    def __init__(self, model: torch.fx.GraphModule):
        self.seen: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        for node in model.graph.nodes:
            if node.op == "call_module" and isinstance(model.get_submodule(node.target), FakeQuantize):
                model.get_submodule(node.target).register_forward_hook(self.hook(node.target))

    def hook(self, target: str):
        def keep(module, inputs, output):
            self.seen[target] = (inputs[0].detach().clone(), output.detach().clone())

        return keep


def layer_files(folder: Path, prepared, converted, watch: Watch) -> dict[str, list[dict]]:
    """For every layer of every branch the weights, both scales and the stored codes; the figures by setting."""
    figures: dict[str, list[dict]] = {name: [] for name in SETTINGS}
    for before, after in zip(layers(prepared.graph), layers(converted.graph), strict=True):
        setting, layer = weight_name(before.args[1])
        target = before.args[1].target
        dequantize = after.args[1]
        assert dequantize.target == torch.ops.quantized_decomposed.dequantize_per_channel.default, dequantize
        codes, scale, zero_point = (attribute(converted, node) for node in dequantize.args[:3])
        weight, training_output = watch.seen[target]
        tensors = state(prepared.get_submodule(target))
        # These two come from the converted graph itself, not from a promise of the observer.
        tensors["converted_scale"], tensors["converted_zero_point"] = scale, zero_point
        save(folder / setting / layer, weight=weight, training_output=training_output, converted_codes=codes, **tensors)
        ratio = ratios(tensors["training_scale"], scale)
        figures[setting].append(
            {
                "layer": layer,
                "quant_min": dequantize.args[4],
                "quant_max": dequantize.args[5],
                "ratio_min": ratio.min().item(),
                "ratio_max": ratio.max().item(),
                "weight_sqnr_db": sqnr_db(training_output, codes * scale.reshape(-1, *[1] * (codes.dim() - 1))),
            }
        )
    return figures


def put_converted_scales_in(prepared) -> None:
    for module in prepared.modules():
        if isinstance(module, FakeQuantize):
            module.scale.copy_(module.calculate_qparams()[0])


def trained_graphs(x: torch.Tensor, labels: torch.Tensor):
    float_model = Branches({"before": network()})
    train(float_model, x, labels, rate=0.02)
    model = Branches({name: copy.deepcopy(float_model.before) for name in SETTINGS})
    exported = torch.export.export(model, (x[:BATCH],)).module()
    prepared = prepare_qat_pt2e(exported, BranchQuantizer())
    train(prepared, x, labels, rate=0.005)
    # From here on nothing learns and nothing is observed: what differs now differs for ever.
    prepared.apply(disable_observer)
    move_exported_model_to_eval(prepared)
    converted = convert_pt2e(copy.deepcopy(prepared))
    move_exported_model_to_eval(converted)
    return prepared, converted


def networks(folder: Path, seed: int) -> dict:
    torch.manual_seed(seed)
    x, labels = images()
    prepared, converted = trained_graphs(x, labels)
    x = x[:BATCH]
    save(folder, x=x)
    watch = Watch(prepared)
    with torch.no_grad():
        training_outputs, converted_outputs = prepared(x), converted(x)
    figures = layer_files(folder, prepared, converted, watch)
    summary = {}
    ends = zip(SETTINGS, graph_outputs(prepared.graph), graph_outputs(converted.graph), strict=True)
    for (name, before, after), training, after_conversion in zip(ends, training_outputs, converted_outputs, strict=True):
        module = prepared.get_submodule(before.target)
        tensors = state(module)
        _, scale, zero_point = after.args[:3]
        tensors["converted_scale"] = torch.tensor(scale, dtype=torch.float32)
        tensors["converted_zero_point"] = torch.tensor(zero_point, dtype=torch.int32)
        training_codes = codes_of(training, tensors["training_scale"], tensors["training_zero_point"])
        converted_codes = codes_of(after_conversion, tensors["converted_scale"], tensors["converted_zero_point"])
        unquantized, _ = watch.seen[before.target]
        save(folder / name, unquantized_output=unquantized, training_output=training, converted_output=after_conversion, **tensors)
        save(folder / name, training_codes=training_codes, converted_codes=converted_codes)
        lsb = (training.double() - after_conversion.double()).abs() / tensors["converted_scale"].double()
        summary[name] = {
            "sqnr_db": sqnr_db(training, after_conversion),
            "outputs": training.numel(),
            "outputs_that_differ": int((training != after_conversion).sum()),
            "codes_that_differ": int((training_codes != converted_codes).sum()),
            "greatest_difference_in_lsb": lsb.max().item(),
            "output_scale_ulps_apart": int(ulps_apart(tensors["training_scale"], tensors["converted_scale"])),
            "weights": figures[name],
        }
    put_converted_scales_in(prepared)
    with torch.no_grad():
        again = prepared(x)
    for name, training, after_copying in zip(SETTINGS, training_outputs, again, strict=True):
        summary[name]["unchanged_with_converted_scales_in_the_buffers"] = torch.equal(training, after_copying)
    return summary
