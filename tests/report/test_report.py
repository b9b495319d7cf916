"""The HTML report, filled with made-up results and looked at in a headless Chromium.

Every look puts the report into an iframe of the width to be tried (a window cannot be made as narrow as a phone), runs
a few lines of script in it once it is drawn, and returns their answer.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess

import pytest

TEMPLATE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "report" / "report.html"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SWITCHES = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
]
VERDICTS = [
    "pass",
    "mismatch",
    "known_difference",
    "unexpected_pass",
    "unspecified",
    "unsupported",
    "error",
    "crash",
    "timeout",
]
PHONE, DESKTOP = 390, 1280
HOSTILE = '</script><img src=x onerror="window.hit=1"><script>window.hit=1</script>&lt;b&gt;\'"`${1}'

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (Debian package chromium)")


# ---- Made-up results ----


def output(histogram=((0, 64),), shown=(), **keys):
    """One output; its counts follow from the histogram."""
    elements = sum(count for _, count in histogram)
    wrong = sum(count for lsb, count in histogram if lsb)
    lsb = {
        "histogram": [list(pair) for pair in histogram],
        "max": max((abs(lsb) for lsb, _ in histogram), default=0),
        "mean": sum(abs(lsb) * count for lsb, count in histogram) / max(elements, 1),
        "bias": sum(lsb * count for lsb, count in histogram) / max(elements, 1),
    }
    return {
        "name": "y",
        "type": "uint8",
        "elements": elements,
        "mismatches": wrong,
        "unspecified": 0,
        "nonfinite_mismatches": 0,
        "lsb": lsb,
        "max_ulp": None,
        "sqnr": 48.13 if wrong else "exact",
        "shown": list(shown),
        **keys,
    }


def difference(index, lsb=1):
    return {
        "index": [index],
        "inputs": {"x": {"value": "0.25", "bits": "0x3e800000"}},
        "expected": {"value": "128", "bits": "0x80"},
        "got": {"value": str(128 + lsb), "bits": f"{128 + lsb:#04x}"},
        "lsb": lsb,
        "ulp": None,
        "explain": "qassay explain onnx.QuantizeLinear --set y_scale=0x1p-1 --set y_zero_point=128 x=0x1p-2",
    }


def case(verdict="pass", name="onnx.QuantizeLinear/ties", backend="onnxruntime", outputs=None, **keys):
    compared = verdict in ("pass", "mismatch", "known_difference", "unexpected_pass")
    made = {
        "backend": backend,
        "case": name,
        "formula": name.split("/")[0],
        "group": re.split(r"[/\[]", name)[1],
        "verdict": verdict,
        "why": "ties go to the even integer before the zero point is added",
        "traps": ["ties_away"],
        "seconds": 0.01,
        "parameters": {"y_scale": "0x1.99999ap-4", "y_zero_point": "1"},
        "reproduce": f"qassay check --backend {backend} --case '{name}'",
    }
    if compared:
        made["outputs"] = outputs if outputs is not None else [output()]
    return made | keys


def results(cases, backends=("onnxruntime",), **keys):
    """Results as the program writes them: the summary and the cells follow from the cases."""
    summary = {verdict: sum(one["verdict"] == verdict for one in cases) for verdict in VERDICTS}
    cells = {}
    for one in cases:
        cell = cells.setdefault(
            (one["backend"], one["formula"]),
            {
                "backend": one["backend"],
                "formula": one["formula"],
                "verdicts": {},
                "elements": 0,
                "mismatches": 0,
                "max_lsb": 0,
                "sqnr": "exact",
            },
        )
        cell["verdicts"][one["verdict"]] = cell["verdicts"].get(one["verdict"], 0) + 1
        for made in one.get("outputs", []):
            cell["elements"] += made["elements"]
            cell["mismatches"] += made["mismatches"]
            cell["max_lsb"] = max(cell["max_lsb"], (made["lsb"] or {}).get("max", 0))
            cell["sqnr"] = made["sqnr"] if made["sqnr"] != "exact" else cell["sqnr"]
    outputs = [made for one in cases for made in one.get("outputs", [])]
    elements = sum(made["elements"] for made in outputs)
    compared = elements - sum(made["unspecified"] for made in outputs)
    titles = {
        "onnxruntime": ("ONNX Runtime, CPU", "1.32.0", {"onnx": "1.23.2"}),
        "openvino": ("OpenVINO, CPU", "2026.2", {"numpy": "2.4.1"}),
    }
    made_backends = []
    for name in backends:
        title, version, packages = titles.get(name, (name, "0.1", {}))
        made_backends.append({"name": name, "title": title, "version": version, "packages": packages})
    return {
        "schema": "qassay-results-1",
        "qassay": "0.1.0",
        "command": f"qassay check {' '.join('--backend ' + name for name in backends)} --html report.html cases",
        "processor": {"model": "Xeon, 32 threads", "features": ["avx2", "avx512f", "avx512_vnni", "fma"]},
        "backends": made_backends,
        "summary": {**summary, "seconds": 8.1, "elements": elements, "compared": compared},
        "traps": {
            "ties_away": {
                "title": "Ties rounded away from zero",
                "wrong": "a quotient of exactly k + ½ is rounded up in magnitude instead of to the even integer",
                "cost": "one LSB on every tie; with power-of-two scales, up to half of all inputs",
                "reports": ["onnx/onnx#6433", "a paper"],
            }
        },
        "cells": list(cells.values()),
        "cases": cases,
        **keys,
    }


def varied():
    """Every verdict, several dialects and backends, all shapes of histogram."""
    known = {
        "cause": "openvino.QuantizeAfterZeroPoint",
        "why": "rounds after adding the zero point, so ties part for odd zero points",
        "upstream": "microsoft/onnxruntime#25045",
    }
    wide = [(lsb, 1 + 100000 // (1 + lsb * lsb)) for lsb in range(-100, 101)]
    huge = [(0, 1000), (-(2**31), 3), (2**31 - 1, 5), (7, 40), (1, 300), (-1, 200), (65536, 2)]
    cases = []
    for backend in ("onnxruntime", "openvino"):
        for op, zero_points in [
            ("onnx.QuantizeLinear", (0, 3, 128)),
            ("onnx.DequantizeLinear", (0, 7)),
            ("pytorch.quantize_per_tensor", (0, 1)),
            ("tosa.RESCALE", (0,)),
            ("litert.Requantize", (0, 5)),
            ("stablehlo.uniform_quantize", (0, 1)),
        ]:
            for group in ("boundary-uint8", "special", "lengths"):
                for zero_point in zero_points:
                    cases.append(
                        case(
                            name=f"{op}/{group}[y_scale=0x1.99999ap-4,y_zero_point={zero_point}]",
                            backend=backend,
                            outputs=[output([(0, 40960)])],
                        )
                    )
    cases += [
        case(
            "mismatch",
            "tosa.RESCALE/ties",
            "onnxruntime",
            [output([(-1, 3), (0, 4061), (1, 32)], [difference(i) for i in range(3, 11)])],
            diagnosis="Bit-identical on all 4,096 inputs to tosa.RESCALE with ties rounded away from zero.",
        ),
        case("mismatch", "tosa.RESCALE/wide", "openvino", [output(wide, [difference(7, -100)], unspecified=12)]),
        case(
            "mismatch",
            "tosa.RESCALE/overflow",
            "openvino",
            [output(huge, [difference(7, 2)], type="int32", max_ulp=12, sqnr=-3.5), output([(0, 64)], name="second")],
        ),
        case(
            "known_difference",
            "onnx.QuantizeLinear/ties",
            "openvino",
            [output([(0, 40000), (1, 960)], [difference(1)])],
            known_difference=known,
        ),
        case(
            "known_difference",
            "litert.Requantize/one",
            "openvino",
            [output([(-1, 12)], [difference(1, -1)], sqnr="no_signal")],
            known_difference=known | {"upstream": "not reported"},
        ),
        case("pass", "onnx.QuantizeLinear/ties", "onnxruntime"),
        case("unexpected_pass", "litert.Requantize/gone", "onnxruntime", known_difference=known),
        case("unsupported", "stablehlo.uniform_quantize/int4", "openvino", message="no kernel for INT4"),
        case(
            "error",
            "stablehlo.uniform_quantize/rank0",
            "onnxruntime",
            message="Traceback (most recent call last):\n  ValueError: rank 0",
        ),
        case("crash", "pytorch.quantize_per_tensor/nan", "openvino", message="killed by signal 11 (SIGSEGV) after 0.3 s"),
        case("timeout", "pytorch.quantize_per_tensor/huge", "openvino", message="no answer within 60 s"),
        case("unspecified", "onnx.DequantizeLinear/nan", "openvino"),
    ]
    return results(cases, ("onnxruntime", "openvino"))


def passing():
    known = {"cause": "onnxruntime.QuantizeLinear", "why": "multiplies by the reciprocal", "upstream": "onnx/onnx#6433"}
    cases = [case(name=f"onnx.QuantizeLinear/boundary[y_zero_point={i}]", outputs=[output([(0, 4096)])]) for i in range(200)]
    cases += [
        case(
            "known_difference",
            f"onnx.QuantizeLinear/ties[y_zero_point={i}]",
            outputs=[output([(0, 90), (1, 10)], [difference(1)])],
            known_difference=known,
        )
        for i in range(12)
    ]
    return results(cases)


# ---- A look at a report ----


def write_report(folder, data, script=""):
    """The template with its results, as the program writes it, and a script of ours at its end."""
    filled = data if isinstance(data, str) else json.dumps(data).replace("<", "\\u003c")
    page = TEMPLATE.read_text(encoding="utf-8").replace("/*RESULTS*/", filled)
    probe = """<script>
      const problems = [];
      window.addEventListener("error", event => problems.push(String(event.message)));
    </script>"""
    answer = """<script>
      const wait = ms => new Promise(done => setTimeout(done, ms));
      const all = selector => [...document.querySelectorAll(selector)];
      const words = selector => all(selector).map(node => node.innerText.replace(/\\s+/g, " ").trim());
      const goto = hash => { location.hash = hash; return wait(60); };
      window.addEventListener("load", async () => {
        let said;
        try { said = await (async () => { SCRIPT })(); } catch (error) { problems.push(String(error)); }
        parent.postMessage({said, problems, injected: window.hit !== undefined || all("img, iframe").length > 0}, "*");
      });
    </script>""".replace("SCRIPT", script or "return null;", 1)
    path = folder / "report.html"
    path.write_text(page.replace("<style>", probe + "<style>", 1).replace("</body>", answer + "</body>"), encoding="utf-8")
    return path


def browse(folder, *arguments):
    done = subprocess.run(
        [CHROMIUM, *SWITCHES, f"--user-data-dir={folder / 'profile'}", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def look(folder, data, script, hash="", width=DESKTOP):
    """What `script` returns in the report drawn at `width`; the report may raise no error and let no markup through."""
    write_report(folder, data, script)
    frame = folder / "frame.html"
    frame.write_text(f"""<!doctype html><body style="margin: 0"><pre id="answer"></pre>
      <script>addEventListener("message", event => {{
        document.getElementById("answer").textContent = JSON.stringify(event.data); }});</script>
      <iframe src="report.html{html.escape(hash)}" style="width: {width}px; height: 900px; border: 0">
      </iframe></body>""")
    dom = browse(folder, "--virtual-time-budget=8000", "--window-size=1400,1000", "--dump-dom", frame.as_uri())
    found = re.search(r'<pre id="answer">(.+?)</pre>', dom, re.DOTALL)
    assert found, f"the report gave no answer\n{dom[-2000:]}"
    answer = json.loads(html.unescape(found[1]))
    assert answer["problems"] == []
    assert not answer["injected"]
    return answer.get("said")


BANNER = """return {title: words("h1")[0], text: words("#banner")[0], verdict: all("#banner")[0].dataset.verdict,
  page: document.title};"""


# ---- The file ----


def test_template_is_self_contained():
    page = TEMPLATE.read_text(encoding="utf-8")
    assert page.count("/*RESULTS*/") == 1
    assert "default-src 'none'" in page
    addresses = set(re.findall(r"https?://[\w./-]+", page))
    assert addresses == {"http://www.w3.org/2000/svg", "https://github.com/"}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|@import|url\(", page)


# ---- The banner ----


def test_banner_no_mismatch(tmp_path):
    banner = look(tmp_path, passing(), BANNER)
    assert banner["title"] == "No mismatch in 820,400 compared elements"
    assert "12 known differences" in banner["text"] and "200 passes" in banner["text"]
    assert banner["verdict"] == "pass"
    assert banner["page"].startswith("No mismatch") and "onnxruntime 1.32.0" in banner["page"]


def test_banner_trouble(tmp_path):
    banner = look(tmp_path, varied(), BANNER)
    assert banner["title"] == "3 mismatches, 1 crash, 1 timeout, 1 error, 1 unexpected pass"
    assert banner["verdict"] == "mismatch"
    assert "2 known differences" in banner["text"]


def test_banner_unexpected_pass_alone(tmp_path):
    banner = look(tmp_path, results([case("unexpected_pass"), case()]), BANNER)
    assert banner["title"] == "1 unexpected pass" and banner["verdict"] == "unexpected_pass"
    assert "No mismatch in 128 compared elements" in banner["text"]


@pytest.mark.parametrize(
    "data",
    [
        results([]),
        results([case("unsupported", message="no kernel")]),
        results([case(outputs=[output([(0, 5)], unspecified=5)])]),
        results([case(outputs=[])]),
        {},
        {"summary": {"pass": 12}},
    ],
    ids=["no-cases", "unsupported", "unspecified", "no-outputs", "no-keys", "passes-of-nothing"],
)
def test_banner_nothing_compared_is_a_failure(tmp_path, data):
    banner = look(tmp_path, data, BANNER)
    assert banner["title"] == "Nothing was compared" and banner["verdict"] == "error"


def test_banner_one_idle_backend_is_a_failure(tmp_path):
    banner = look(tmp_path, results([case(), case("unsupported", backend="openvino")], ("onnxruntime", "openvino")), BANNER)
    assert "Nothing was compared on openvino." in banner["text"] and banner["verdict"] == "error"


@pytest.mark.parametrize("data", ["/*RESULTS*/", "", '{"cut": '], ids=["template", "empty", "cut"])
def test_banner_unreadable(tmp_path, data):
    assert look(tmp_path, data, BANNER)["title"] == "This file holds no results"


def test_banner_owns_up_to_allowed_differences(tmp_path):
    banner = look(tmp_path, results([case("pass", outputs=[output([(0, 60), (1, 4)])])]), BANNER)
    assert banner["verdict"] == "pass" and "4 elements differ within what the case allows." in banner["text"]


def test_summary_and_cases_disagree(tmp_path):
    data = passing()
    data["summary"]["mismatch"] = 2
    banner = look(tmp_path, data, BANNER)
    assert banner["title"] == "2 mismatches" and "different counts" in banner["text"]


# ---- The matrix ----


def test_matrix_cells(tmp_path):
    seen = look(
        tmp_path,
        varied(),
        """return {
      rows: words(".formula"), dialects: words(".dialect"), columns: words(".matrix thead th"),
      first: words(".matrix tbody:nth-of-type(1) td"),
      verdicts: all(".cell").map(cell => cell.dataset.verdict), sparks: all(".cell svg").length,
      shown: getComputedStyle(document.querySelector(".cell .mark")).display,
      differs: new Set(all(".cell").map(cell => getComputedStyle(cell).getPropertyValue("--tone"))).size};""",
    )
    assert seen["columns"] == ["Formula", "onnxruntime 1.32.0", "openvino 2026.2"]
    assert seen["rows"][0] == "RESCALE" and seen["dialects"][0] == "tosa"
    assert "stablehlo" in seen["dialects"] and len(seen["rows"]) == 6
    assert "1" in seen["first"][0] and "max 1 LSB" in seen["first"][0] and "48.13 dB" in seen["first"][0]
    assert "max 2,147,483,648 LSB" in seen["first"][1]
    assert set(seen["verdicts"]) >= {"mismatch", "crash", "error", "unexpected_pass", "known_difference", "pass"}
    assert seen["sparks"] == 4 and seen["differs"] >= 5


def test_matrix_order_and_cell_link(tmp_path):
    seen = look(
        tmp_path,
        varied(),
        """
      document.getElementById("order").value = "name";
      document.getElementById("order").dispatchEvent(new Event("change"));
      const dialects = words(".dialect");
      all(".cell").find(cell => cell.getAttribute("aria-label").startsWith("tosa.RESCALE on openvino")).click();
      await wait(60);
      return {dialects, hash: location.hash, rows: words(".row:not(.head) .name"),
              backends: [...new Set(words(".row:not(.head) .meta span:first-child"))]};""",
    )
    assert seen["dialects"] == sorted(seen["dialects"])
    assert seen["hash"] == "#backend=openvino&formula=tosa.RESCALE"
    assert len(seen["rows"]) == 5 and all(row.startswith("tosa.RESCALE/") for row in seen["rows"])
    assert seen["backends"] == ["openvino"]


def test_matrix_counted_from_cases_where_cells_are_absent(tmp_path):
    data = varied()
    del data["cells"]
    seen = look(
        tmp_path,
        data,
        "return {rows: words('.formula').length, first: words('.cell')[0], cells: words('.cell').length};",
    )
    assert seen["rows"] == 6 and seen["cells"] == 12 and "max 1 LSB" in seen["first"]


# ---- The causes ----


def test_causes_and_their_cases(tmp_path):
    seen = look(
        tmp_path,
        varied(),
        """
      const causes = words(".cause");
      const counts = [];
      for (const cause of all(".cause")) {
        cause.click();
        await wait(60);
        counts.push(words(".row:not(.head)").length);
      }
      return {causes, counts};""",
    )
    assert ["Bit-identical" in seen["causes"][0], "No cause found yet" in seen["causes"][1]] == [True, True]
    assert "openvino.QuantizeAfterZeroPoint" in seen["causes"][2] and "2 cases, 972 elements" in seen["causes"][2]
    assert seen["counts"] == [1, 2, 2]


# ---- The list of cases ----


@pytest.mark.parametrize(
    ("hash", "names"),
    [
        ("#verdict=crash,timeout", ["pytorch.quantize_per_tensor/nan", "pytorch.quantize_per_tensor/huge"]),
        ("#find=rescale/+overflow", ["tosa.RESCALE/overflow"]),
        ("#find=SIGSEGV", ["pytorch.quantize_per_tensor/nan"]),
        ("#find=nothing+like+it", []),
        ("#backend=openvino&verdict=known_difference&formula=litert.Requantize", ["litert.Requantize/one"]),
    ],
)
def test_filter_by_hash(tmp_path, hash, names):
    seen = look(tmp_path, varied(), "return words('.row:not(.head) .name');", hash)
    assert [name.split()[0] for name in seen] == names


def test_filter_by_hand(tmp_path):
    seen = look(
        tmp_path,
        varied(),
        """
      const find = document.getElementById("find");
      find.value = "ties rounded away zero_point=128"; find.dispatchEvent(new Event("input"));
      const searched = [words(".row:not(.head) .name").length, location.hash];
      document.getElementById("clear").click();
      const cleared = words("#found")[0];
      all("#chips button").find(chip => chip.dataset.verdict === "mismatch").click();
      all("#chips button").find(chip => chip.dataset.verdict === "error").click();
      const pressed = all("#chips [aria-pressed=true]").map(chip => chip.dataset.verdict);
      return {searched, cleared, pressed, rows: all(".row:not(.head)").map(row => row.dataset.verdict),
              hash: location.hash, focus: document.activeElement.dataset.verdict};""",
    )
    assert seen["searched"] == [6, "#find=ties+rounded+away+zero_point%3D128"]
    assert seen["cleared"] == "84 cases"
    assert seen["pressed"] == ["mismatch", "error"] and seen["focus"] == "error"
    assert seen["rows"] == ["mismatch", "mismatch", "mismatch", "error"]
    assert seen["hash"] == "#verdict=mismatch%2Cerror"


def test_keyboard(tmp_path):
    seen = look(
        tmp_path,
        varied(),
        """
      const press = async key => {
        document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
        await wait(60);
      };
      const title = () => words("#detail h3")[0] ?? "";
      const steps = [];
      for (const key of ["j", "j", "k", "Escape"]) { await press(key); steps.push(title()); }
      await press("/");
      return {steps, focus: document.activeElement.id};""",
    )
    assert seen["steps"] == ["tosa.RESCALE/ties", "tosa.RESCALE/wide", "tosa.RESCALE/ties", ""]
    assert seen["focus"] == "find"


def test_many_cases(tmp_path):
    names = [f"onnx.Op{i % 50}/boundary[y_zero_point={i}]" for i in range(3000)]
    backends = ("onnxruntime", "openvino", "litert")
    data = results(
        [
            case("mismatch" if i == 2999 else "pass", name, backend, [output([(0, 63), (1, int(i == 2999))])])
            for i, name in enumerate(names)
            for backend in backends
        ],
        backends,
    )
    seen = look(
        tmp_path,
        data,
        """
      const first = all(".row:not(.head)").length, more = words("#list button")[0];
      all("#list button")[0].click();
      const second = all(".row:not(.head)").length;
      await goto("#case=" + encodeURIComponent("onnx.Op1/boundary[y_zero_point=2001]") + "&on=litert");
      return {first, more, second, title: words("#detail h3")[0], current: words(".row[aria-current] .name")[0],
              top: words(".row:not(.head) .name")[0]};""",
    )
    assert (seen["first"], seen["second"]) == (100, 200) and seen["more"] == "Show 100 more of 8,900"
    assert seen["title"] == seen["current"] == "onnx.Op1/boundary[y_zero_point=2001]"
    assert seen["top"] == "onnx.Op49/boundary[y_zero_point=2999]"


# ---- One case ----


def test_detail_of_a_mismatch(tmp_path):
    seen = look(
        tmp_path,
        varied(),
        """return {text: words("#detail")[0], diagnosis: words(".diagnosis p")[0], bars: all("#detail rect").length,
      head: words(".shown th"), first: words(".shown tbody tr:first-child td"), rows: all(".shown tbody tr").length,
      links: all("#detail a[href^=https]").map(link => link.href), commands: words("#detail .command code")};""",
        "#case=tosa.RESCALE/ties",
    )
    assert seen["diagnosis"].startswith("Bit-identical on all 4,096 inputs")
    assert seen["bars"] == 3 and seen["rows"] == 8
    assert seen["head"] == ["index", "x", "expected", "got", "LSB", ""]
    assert seen["first"][:5] == ["3", "0.25 0x3e800000", "128 0x80", "129 0x81", "+1"]
    assert "35 of 4,096 compared" in seen["text"].replace("differ ", "") and "48.13 dB" in seen["text"]
    assert "8 of 35 differing elements are shown." in seen["text"]
    assert "0x1.99999ap-4 ≈ 0.100000001" in seen["text"]
    assert "Ties rounded away from zero" in seen["text"] and "a paper" in seen["text"]
    assert seen["links"] == ["https://github.com/onnx/onnx/issues/6433"]
    assert seen["commands"][0] == "qassay check --backend onnxruntime --case 'tosa.RESCALE/ties'"
    assert seen["commands"][1].startswith("qassay explain ")


def test_detail_of_a_known_difference_and_its_other_backend(tmp_path):
    seen = look(
        tmp_path,
        varied(),
        """
      const before = words("#detail")[0];
      all("#detail p.small a")[0].click(); await wait(60);
      return {before, after: words("#detail .verdict")[0], hash: location.hash};""",
        "#case=onnx.QuantizeLinear/ties&on=openvino",
    )
    assert "openvino.QuantizeAfterZeroPoint" in seen["before"] and "microsoft/onnxruntime#25045" in seen["before"]
    assert seen["after"].endswith("pass") and seen["hash"].endswith("on=onnxruntime")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stablehlo.uniform_quantize/rank0", "ValueError: rank 0"),
        ("pytorch.quantize_per_tensor/nan", "signal 11"),
        ("pytorch.quantize_per_tensor/huge", "no answer within 60 s"),
        ("stablehlo.uniform_quantize/int4", "no kernel for INT4"),
    ],
)
def test_detail_of_a_failure_shows_its_message(tmp_path, name, message):
    seen = look(tmp_path, varied(), "return words('#detail pre');", f"#case={name}")
    assert len(seen) == 1 and message in seen[0]


@pytest.mark.parametrize(("name", "bars"), [("tosa.RESCALE/wide", 201), ("tosa.RESCALE/overflow", 8), ("litert.Requantize/one", 1)])
def test_histogram_is_readable(tmp_path, name, bars):
    """Few bars or two hundred, none vanishes, none leaves the drawing, no labels collide."""
    for width in (DESKTOP, PHONE):
        seen = look(
            tmp_path,
            varied(),
            """
          const svgs = all("#detail figure svg"), box = svgs[0].getBoundingClientRect();
          const labels = [...svgs[0].querySelectorAll("text")].map(node => node.getBoundingClientRect());
          const rects = svgs.flatMap(svg => [...svg.querySelectorAll("rect")]);
          return {bars: rects.length,
            thin: rects.map(rect => rect.getBoundingClientRect()).filter(r => r.width < .5 || r.height < 1).length,
            outside: labels.filter(label => label.left < box.left - 1 || label.right > box.right + 1).length,
            collisions: labels.flatMap((a, i) => labels.slice(i + 1).filter(b =>
              a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)).length,
          };""",
            f"#case={name}",
            width,
        )
        assert seen == {"bars": bars, "thin": 0, "outside": 0, "collisions": 0}, width


def test_copy_buttons(tmp_path):
    seen = look(
        tmp_path,
        varied(),
        """
      let copied = null;
      document.execCommand = () => { copied = document.activeElement.value; return true; };
      Object.defineProperty(navigator, "clipboard", {value: undefined});
      const button = all("#detail .command button")[0];
      button.click(); await wait(20);
      const during = button.textContent;
      await wait(1500);
      return {copied, during, after: button.textContent};""",
        "#case=tosa.RESCALE/ties",
    )
    assert seen == {
        "copied": "qassay check --backend onnxruntime --case 'tosa.RESCALE/ties'",
        "during": "Copied",
        "after": "Copy",
    }


def test_unknown_case_in_a_link(tmp_path):
    seen = look(
        tmp_path,
        varied(),
        "return {found: words('#found')[0], hidden: document.getElementById('detail').hidden};",
        "#case=gone",
    )
    assert seen["hidden"] and "not in this report" in seen["found"]


# ---- Strange results ----


def hostile():
    """The hostile string in every place that can hold a string."""

    def poison(value, key=""):
        if isinstance(value, dict):
            return {name: poison(item, name) for name, item in value.items()} | {HOSTILE: HOSTILE}
        if isinstance(value, list):
            return [poison(item, key) for item in value]
        return HOSTILE if isinstance(value, str) and key != "verdict" else value

    data = varied()
    poisoned = poison(data)
    poisoned["summary"] = data["summary"]
    poisoned["cases"][0]["verdict"] = HOSTILE
    poisoned["cases"][1]["verdict"] = "__proto__"
    poisoned["cases"][2]["traps"] = ["constructor", "__proto__"]
    poisoned["cases"][3]["known_difference"] = {
        "upstream": "javascript:window.hit=1",
        "cause": 'https://x.example/" onclick="window.hit=1',
    }
    return poisoned


def test_no_injection(tmp_path):
    seen = look(
        tmp_path,
        hostile(),
        """
      const texts = [words("h1")[0]];
      for (const row of all(".row:not(.head)").slice(0, 20)) { row.click(); await wait(20); }
      for (const on of ["", "x"]) { await goto("#case=" + encodeURIComponent(NAME)); texts.push(words("#detail")[0]); }
      return {texts, bad: all("a").map(link => link.getAttribute("href")).filter(href => !/^(#|https:)/.test(href)),
              handlers: all("*").filter(
                node => [...node.attributes].some(attribute => attribute.name.startsWith("on"))).length};""".replace(
            "NAME", json.dumps(HOSTILE).replace("<", "\\u003c")
        ),
    )
    assert HOSTILE in seen["texts"][1]
    assert seen["bad"] == [] and seen["handlers"] == 0


def test_no_injection_through_the_hash(tmp_path):
    look(
        tmp_path,
        varied(),
        "await wait(50); return words('#found');",
        "#case=%3Cimg%20src%3Dx%20onerror%3D%22window.hit%3D1%22%3E&find=%3Cimg%3E&verdict=%22%5D",
    )


def test_unknown_verdict_is_trouble(tmp_path):
    banner = look(tmp_path, results([case("pass"), case("perhaps", "onnx.QuantizeLinear/new")]), BANNER)
    assert banner["title"] == "1 “perhaps”" and banner["verdict"] == "perhaps"


@pytest.mark.parametrize(
    "data",
    [
        {
            "cases": [
                {},
                None,
                7,
                {"case": "a/b", "outputs": [{}, None, {"lsb": None, "shown": [{}, None]}], "parameters": None},
            ]
        },
        {"cases": {}, "cells": 3, "backends": "x", "traps": [], "summary": None, "processor": 1},
        [],
        None,
        3,
        {
            "cells": [{"backend": "a", "formula": "b.C", "verdicts": {"pass": 3}, "elements": 12, "sqnr": "no_signal"}],
            "summary": {"pass": 3, "compared": 12},
        },
    ],
    ids=["bare-cases", "wrong-kinds", "list", "null", "number", "cells-only"],
)
def test_absent_and_wrong_keys(tmp_path, data):
    seen = look(
        tmp_path,
        data,
        """
      for (const row of all(".row:not(.head)")) { row.click(); await wait(30); }
      return {title: words("h1")[0], text: words("main")[0]};""",
    )
    assert seen["title"]
    assert not re.search(r"undefined|NaN|\[object", seen["text"])


# ---- Widths and colours ----


@pytest.mark.parametrize("width", [320, PHONE, 768, DESKTOP])
@pytest.mark.parametrize("make", [varied, hostile, passing], ids=["varied", "hostile", "passing"])
def test_no_horizontal_scroll(tmp_path, width, make):
    seen = look(
        tmp_path,
        make(),
        """
      const over = [];
      const check = name => {
        const wide = document.documentElement.scrollWidth;
        if (wide > innerWidth) over.push([name, wide]);
      };
      check("overview");
      const links = all(".row:not(.head)").map(row => row.getAttribute("href"));
      for (const hash of [...links.slice(0, 14), links.at(-1)]) { await goto(hash); check(hash); }
      return {over, width: innerWidth};""",
        width=width,
    )
    assert seen == {"over": [], "width": width}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(tmp_path, scheme):
    """Text in every verdict's colour has a contrast of at least 4.5 to its ground, in both schemes."""
    write_report(
        tmp_path,
        varied(),
        """
      const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
      const light = colour => {
        canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        const linear = v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(v => linear(v / 255));
        return .2126 * r + .7152 * g + .0722 * b;
      };
      const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue(name).trim();
      const ratios = {};
      for (const name of ["--ink", "--muted", "--pass", "--mismatch", "--known", "--gone", "--broken", "--quiet"]) {
        for (const ground of ["--page", "--panel"]) {
          const [a, b] = [light(of(name)), light(of(ground))].sort((x, y) => y - x);
          ratios[name + ground] = (a + .05) / (b + .05);
        }
      }
      const textContent = JSON.stringify({ratios, page: of("--page")});
      document.body.append(Object.assign(document.createElement("pre"), {id: "answer", textContent}));""",
    )
    dom = browse(
        tmp_path,
        "--virtual-time-budget=4000",
        f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}",
        "--dump-dom",
        (tmp_path / "report.html").as_uri(),
    )
    answer = json.loads(html.unescape(re.search(r'<pre id="answer">(.+?)</pre>', dom, re.DOTALL)[1]))
    assert answer["page"] == ("#0e1215" if scheme == "dark" else "#f7f8f8")
    assert {name: ratio for name, ratio in answer["ratios"].items() if ratio < 4.5} == {}


def test_screenshot_is_drawn(tmp_path):
    """The page paints something: an image of one colour would compress to almost nothing."""
    page = write_report(tmp_path, varied())
    picture = tmp_path / "report.png"
    browse(tmp_path, "--window-size=1280,1600", f"--screenshot={picture}", page.as_uri())
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 40000
