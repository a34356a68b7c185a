// Kernels themselves: notebook shortcuts, which interpreter runs, how many may run, and what cells do to them.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { CellHarness } from "./eval-harness.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const MB = 1 << 20;
/** Without version managers, which are slow to start. */
const PLAIN = { ...process.env, PATH: ["/usr/bin", "/bin", dirname(process.execPath)].join(delimiter) };

let dir: string;
let env: LocalEnvironment;
let cells: CellHarness;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-cells-")));
  env = new LocalEnvironment({ cwd: dir, baseEnv: PLAIN });
  cells = new CellHarness(env);
});
afterEach(async () => {
  await cells.kernels.close();
  await env.cleanup();
  rmSync(dir, { recursive: true, force: true });
});

/** A package without code of its own, as pip takes it. */
function makeWheel(version: string): string {
  const name = `tiny_cells-${version}-py3-none-any.whl`;
  const info = `tiny_cells-${version}.dist-info`;
  mkdirSync(join(dir, info));
  writeFileSync(join(dir, "tiny_cells.py"), `version = "${version}"\n`);
  writeFileSync(join(dir, info, "METADATA"), `Metadata-Version: 2.1\nName: tiny-cells\nVersion: ${version}\n`);
  writeFileSync(
    join(dir, info, "WHEEL"),
    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  );
  writeFileSync(join(dir, info, "RECORD"), `tiny_cells.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`);
  execFileSync("python3", ["-m", "zipfile", "-c", name, "tiny_cells.py", info], { cwd: dir });
  rmSync(join(dir, "tiny_cells.py"));
  rmSync(join(dir, info), { recursive: true });
  return name;
}

it("G-87 magics: one cell each", async () => {
  const { py } = cells;
  writeFileSync(join(dir, "part.py"), "loaded = 5\nprint('in part')\n");
  mkdirSync(join(dir, "sub"));
  const name = "sub";
  expect(await py("%pwd")).toBe(`'${dir}'`);
  expect(await py("where = %pwd\nwhere")).toBe(`'${dir}'`);
  expect(await py("%ls")).toBe("['part.py', 'sub']");
  expect(await py("%cd sub")).toBe(join(dir, name));
  expect(await py("%cd ..")).toBe(dir);
  expect(await py("%set_env COLOUR blue")).toBe("");
  expect(await py("%env COLOUR")).toBe("'blue'");
  expect(await py("%env COLOUR=red")).toBe("'red'");
  expect(await py("import os\nos.environ['COLOUR']")).toBe("'red'");
  expect(await py("everything = %env\n'PATH' in everything")).toBe("True");
  expect(await py("%time 1 + 1")).toMatch(/^Wall time: [\d.]+ ms\n2$/);
  // It repeats fast work until that takes long enough to be measured: a core for seconds.
  const slow = "__import__('time').sleep(0.1)";
  expect(await py(`%timeit ${slow}`)).toMatch(/^[\d.]+ us per loop/);
  expect(await py(`%%timeit\n${slow}`)).toMatch(/^[\d.]+ us per loop/);
  expect(await py("class P:\n  def _repr_html_(self): return '<b>page</b>'\nP()")).toBe("<b>page</b>");
  await py("del P");
  expect(await py("%who")).toBe("everything  os  where");
  expect(await py("%whos")).toContain(`where  str  '${dir}'`);
  expect(await py("%load part.py")).toBe("in part");
  expect(await py("loaded = 0\n%run part.py\nprint(loaded)")).toBe("in part\n5");
  expect(await py("%%bash\necho from bash $BASH")).toMatch(/^from bash \/.*bash$/);
  expect(await py("%%sh\necho from sh; exit 3")).toMatch(/^from sh[\s\S]*exit status 3\.$/);
  expect(await py("%%capture kept\nprint('quiet')\n1 + 1")).toBe("2");
  expect(await py("kept")).toBe("'quiet\\n'");
  expect(await py("%%writefile made/new.txt\none\ntwo")).toBe("");
  expect(readFileSync(join(dir, "made/new.txt"), "utf8")).toBe("one\ntwo");
  expect(await py("!echo plain; echo wrong >&2")).toBe("plain\nwrong");
  expect(await py("word = 'x y'\nfor i in range(2):\n    !echo \"{word}\" {i}")).toBe("x y 0\nx y 1");
  expect(await py("lines = !printf 'a\\nb\\n'\nlines, lines.n, lines.s")).toBe("(['a', 'b'], 'a\\nb', 'a b')");
  expect(await py("%nothing")).toMatch(/NameError: UsageError: .*%nothing/);
  expect(await py("%%nothing\n1")).toMatch(/NameError: UsageError: .*%%nothing/);
  expect(await py("text = '''\n%pwd\n!echo no\n'''\n5 % 3")).toBe("2");
  expect(await py("%reset")).toBe("");
  expect(await py("'where' in globals(), callable(display)")).toBe("(False, True)");
}, 120_000);

