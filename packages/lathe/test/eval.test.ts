// Cells of Python and JavaScript in whole runs, with real interpreters: what the model reads, and what kernels survive.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Script, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { RpcHost } from "./rpc-host.ts";

const FULL = ["--permission-mode", "full", "--profile", "lathe"];

interface Given {
  readonly language?: "py" | "js";
  readonly code: string;
  readonly title?: string;
  readonly timeout?: number;
  readonly reset?: boolean;
}

/** In the gate they block as a loop does, without taking a core from other tests; cells that spin are part of `checkCells`. */
const ENDLESS =
  process.env["LATHE_LONG"] === undefined
    ? {
        py: "import time\nwhile True: time.sleep(60)",
        js: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
      }
    : { py: "while True: pass", js: "while (true) {}" };

let scene: Stage;
afterEach(() => scene.close());
const file = (name: string): string => join(scene.box.dir, name);
const cells = (...given: (Given | string)[]) =>
  turn.calls([
    {
      name: "eval",
      args: {
        cells: given.map((one) => ({ language: "py", ...(typeof one === "string" ? { code: one } : one) })),
      },
    },
  ]);
const js = (code: string, more: Omit<Given, "code"> = {}): Given => ({ language: "js", code, ...more });

type ResultPart = { readonly type?: string; readonly content: unknown };

/** The results of the model's calls, in order. */
function parts(): ResultPart[] {
  const body = scene.server.requests.at(-1)?.body as { messages: { content: unknown }[] };
  return body.messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as ResultPart[]) : []))
    .filter(({ type }) => type === "tool_result");
}
const results = (): string[] =>
  parts().map(({ content }) =>
    typeof content === "string"
      ? content
      : (content as { text?: string }[]).flatMap(({ text }) => text ?? []).join("\n"),
  );

async function begin(script: Script): Promise<void> {
  scene = await stage(script);
  writeFileSync(join(scene.box.home, "fast.yml"), "retry:\n  baseDelay: 0.001\ntools:\n  discoveryMode: off\n");
}

it("T-EVAL-1 T-EVAL-2 T-EVAL-3 G-86 kernels keep their state, apart from each other, and say what went wrong", async () => {
  await begin([
    cells("import ours\nx = ours.answer"),
    cells("x + 1", js("globalThis.y=7; typeof x")),
    cells({ code: "'x' in globals()", reset: true }, js("y")),
    cells({ code: "a = 1", title: "first" }, { code: "1 / 0", title: "second" }, "b = 2"),
    cells("a, 'b' in globals()"),
    cells("input()"),
    cells(
      'print("out")\nimport os\nz = os.system("echo from a program; echo too >&2")\ndisplay({"k": [1]})\nprint("end")',
    ),
    cells("import asyncio\nawait asyncio.sleep(0)\nimport sys\nsys.exit(3)"),
    cells("a"),
    cells(js('import { v } from "./m.mjs"\nv')),
    turn.calls([{ name: "bash", args: { command: "echo 'export const v = 2' > m.mjs" } }]),
    cells(js('import { v } from "./m.mjs"\nconst y2 = await Promise.resolve(v);\nreturn y2;')),
    cells(js('const again = (await import("./m.mjs")).v; again')),
    cells(js("const again = 5; console.log(again); throw new TypeError('no')")),
    cells(js("process.exit(1)"), js("1")),
    turn.text("done"),
  ]);
  // Files of a project are importable, and do not replace the kernel's own modules.
  writeFileSync(file("ours.py"), "answer = 41\n");
  for (const name of ["json.py", "queue.py", "re.py"])
    writeFileSync(file(name), "raise RuntimeError('not this one')\n");
  writeFileSync(file("m.mjs"), "export const v = 1\n");
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  const found = results();
  expect(found[0]).toBe("(no output)");
  expect(found[1]).toBe("[1/2]\n42\n\n[2/2]\nundefined");
  expect(found[2]).toBe("[1/2]\nFalse\n\n[2/2]\n7");
  expect(found[3]).toContain("[2/3] second\nTraceback (most recent call last):");
  expect(found[3]).toContain('File "<cell 3>", line 1, in <module>\n    1 / 0');
  expect(found[3]).toMatch(
    /ZeroDivisionError: division by zero\nCell 2 of 3 \(second\): The cell failed\. The cell after it was not run\.$/,
  );
  expect(found[4]).toBe("(1, False)");
  expect(found[5]).toContain("EOFError: Cells cannot ask for input");
  expect(found[6]).toBe('out\nfrom a program\ntoo\n{\n  "k": [\n    1\n  ]\n}\nend');
  expect(found[7]).toContain("SystemExit: 3");
  expect(found[8]).toBe("1");
  expect([found[9], found[11], found[12]]).toEqual(["1", "2", "2"]);
  expect(found[13]).toBe("5\nTypeError: no\n    at cell-6.js:1:44\nThe cell failed.");
  expect(found[14]).toContain("a cell cannot end its kernel");
}, 120_000);

