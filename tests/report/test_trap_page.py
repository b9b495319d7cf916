"""The page of `qassay trap`, filled with made-up results and looked at in a headless Chromium."""

import re

import pytest
import test_report
from test_report import DESKTOP, HOSTILE, PHONE, look

TEMPLATE = test_report.TEMPLATE.parents[1] / "trap" / "trap.html"

pytestmark = test_report.pytestmark


@pytest.fixture(autouse=True)
def _page(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(test_report, "TEMPLATE", TEMPLATE)


def channel(ratio=1.00393701, cause="max_side", sqnr=44.6, zero_point=0):
    lsb = {"histogram": [[-1, 1], [0, 26]], "max": 0.52, "mean": 0.2, "bias": -0.02}
    return {
        "min": -0.25,
        "max": 0.5,
        "training": {"scale": 0.00393 * ratio, "zero_point": zero_point},
        "deployed": {"scale": 0.00393, "zero_point": 0},
        "ratio": ratio,
        "cause": cause,
        "codes_that_differ": 1,
        "weights": {"elements": 27, "mismatches": 26, "nonfinite_mismatches": 0, "lsb": lsb, "max_ulp": 70000, "sqnr": sqnr},
    }


def tensor(channels, name="conv.weight", verdict="within_one_lsb", sqnr=44.6):
    causes = {one["cause"]: sum(other["cause"] == one["cause"] for other in channels) for one in channels}
    return {
        "name": name,
        "shape": [len(channels), 3, 3, 3],
        "verdict": verdict,
        "codes_that_differ": len(channels),
        "differ_with_plain_module": 0,
        "differ_with_training_grid": 0,
        "weights": channels[0]["weights"] | {"elements": 27 * len(channels), "sqnr": sqnr},
        "causes": causes,
        "channels": channels,
    }


def results(tensors, **keys):
    return {
        "schema": "qassay-trap-1",
        "qassay": "0.1.0",
        "command": "qassay trap w.npy",
        "file": "w.npy",
        "request": {"dtype": "int8", "quant_min": -127, "quant_max": 127, "ch_axis": 0, "qscheme": "symmetric", "eps": 2**-12},
        "training": {"formulas": ["pytorch.fused_moving_avg_obs_fake_quant"], "rule": "s_train = …"},
        "deployed": {"formulas": ["pytorch.MovingAveragePerChannelMinMaxObserver"], "rule": "s_convert = …"},
        "verdict": tensors[0]["verdict"] if tensors else "exact",
        "meaning": "every weight is within one LSB, which is no all-clear",
        "causes": {"max_side": "max decides both scales", "min_side": "min decides both scales", "one_sided": "0 is not inside"},
        "ratio_ends": [0.99609375, 1.00393701],
        "remedies": ["Train with the plain module.", "Or take over training's scales.", "Disabling the observer does not help."],
        "tensors": tensors,
        "left_out": [],
    } | keys


def varied(count=24):
    channels = [channel(1.00393701 - 0.0003 * (i % 27), "max_side" if i % 2 else "min_side", 40 + i % 9) for i in range(count)]
    channels[1] = channel(0.5, "one_sided", 6.5, -127)
    return channels


def test_template_is_self_contained():
    page = TEMPLATE.read_text(encoding="utf-8")
    assert page.count("/*RESULTS*/") == 1
    assert "default-src 'none'" in page
    assert set(re.findall(r"https?://[\w./-]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|@import|url\(", page)


def test_one_tensor(tmp_path):
    said = look(
        tmp_path,
        results([tensor(varied())]),
        """return {title: words("h1")[0], stats: words(".stats dd"), heads: words("h2"), rows: all("tbody tr").length,
                   dots: all("circle").length, outside: all("svg path").length, first: words("tbody tr")[0]};""",
    )
    assert said["title"] == "Trained on one grid, deployed on another"
    assert said["stats"][0].startswith("0.500000 to 1.003")
    assert said["heads"] == ["Two formulas", "Channels", "What helps"]
    assert (said["rows"], said["dots"], said["outside"]) == (24, 23, 1)
    assert said["first"].startswith("1 6.50 dB")  # the noisiest


def test_a_column_sorts_both_ways(tmp_path):
    said = look(
        tmp_path,
        results([tensor(varied())]),
        """const ratios = () => words("#channels tbody td:nth-child(7)");
           const head = all("#channels th button")[6];
           head.click(); const up = ratios(); head.click();
           return {up, down: ratios(), sort: head.parentNode.getAttribute("aria-sort")};""",
    )
    assert said["up"] == sorted(said["up"], key=float)
    assert said["down"] == sorted(said["down"], key=float, reverse=True)
    assert said["sort"] == "descending"


def test_the_noisiest_tensor_is_shown_and_another_can_be_chosen(tmp_path):
    tensors = [tensor(varied(), "first", sqnr=44), tensor(varied(4), "second", sqnr=20)]
    said = look(
        tmp_path,
        results(tensors, left_out=["bias"]),
        """const before = words("#channels h2")[0]; all("tbody button").find(node => node.textContent === "first").click();
           return {before, after: words("#channels h2")[0], rows: all("#channels tbody tr").length};""",
    )
    assert said == {"before": "Channels of second", "after": "Channels of first", "rows": 24}


def test_many_channels_come_in_parts(tmp_path):
    assert look(tmp_path, results([tensor(varied(500))]), """return all("#channels tbody tr").length;""") == 200


def test_exact_needs_no_remedy(tmp_path):
    one = tensor([channel(1, "equal", "exact")], verdict="exact", sqnr="exact")
    said = look(tmp_path, results([one]), """return {title: words("h1")[0], heads: words("h2")};""")
    assert said == {"title": "One grid in both graphs", "heads": ["Two formulas", "Channels"]}


@pytest.mark.parametrize("data", ["/*RESULTS*/", "", '{"cut": ', "{}"])
def test_no_results(tmp_path, data):
    assert look(tmp_path, data, """return words("h1")[0];""") == "This file holds no results"


def test_text_is_never_markup(tmp_path):
    hostile = tensor([channel(cause=HOSTILE)] * 3, HOSTILE)
    data = results([hostile, hostile], file=HOSTILE, remedies=[HOSTILE], left_out=[HOSTILE], meaning=HOSTILE, command=HOSTILE)
    look(tmp_path, data, "return 1;")


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_nothing_is_wider_than_the_page(tmp_path, width):
    script = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;"
    assert look(tmp_path, results([tensor(varied(), "a" * 90), tensor(varied())]), script, width=width) <= 0