it("G-87 %pip installs a local wheel, and the next import finds it, also a newer one", async () => {
  const mine = new LocalEnvironment({ cwd: dir, baseEnv: process.env });
  const wheels = (isLong ? ["1.0", "2.0"] : ["1.0"]).map((version) => ({ version, file: makeWheel(version) }));
  for (const { version, file } of wheels) {
    const install = `%pip install -q --no-index --no-deps --upgrade --target lib ./${file}`;
    const code = `import sys\nsys.path.insert(0, 'lib')\n${install}\nimport tiny_cells\ntiny_cells.version`;
    const { text } = await cells.run("py", code, { env: mine });
    expect(text.split("\n").at(-1)).toBe(`'${version}'`);
  }
  await mine.cleanup();
}, 120_000);

it("G-88 T-EVAL-3 the project's own Python runs only where it is trusted, and none at all is one line", async () => {
  mkdirSync(join(dir, ".venv/bin"), { recursive: true });
  writeFileSync(join(dir, ".venv/bin/python"), '#!/bin/sh\ntouch witness\nexec python3 "$@"\n');
  chmodSync(join(dir, ".venv/bin/python"), 0o755);
  const careful = new CellHarness(env, { isTrusted: () => false });
  expect(await careful.py("1 + 1")).toBe("2");
  expect(existsSync(join(dir, "witness"))).toBe(false);
  await careful.kernels.close();
  expect(await cells.py("import os\nos.environ['PATH'].split(':')[0]")).toBe("'.venv/bin'");
  expect(existsSync(join(dir, "witness"))).toBe(true);
  const bare = new LocalEnvironment({ cwd: "/", baseEnv: { PATH: "/nowhere" } });
  await expect(cells.run("py", "1", { env: bare })).rejects.toThrow(/^There is no Python where commands run\./);
  await expect(cells.run("js", "1", { env: bare })).rejects.toThrow(/^There is no Node\.js where commands run\./);
  await bare.cleanup();
}, 120_000);

it("G-88 a fifth folder ends the oldest kernel; a kernel that dies twice wants a reset; per-call keeps nothing, nor does an idle one", async () => {
  const pid = async (cwd: string) => {
    mkdirSync(join(dir, cwd));
    const place = new LocalEnvironment({ cwd: join(dir, cwd), baseEnv: PLAIN });
    places.push(place);
    return Number((await cells.run("py", "import os\nos.getpid()", { env: place })).text);
  };
  const places: LocalEnvironment[] = [];
  const pids: number[] = [];
  for (const cwd of ["a", "b", "c", "d", "e"]) pids.push(await pid(cwd));
  await until(() => !isAlive(pids[0] as number));
  expect(pids.slice(1).every(isAlive)).toBe(true);
  expect(await cells.run("py", "1", { env: places[0]! })).toMatchObject({
    text: "1",
    note: expect.stringContaining("made room for another one"),
  });
  for (const place of places) await place.cleanup();
  const kill = async () => process.kill(Number(await cells.py("import os\nos.getpid()")), "SIGKILL");
  await kill();
  await until(async () => (await cells.run("py", "'os' in globals()")).text === "False");
  await kill();
  await expect(until(async () => (await cells.run("py", "1")).text === "2")).rejects.toThrow(
    /The Python kernel has died 2 times \(it was ended by SIGKILL\)\. Give reset: true/,
  );
  expect(await cells.run("py", "1", { reset: true })).toMatchObject({ text: "1", status: "done" });
  const single = new CellHarness(env, { perCall: true });
  await single.py("x = 1");
  expect(await single.py("'x' in globals()")).toBe("False");
  await single.kernels.close();
  const brief = new CellHarness(env, { idleMs: 1 });
  const idle = Number(await brief.py("import os\nos.getpid()"));
  await until(() => !isAlive(idle));
  expect(await brief.run("py", "1")).toMatchObject({
    text: "1",
    note: expect.stringContaining("not used for a while"),
  });
  await brief.kernels.close();
}, 120_000);

