# The Python side of `eval`: runs cells one after another in one namespace. Requests come as JSON lines on descriptor 3.
# Output of cells and their programs goes to the pipe unchanged, mixed with our own messages, each after a mark that only
# the host knows.

import sys

# A project file with the name of one of these modules must not replace it.
here = sys.path.pop(0) if sys.path[0] == "" else None

import ast, asyncio, base64, builtins, concurrent.futures, difflib, inspect, io, itertools, json, linecache, os, queue
import signal, threading, time, traceback, types

MARK = b"\x1e" + sys.argv[1].encode()
# Writes of this size to a pipe are atomic: output of other processes cannot split them.
PIECE = 4000
sys.argv = [""]
os.environ.setdefault("MPLBACKEND", "Agg")
os.set_inheritable(3, False)
sys.stdout = sys.stderr = io.TextIOWrapper(
    io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8", "backslashreplace", line_buffering=True
)

sending = threading.RLock()
work = queue.SimpleQueue()
answers = {}
numbers = itertools.count(1)
loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
ended_tasks = []
main = threading.main_thread()
current = None
armed = False
holding = False
count = 0
ns = {}


def send(message):
    global holding
    data = json.dumps(message).encode()
    with sending:
        sys.stdout.flush()
        is_main = threading.current_thread() is main
        holding = is_main or holding
        for at in range(0, len(data), PIECE):
            piece = data[at : at + PIECE]
            os.write(1, MARK + (b"." if at + PIECE >= len(data) else b"+") + piece + b"\n")
        if is_main:
            was, holding = holding, False
            if was == "interrupted":
                interrupt()


class ToolError(Exception):
    """The host answered a call with an error."""


def ask(what, **more):
    number = next(numbers)
    box = answers[number] = queue.SimpleQueue()
    send({"ask": number, "what": what, "cell": current, **more})
    if threading.current_thread() is main:
        # Agents share this kernel, so their cells run here while this one waits.
        while box.empty():
            run_next(work.get())
    answer = box.get()
    if "error" in answer:
        raise ToolError(answer["error"])
    return answer.get("value")


def listen():
    with os.fdopen(3, "rb") as lines:
        for line in lines:
            message = json.loads(line)
            if "answer" in message:
                box = answers.pop(message["answer"], None)
                if box:
                    box.put(message)
                work.put(None)
            else:
                work.put(message)
    os._exit(0)


def interrupt(*_):
    global armed, holding
    # Half a message would make the next one unreadable too.
    if holding:
        holding = "interrupted"
    elif armed:
        # The cell may have just ended; a second signal must not end the kernel.
        armed = False
        raise KeyboardInterrupt


def run_next(cell):
    global current, armed, count
    if cell is None:
        return
    outer, was_armed, name = current, armed, f"<cell {count + 1}>"
    current, count = cell["run"], count + 1
    if outer is not None:
        send({"to": current})
    os.set_blocking(1, True)
    failed = cancelled = False
    try:
        try:
            armed = True
            execute(cell["code"], name)
            show_figures()
        finally:
            armed = was_armed
    except KeyboardInterrupt:
        failed = cancelled = True
        print("KeyboardInterrupt")
    except BaseException as error:
        failed = True
        print_error(error)
    print_task_errors()
    send({"done": current, "failed": failed, "cancelled": cancelled, "count": count})
    current = outer
    if outer is not None:
        send({"to": outer})


def print_error(error, head=""):
    try:
        leave_own_frames(error)
        print(head + "".join(traceback.format_exception(type(error), error, error.__traceback__)), end="")
    except Exception:
        print(f"{head}{type(error).__name__} (it cannot be printed)")


def leave_own_frames(error):
    """Tracebacks show the user's code and the libraries it calls, but not this kernel or its threads."""
    seen = set()
    errors = [error]
    while errors:
        error = errors.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        errors += [error.__cause__, error.__context__, *getattr(error, "exceptions", ())]
        places = []
        place = error.__traceback__
        while place:
            if not is_inner(place.tb_frame):
                places.append((place.tb_frame, place.tb_lasti, place.tb_lineno))
            place = place.tb_next
        kept = None
        for place in reversed(places):
            kept = types.TracebackType(kept, *place)
        error.__traceback__ = kept


