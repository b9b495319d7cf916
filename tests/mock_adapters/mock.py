"""An adapter that keeps the protocol or breaks it: `mock.py MODE`.

It claims onnx.QuantizeLinear and computes it for float32 inputs, scale 1 and uint8 codes: that is all its cases ask for.
"""

import json
import os
import signal
import struct
import subprocess
import sys
import time

MODE = sys.argv[1]


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def read_floats(path):
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    return struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


def write_npy(path, descr, shape, payload):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + payload)


def compute(request, off_by=0, descr="|u1", extra_axis=False, width=1):
    codes = [min(max(round(x), 0), 255) if x == x else 0 for x in read_floats(request["inputs"]["x"]["path"])]
    codes = [(code + off_by) % 256 for code in codes]
    wanted = request["outputs"]["y"]
    shape = wanted["shape"] + ([1] if extra_axis else [])
    write_npy(wanted["path"], descr, shape, b"".join(code.to_bytes(width, "little") for code in codes))


def answer(request):
    name = request["case"]
    done = json.dumps({"case": name, "status": "done"})
    if MODE == "right":
        compute(request)
    elif MODE == "off_by_one":
        compute(request, off_by=1)
    elif MODE == "off_by_one_in_tens":
        compute(request, off_by=1 if "tens" in name else 0)
    elif (MODE == "dies_on_tens" and "tens" in name) or MODE == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif MODE == "dies_on_tens":
        compute(request)
    elif MODE == "exit":
        sys.stderr.write("fatal: out of luck\n")
        sys.exit(3)
    elif MODE == "exit_leaving_a_child":
        subprocess.Popen(["sleep", "60"])
        os._exit(5)
    elif MODE == "hang":
        time.sleep(60)
    elif MODE == "garbage":
        return say("Segmentation fault? no, just garbage")
    elif MODE == "no_object":
        return say("[1, 2]")
    elif MODE == "wrong_case":
        return say(json.dumps({"case": "another", "status": "done"}))
    elif MODE == "no_status":
        return say(json.dumps({"case": name}))
    elif MODE == "unknown_status":
        return say(json.dumps({"case": name, "status": "finished"}))
    elif MODE == "two_lines":
        compute(request)
        return say(done + "\n" + done)
    elif MODE == "endless_line":
        for _ in range(17):
            sys.stdout.write("x" * (1 << 20))
        sys.stdout.flush()
        time.sleep(60)
    elif MODE == "closes_stdout":
        os.close(1)
        time.sleep(60)
    elif MODE == "floods_stderr":
        for i in range(20000):
            sys.stderr.write(f"warning {i}: {'x' * 80}\n")
        compute(request)
    elif MODE == "missing_output":
        pass
    elif MODE == "malformed_output":
        with open(request["outputs"]["y"]["path"], "wb") as file:
            file.write(b"not a tensor")
    elif MODE == "wrong_type":
        compute(request, descr="<i4", width=4)
    elif MODE == "wrong_shape":
        compute(request, extra_axis=True)
    elif MODE == "refuses":
        return say(json.dumps({"case": name, "status": "error", "why": "scale must not be 1"}))
    elif MODE == "unsupported":
        return say(json.dumps({"case": name, "status": "unsupported", "why": "no kernel"}))
    else:
        sys.exit(f"no mode {MODE}")
    say(done)


HELLO = {
    "protocol": 1,
    "backend": "mock",
    "version": "1.0",
    "packages": {"luck": "0.1"},
    "formulas": ["onnx.QuantizeLinear"],
}

if MODE == "no_hello":
    sys.exit("cannot import luck")
elif MODE == "silent":
    time.sleep(60)
elif MODE == "garbage_hello":
    say("Welcome!")
    time.sleep(60)
elif MODE == "hello_without_formulas":
    say(json.dumps({"protocol": 1, "backend": "mock", "version": "1.0"}))
elif MODE == "protocol_2":
    say(json.dumps(dict(HELLO, protocol=2)))
elif MODE == "claims_nothing":
    say(json.dumps(dict(HELLO, formulas=[])))
    sys.stdin.read()
else:
    say(json.dumps(HELLO))
    for line in sys.stdin:
        answer(json.loads(line))