it("T-EVAL-1 floods, forks and memory: the output is all there, what a cell started ends with its kernel", async () => {
  const size = isLong ? 1024 : 32;
  const before = process.memoryUsage().rss;
  const flood = await cells.run("py", `for _ in range(${size}): print('x' * ${MB - 1})`, { timeoutMs: 300_000 });
  expect(flood).toMatchObject({ status: "done", bytes: size * MB });
  const program = await cells.run(
    "js",
    `require("child_process").execSync("yes | head -c ${size * MB}", { stdio: "inherit" }); 1`,
    { timeoutMs: 300_000 },
  );
  expect(program).toMatchObject({ status: "done", bytes: size * MB });
  const grown = (process.memoryUsage().rss - before) / MB;
  expect(grown).toBeLessThan(400);
  if (isLong) console.log(`2 x ${size} MB of output: ${grown.toFixed(0)} MB more memory`);
  // A bounded fork bomb, whose processes leave the kernel's group.
  const bomb = await cells.run(
    "py",
    "import os, time\nprint(os.getpid(), flush=True)\nfor _ in range(5):\n  if os.fork() == 0: os.setsid(); os.write(1, b'%d\\n' % os.getpid())\nwhile True: time.sleep(60)",
    { timeoutMs: 5000 },
  );
  expect(bomb.status).toBe("timed_out");
  const pids = [...new Set(bomb.text.match(/^\d+$/gm)?.map(Number))];
  expect(pids.length).toBeGreaterThan(20);
  await cells.run("py", "1", { reset: true });
  await until(() => !pids.some(isAlive));
  const limited = await cells.run(
    "py",
    "kept = 1\nimport resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\nx = ' ' * (1 << 31)",
  );
  expect(limited).toMatchObject({ status: "failed", text: expect.stringContaining("MemoryError") });
  expect(await cells.py("kept")).toBe("1");
  const small = new LocalEnvironment({ cwd: "/", baseEnv: { ...PLAIN, NODE_OPTIONS: "--max-old-space-size=40" } });
  const full = await cells.run("js", "const all = []; for (;;) all.push(new Array(1e5).fill(1.5))", { env: small });
  expect(full).toMatchObject({ status: "died", note: expect.stringContaining("SIGABRT") });
  expect(await cells.run("js", "1 + 1", { env: small })).toMatchObject({ status: "done" });
  await small.cleanup();
}, 600_000);

it("T-EVAL-2 T-EVAL-3 late errors reach the running or the next cell; traces show the cell's own lines; wrong use is one line", async () => {
  const { py, js } = cells;
  // Output while no cell runs belongs to the next one.
  let said = await js("setTimeout(() => { throw new Error('late') }, 1); 1");
  await until(async () => {
    said += await js("0");
    return said.includes("Uncaught Error: late\n    at Timeout._onTimeout (cell-1.js:1:26)");
  });
  expect(
    await js(
      "setTimeout(() => Promise.reject(new TypeError('then')), 1); await new Promise((go) => setTimeout(go, 200))",
    ),
  ).toMatch(/^Uncaught TypeError: then\n {4}at Timeout\._onTimeout \(cell-\d+\.js:1:33\)$/);
  expect(await js("parallel('x')")).toMatch(
    /^TypeError: parallel takes an array of functions, [^\n]*(\n {4}at cell-\d+\.js:1:1)?$/,
  );
  expect(await js("const f = () => tool.read('a'); await f()")).toMatch(
    /^TypeError: tool\.read takes its arguments as an object, such as \{ path: "a" \}\n {4}at f \(cell-\d+\.js:1:22\)\n {4}at cell-\d+\.js:1:39$/,
  );
  expect(await js("await parallel([() => { throw new RangeError('in it') }])")).toMatch(
    /^RangeError: in it\n {4}at cell-\d+\.js:1:31(\n {4}at async cell-\d+\.js:1:1)?$/,
  );
  expect(await js("try { null.x } catch (error) { console.log(error) }")).toMatch(
    /^TypeError: [^\n]*\n {4}at cell-\d+\.js:1:12$/,
  );

  await py(
    "import threading, asyncio, time\ngo = threading.Event()\ndef fail():\n  go.wait()\n  1 / 0\nthread = threading.Thread(target=fail, name='worker')\nthread.start()",
  );
  expect(await py("go.set()\nthread.join()")).toBe(
    'In the thread worker:\nTraceback (most recent call last):\n  File "<cell 1>", line 5, in fail\n    1 / 0\n    ~~^~~\nZeroDivisionError: division by zero',
  );
  const late = "threading.Thread(target=lambda: (time.sleep(0.05), print('after'))).start()";
  said = await py(late);
  await until(async () => {
    said += await py("0");
    return said.includes("after");
  });
  expect(
    await py(
      "async def boom():\n  raise KeyError('k')\ntask = asyncio.create_task(boom(), name='boom')\nawait asyncio.sleep(0.01)",
    ),
  ).toMatch(
    /^In the task boom:\nTraceback \(most recent call last\):\n {2}File "<cell \d+>", line 2, in boom\n {4}raise KeyError\('k'\)\nKeyError: 'k'$/,
  );
  const wrong = [
    ["parallel('x')", "parallel takes a list of functions"],
    ["tool.read('a')", "tool.read takes its arguments by name"],
    ["parallel([lambda: int('q')])", "invalid literal"],
  ];
  for (const [code, said] of wrong as [string, string][]) {
    const text = await py(code);
    expect(text).toContain(said);
    expect(text.match(/File "[^"]*"/g)?.every((place) => /"<cell \d+>"/.test(place))).toBe(true);
  }
}, 120_000);