def is_inner(frame):
    inner = ("ast", "asyncio", "concurrent", "threading", "runpy")
    return frame.f_globals is globals() or frame.f_globals.get("__name__", "").split(".")[0] in inner


def print_thread_error(failed):
    if failed.exc_type is not SystemExit:
        print_error(failed.exc_value, f"In the thread {failed.thread.name if failed.thread else '?'}:\n")


def make_task(loop, code, **options):
    task = asyncio.Task(code, loop=loop, **options)
    task.add_done_callback(ended_tasks.append)
    return task


def print_task_errors():
    """Prints errors of tasks whose results nothing has read."""
    while ended_tasks:
        task = ended_tasks.pop(0)
        if not task.cancelled() and getattr(task, "_log_traceback", False):
            print_error(task.exception(), f"In the task {task.get_name()}:\n")


def execute(code, name):
    body = cell_magic(code)
    if body is not None:
        return
    code = without_magics(code)
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    tree = ast.parse(code, name)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr) and not code.rstrip().endswith(";"):
        # Assigning the last value keeps the code in one piece: an await in its last line needs the event loop for all of it.
        target = ast.copy_location(ast.Name("__value__", ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    evaluate(tree, name)
    value = ns.pop("__value__", None)
    if value is not None:
        ns["_"] = value
        show(value, bundle_of(value))


def evaluate(tree, name="<cell>", mode="exec"):
    code = compile(tree, name, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(code, ns)
    if not code.co_flags & inspect.CO_COROUTINE:
        return value
    running = asyncio._get_running_loop()
    # This is a subagent's cell, and a cell of its parent waits inside the loop.
    asyncio._set_running_loop(None)
    used = loop if running is None else asyncio.new_event_loop()
    try:
        return used.run_until_complete(value)
    finally:
        if used is not loop:
            used.close()
        asyncio._set_running_loop(running)


# ---- displayed values ----

REPRS = {
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "text/markdown": "_repr_markdown_",
    "text/html": "_repr_html_",
    "application/json": "_repr_json_",
}


def bundle_of(value):
    bundle = {}
    if isinstance(value, (bytes, bytearray)):
        kind = {b"\x89PNG": "image/png", b"\xff\xd8\xff\xe0": "image/jpeg", b"\xff\xd8\xff\xe1": "image/jpeg"}.get(bytes(value[:4]))
        if kind:
            return {kind: value}
    elif hasattr(value, "savefig"):
        return {"image/png": png_of(value)}
    elif not isinstance(value, type):
        if hasattr(value, "_repr_mimebundle_"):
            bundle = value._repr_mimebundle_() or {}
            bundle = dict(bundle[0] if isinstance(bundle, tuple) else bundle)
        for mime, method in REPRS.items():
            if mime not in bundle and hasattr(value, method):
                made = getattr(value, method)()
                if made is not None:
                    bundle[mime] = made[0] if isinstance(made, tuple) else made
    # A table reads better as text; an object whose text is only its address is shown as HTML.
    if "text/html" not in bundle or type(value).__repr__ is not object.__repr__:
        bundle.setdefault("text/plain", repr(value))
    return bundle


def png_of(figure):
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    # Otherwise it would be shown again when the cell ends.
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    return file.getvalue()


def show_figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums() if pyplot else ():
        figure = pyplot.figure(number)
        show(figure, {"image/png": png_of(figure)})


def show(value, bundle):
    for mime in ("image/png", "image/jpeg"):
        if mime in bundle:
            data = bundle[mime]
            text = data if isinstance(data, str) else base64.b64encode(data).decode()
            return send({"show": {"image": text, "mime": mime}})
    if "application/json" in bundle:
        return send({"show": {"json": bundle["application/json"]}})
    for kind in ("text/markdown", "text/plain", "text/html"):
        if kind in bundle:
            return send({"show": {kind[5:]: str(bundle[kind])}})


def display(*values, raw=False):
    for value in values:
        if raw and isinstance(value, dict):
            show(value, value)
        elif isinstance(value, dict) and value.get("type") == "image":
            send({"show": {"image": value["data"], "mime": value.get("mimeType", "image/png")}})
        elif isinstance(value, (dict, list, tuple)):
            try:
                send({"show": {"json": json.loads(json.dumps(value))}})
            except (TypeError, ValueError):
                show(value, bundle_of(value))
        elif isinstance(value, str):
            send({"show": {"plain": value}})
        else:
            show(value, bundle_of(value))


def status(op, **facts):
    send({"status": {"op": op, **facts}})


# ---- helpers for cells ----


class Tools:
    def __getattr__(self, name):
        def call(args=None, **named):
            if args is not None and not isinstance(args, dict):
                raise TypeError(f"tool.{name} takes its arguments by name, such as path='a'")
            return ask("tool", name=name, args={**(args or {}), **named})

        return call


def completion(prompt, *, model="default", system=None, schema=None):
    return ask("completion", args={"prompt": prompt, "model": model, "system": system, "schema": schema})


def agent(prompt, *, agent_type="task", model=None, label=None, schema=None):
    return ask("agent", args={"prompt": prompt, "agentType": agent_type, "model": model, "label": label, "schema": schema})


def parallel(thunks):
    thunks = list(thunks)
    if not all(callable(thunk) for thunk in thunks):
        raise TypeError("parallel takes a list of functions, such as [lambda: tool.read(path='a')]")
    width = ask("width") or len(thunks)
    with concurrent.futures.ThreadPoolExecutor(max(1, min(width, len(thunks)))) as pool:
        futures = [pool.submit(thunk) for thunk in thunks]
        try:
            for future in futures:
                future.add_done_callback(lambda _: work.put(None))
            while threading.current_thread() is main and not all(future.done() for future in futures):
                run_next(work.get())
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()


def pipeline(items, *stages):
    if not all(callable(stage) for stage in stages):
        raise TypeError("pipeline takes a list, then functions")

    def through(item):
        for stage in stages:
            item = stage(item)
        return item

    return parallel([lambda item=item: through(item) for item in items])


def output(*ids):
    texts = [ask("output", id=one) for one in ids]
    return texts[0] if len(texts) == 1 else texts


def path_of(path):
    if "://" in str(path):
        raise ValueError(f"{path} is an address; tool.read reads it")
    return os.path.expanduser(path)


def read(path, offset=1, limit=None):
    with open(path_of(path), encoding="utf-8", errors="replace", newline="") as file:
        if offset == 1 and limit is None:
            return file.read()
        return "".join(itertools.islice(file, offset - 1, None if limit is None else offset - 1 + limit))


def write(path, content, mode="w"):
    path = path_of(path)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, mode, encoding="utf-8", newline="") as file:
        file.write(content)
    status("append" if mode == "a" else "write", path=path, chars=len(content))


def append(path, content):
    write(path, content, "a")


def sort(text, reverse=False, unique=False):
    lines = text.splitlines()
    return "\n".join(sorted(set(lines) if unique else lines, reverse=reverse))


def uniq(text, count=False):
    groups = [(line, len(list(same))) for line, same in itertools.groupby(text.splitlines())]
    return "\n".join(f"{times} {line}" if count else line for line, times in groups)


def counter(items, limit=None, reverse=True):
    tally = {}
    for item in items.splitlines() if isinstance(items, str) else items:
        tally[item] = tally.get(item, 0) + 1
    return sorted(tally.items(), key=lambda pair: pair[1], reverse=reverse)[:limit]


def diff(a, b):
    lines = [read(path).splitlines(True) for path in (a, b)]
    return "".join(difflib.unified_diff(*lines, str(a), str(b)))


def tree(path=".", max_depth=3, hidden=False):
    def lines(folder, depth):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if hidden or not entry.name.startswith("."):
                is_folder = entry.is_dir(follow_symlinks=False)
                yield "  " * depth + entry.name + ("/" if is_folder else "")
                if is_folder and depth + 1 < max_depth:
                    yield from lines(entry.path, depth + 1)

    return "\n".join(lines(path_of(path), 0))


def env(key=None, value=None):
    if value is not None:
        os.environ[key] = str(value)
    return dict(os.environ) if key is None else os.environ.get(key)


def no_input(*_):
    raise EOFError("Cells cannot ask for input: give the value in the code.")


def fill_namespace():
    ns.clear()
    helpers = (display, completion, agent, parallel, pipeline, output, read, write, append, sort, uniq, counter, diff, tree, env)
    ns.update({"__name__": "__main__", "__builtins__": builtins, "tool": Tools(), "ToolError": ToolError})
    ns.update({helper.__name__: helper for helper in helpers})
    ns.update({"__line_magic__": line_magic, "__run_line__": run_line, "__lines_of__": lines_of})