it("T-SUB-2 G-86 a cell that does not end is interrupted: Python keeps its state, JavaScript begins anew", async () => {
  await begin([
    cells("x = 1"),
    cells({ code: ENDLESS.py, timeout: 1 }),
    cells("x"),
    cells(js("globalThis.y=1; await new Promise(() => {})", { timeout: 1 })),
    cells(js("typeof y")),
    cells(js(ENDLESS.js, { timeout: -5 })),
    cells(js("1 + 1")),
    cells("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nx = 2", {
      code: ENDLESS.py,
      timeout: 1,
    }),
    cells("'x' in globals()"),
    cells("import os\nos.kill(os.getpid(), 9)"),
    cells("1"),
    cells("os.kill(__import__('os').getpid(), 9)"),
    turn.text("done"),
  ]);
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  const found = results();
  expect(found[1]).toBe("KeyboardInterrupt\nCommand timed out after 1 seconds.");
  expect(found[2]).toBe("1");
  expect(found[3]).toBe(
    "[The JavaScript kernel was ended: its variables are gone.]\nCommand timed out after 1 seconds.",
  );
  expect(found[4]).toBe("undefined");
  expect(found[5]).toContain("timed out after 1 seconds");
  expect(found[6]).toBe("2");
  expect(found[7]).toContain("[The Python kernel was ended: its variables are gone.]");
  expect(found[8]).toBe("False");
  expect(found[9]).toBe("[The Python kernel was ended by SIGKILL: its variables are gone.]\nThe cell failed.");
  expect(found[10]).toBe(
    "1\n[This is a new Python kernel: the one before was ended by SIGKILL, and its variables are gone.]",
  );
}, 120_000);

it("T-EVAL-3 T-EVAL-6 G-86 AU-07 plots reach the model as pictures, and no cell sees a key", async () => {
  const keys = 'Object.keys(process.env).filter((name) => name.includes("API_KEY"))';
  await begin([
    cells({ code: "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nf = plt.figure()\ndisplay(f)", timeout: 300 }),
    cells("import os\n[name for name in os.environ if 'API_KEY' in name], os.environ.get('OPENAI_API_KEY')", js(keys)),
    turn.calls([{ name: "python", args: { cells: [{ code: "1" }], timeout: 5, cwd: ".", reset: false } }]),
    turn.text("done"),
    turn.text("again"),
  ]);
  const PATH = ["/usr/bin", "/bin", dirname(process.execPath)].join(":");
  const env = { PATH, OPENAI_API_KEY: "sk-other-9c1b-secret" };
  expect(await scene.run([...FULL, "go"], { env })).toMatchObject({ code: 0 });
  const plots = parts()[0]!;
  const pictures = (plots.content as { type: string; source?: { media_type: string; data: string } }[]).filter(
    ({ type }) => type === "image",
  );
  expect(pictures).toHaveLength(2);
  expect(pictures[0]?.source?.media_type).toBe("image/png");
  expect(
    Buffer.from(pictures[0]?.source?.data ?? "", "base64")
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  expect(results().slice(0, 2)).toEqual(["(displayed 2 images; no text output)", "[1/2]\n([], None)\n\n[2/2]\n[]"]);
  // T-EVAL-6: calls of the older tool are shown and sent again like any other.
  expect(await scene.run([...FULL, "-c", "more"], { env })).toMatchObject({ code: 0, stdout: "again\n" });
  const [{ id }] = JSON.parse((await scene.box.run(["sessions", "list", "--json"])).stdout) as [{ id: string }];
  expect((await scene.box.run(["sessions", "show", id])).stdout).toMatch(/python/);
}, 120_000);

it("G-86 a call that is aborted keeps what its cell had printed and done, and says that the variables are gone", async () => {
  await begin([
    cells(
      js(
        `globalThis.y=5; console.log('tick'); await tool.bash({ command: 'echo once >> log' });\n` +
          `require('node:fs').writeFileSync('at', ''); ${ENDLESS.js}`,
      ),
    ),
    turn.text("done"),
  ]);
  const host = new RpcHost(scene.box.open([...scene.args, ...FULL, "--mode", "rpc"], scene.env));
  host.send({ type: "prompt", message: "go" });
  await until(() => existsSync(file("at")));
  await host.data("abort");
  await host.prompt("go on");
  await host.finish();
  expect(results()[0]).toBe(
    "tick\n[The JavaScript kernel was ended: its variables are gone.]\nThe cell was interrupted.\n" +
      "Calls that it had made:\n- bash echo once >> log: done",
  );
}, 120_000);

it("G-88 after SIGKILL of the agent no kernel is left, and no call of a cell is made twice", async () => {
  await begin([
    cells(
      "import os, subprocess, time\nchild = subprocess.Popen(['setsid', 'sleep', '300'])\ntool.bash(command='echo once >> log')\n" +
        `open('pids.new', 'w').write(f'{os.getpid()} {child.pid}')\nos.rename('pids.new', 'pids')\n${ENDLESS.py}`,
    ),
    turn.text("done"),
  ]);
  const agent = scene.start([...FULL, "-p", "go"]);
  agent.stdin.end();
  await until(() => existsSync(file("pids")));
  const pids = readFileSync(file("pids"), "utf8").split(" ").map(Number);
  agent.kill("SIGKILL");
  await until(() => !pids.some(isAlive));
  expect(await scene.run([...FULL, "-c", "go on"])).toMatchObject({ code: 0 });
  expect(readFileSync(file("log"), "utf8")).toBe("once\n");
  expect(results().at(0)).toMatch(
    /interrupted, effects unknown[\s\S]*Calls that it had made:\n- bash echo once >> log: done/,
  );
}, 120_000);
