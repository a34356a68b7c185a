# Notebook shortcuts: %name, %%name, !command. A line counts as one only if Python cannot parse it.

import contextlib, importlib, importlib.metadata, re, runpy, shlex, subprocess, timeit

LINE = re.compile(r"^(\s*)(?:([\w.\[\]'\", ]+?)\s*=\s*)?([%!])(.*)$")


def without_magics(code):
    while True:
        try:
            ast.parse(code)
            return code
        except SyntaxError as error:
            lines = code.split("\n")
            at = (error.lineno or 1) - 1
            found = LINE.match(lines[at]) if at < len(lines) else None
            if not found:
                return code
            lines[at] = plain_line(*found.groups())
            code = "\n".join(lines)


def plain_line(indent, name, kind, rest):
    target = f"{name} = " if name else ""
    if kind == "!":
        return f"{indent}{target}{'__lines_of__' if name else '__run_line__'}({rest.strip()!r})"
    magic, _, args = rest.strip().partition(" ")
    return f"{indent}{target}__line_magic__({magic!r}, {args.strip()!r})"


def filled(text):
    return re.sub(r"\{(\w+)\}", lambda found: str(ns.get(found[1], found[0])), text)


class Lines(list):
    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)


def run_line(command):
    sys.stdout.flush()
    ns["_exit_code"] = subprocess.run(filled(command), shell=True).returncode


def lines_of(command):
    done = subprocess.run(filled(command), shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ns["_exit_code"] = done.returncode
    return Lines(done.stdout.decode(errors="replace").splitlines())


def line_magic(name, args):
    magic = LINE_MAGICS.get(name)
    if magic is None:
        raise NameError(f"UsageError: Line magic function `%{name}` not found.")
    return magic(args)


def cell_magic(code):
    """True if the cell was a magic and has run."""
    head, _, body = code.lstrip().partition("\n")
    if not head.startswith("%%"):
        return None
    name, _, args = head[2:].strip().partition(" ")
    magic = CELL_MAGICS.get(name)
    if magic is None:
        raise NameError(f"UsageError: Cell magic `%%{name}` not found.")
    magic(args.strip(), body)
    return True


def versions():
    return {dist.metadata["Name"]: (dist.version, dist) for dist in importlib.metadata.distributions()}


def pip(args):
    before = versions()
    sys.stdout.flush()
    subprocess.run([sys.executable, "-m", "pip", *shlex.split(filled(args))], check=True)
    importlib.invalidate_caches()
    for name, (version, dist) in versions().items():
        if name not in before or before[name][0] != version:
            tops = {re.sub(r"\.py$", "", str(file).split("/")[0]) for file in dist.files or ()}
            for module in [one for one in sys.modules if one.split(".")[0] in tops]:
                del sys.modules[module]


def change_folder(args):
    os.chdir(os.path.expanduser(filled(args) or "~"))
    status("cd", path=os.getcwd())
    print(os.getcwd())


def variables(args):
    key, is_set, value = args.partition("=")
    return env(key.strip() or None, filled(value.strip()) if is_set else None)


def timed(code):
    began = time.perf_counter()
    try:
        return run_text(code)
    finally:
        ms = (time.perf_counter() - began) * 1000
        status("time", ms=ms)
        print(f"Wall time: {ms:.3f} ms")


def time_often(code):
    timer = timeit.Timer(code, globals=ns)
    number, _ = timer.autorange()
    best = min(timer.repeat(3, number)) / number
    status("timeit", ms=best * 1000)
    print(f"{best * 1e6:.3f} us per loop (best of 3, {number} loops each)")


def run_text(code):
    try:
        return evaluate(ast.parse(code, "<cell>", "eval"), "<cell>", "eval")
    except SyntaxError:
        return evaluate(ast.parse(code, "<cell>"))


def own_names():
    return sorted(name for name, value in ns.items() if not name.startswith("_") and helpers.get(name) is not value)


def list_types(_):
    for name in own_names():
        print(f"{name}  {type(ns[name]).__name__}  {repr(ns[name])[:60]}")


def run_file(args):
    ns.update({k: v for k, v in runpy.run_path(path_of(args), run_name="__main__").items() if not k.startswith("__")})


def shell_cell(shell):
    def run(_, body):
        sys.stdout.flush()
        subprocess.run([shell, "-c", body], check=True)

    return run


def capture(name, body):
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        execute(body, "<cell>")
    if name:
        ns[name] = text.getvalue()


def set_variable(args):
    key, _, value = args.replace("=", " ", 1).partition(" ")
    env(key, filled(value.strip()))


LINE_MAGICS = {
    "pip": pip,
    "cd": change_folder,
    "pwd": lambda _: os.getcwd(),
    "ls": lambda args: sorted(os.listdir(path_of(filled(args) or "."))),
    "env": variables,
    "set_env": set_variable,
    "time": timed,
    "timeit": time_often,
    "who": lambda _: print("  ".join(own_names())),
    "whos": list_types,
    "reset": lambda _: fill_namespace(),
    "load": lambda args: execute(read(args), args),
    "run": run_file,
}

CELL_MAGICS = {
    "bash": shell_cell("bash"),
    "sh": shell_cell("sh"),
    "capture": capture,
    "timeit": lambda _, body: time_often(body),
    "writefile": lambda args, body: write(args, body),
}

if here is not None:
    sys.path.insert(0, here)
signal.signal(signal.SIGINT, interrupt)
threading.excepthook = print_thread_error
loop.set_task_factory(make_task)
builtins.input = no_input
fill_namespace()
helpers = dict(ns)
threading.Thread(target=listen, daemon=True).start()
send({"ready": os.getpid()})
while True:
    run_next(work.get())
