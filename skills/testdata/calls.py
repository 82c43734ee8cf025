"""Calls a program of a skill many times within one process: a line of JSON with its arguments, or with a command as a shell
reads it, gives a line of JSON with what it printed and its exit code. Starting Python for each would take most of a test."""
import contextlib
import importlib.util
import io
import json
import shlex
import sys
import traceback

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)


class Out(io.StringIO):
    def reconfigure(self, **kw):
        pass


for line in sys.stdin:
    args = json.loads(line)
    if isinstance(args, str):
        args = shlex.split(args.replace("\\$", "$").replace("\\`", "`"))  # shlex leaves these backslashes
        if args[:2] != ["python3", sys.argv[1]]:
            sys.exit("not this program: %r" % args)
        args = args[2:]
    out, errs, code = Out(), Out(), 0
    sys.argv[1:], kept = args, sys.argv[1:]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errs):
        try:
            program.main()
        except SystemExit as e:
            code = e.code or 0
        except BaseException:
            traceback.print_exc()
            code = 1
    sys.argv[1:] = kept
    print(json.dumps({"out": out.getvalue(), "errs": errs.getvalue(), "code": code}), flush=True)
