// Language servers that break, hang or lie: the edit lands, the result says what was not checked, and no process
// remains.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalEnvironment, ScopedEnvironment } from "@lathe/agent";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { Answers } from "../src/additions/lsp/answers.ts";
import { ErrorsAfterEdit } from "../src/additions/lsp/errors-after-edit.ts";
import { LanguageServers } from "../src/additions/lsp/language-servers.ts";
import { Refactorings } from "../src/additions/lsp/refactorings.ts";
import { SERVER_ROWS } from "../src/additions/lsp/server-rows.ts";

const SERVER = fileURLToPath(new URL("lsp-scripted-server.mjs", import.meta.url));
const signal = new AbortController().signal;

let folder: string;
let file: string;
let env: LocalEnvironment;
let servers: LanguageServers;
let warnings: string[];
let clock: number;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-lsp-")));
  file = join(folder, "a.xyz");
  writeFileSync(file, "one\n");
  env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder } });
  warnings = [];
  clock = 0;
});

afterEach(async () => {
  await servers.close();
  await env.cleanup();
  rmSync(folder, { recursive: true, force: true });
});

function serve(behaviour: string, idleMs?: number, startTimeoutMs = 10_000): void {
  const row = {
    name: "xyz",
    command: process.execPath,
    args: [SERVER, behaviour],
    fileTypes: [".xyz"],
    rootMarkers: ["a.xyz"],
    startTimeoutMs,
  };
  servers = new LanguageServers({
    rows: [row],
    top: folder,
    idleMs,
    isTrusted: () => true,
    now: () => clock,
    warn: (message) => warnings.push(message),
  });
}

const hover = async (): Promise<string> =>
  new Answers({ servers, mayShow: () => true, refactorings: new Refactorings(servers) }).answer(
    { action: "hover", file, line: 1, symbol: "one", timeoutMs: 10_000 },
    env,
    signal,
  );

/** `waitMs`: for a server that gives no answer, however long it is waited for. */
async function edit(waitMs?: number): Promise<string> {
  const contentOf = () => Buffer.from("one\n");
  const errors = new ErrorsAfterEdit({ servers, mayShow: () => true, contentOf, ...(waitMs && { waitMs }) });
  writeFileSync(file, "two\n");
  const content = { sha256: "0", bytes: 4 };
  const changes = [{ path: file, before: content, after: content, added: 1, removed: 1 }];
  const result = await errors.after({ content: [{ kind: "text", text: "Wrote it." }], changes }, env, signal);
  return (result?.content ?? []).map((part) => (part.kind === "text" ? part.text : "")).join("\n");
}

function limited(limits: NonNullable<ConstructorParameters<typeof LocalEnvironment>[0]["limits"]>): void {
  env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder }, limits });
}

const pidOf = (text: string): number => Number(/process (\d+)/.exec(text)?.[1]);

it("LP-02 a killed server is started again by the next question, with the files open, and ends with the session", async () => {
  serve("plain");
  const first = pidOf(await hover());
  process.kill(first, "SIGKILL");
  await until(() => servers.running.length === 0);
  const again = await hover();
  expect(again).toContain("opened 1");
  expect(pidOf(again)).not.toBe(first);
  await servers.close();
  await until(() => !isAlive(pidOf(again)));
});

it("LP-02 LP-03 a server that stands still in the middle of a call: the write stays, nothing hangs, and it is ended", async () => {
  serve("plain");
  const pid = pidOf(await hover());
  process.kill(pid, "SIGSTOP");
  expect(await edit(500)).toContain("xyz has not checked a.xyz: no answer");
  await servers.close();
  await until(() => !isAlive(pid));
}, 60_000);

it("G-113 an idle server ends, and the next question starts it again", async () => {
  serve("plain", 1000);
  const first = pidOf(await hover());
  await until(() => !isAlive(first));
  expect(pidOf(await hover())).not.toBe(first);
});

it("LP-02 an agent that may read a part of the project only has the servers of this part, and no error", async () => {
  serve("plain");
  const part = join(folder, "part");
  mkdirSync(part);
  const scoped = new ScopedEnvironment(env, part);
  expect(await servers.forFile(join(part, "b.xyz"), scoped)).toEqual([]);
  writeFileSync(join(part, "a.xyz"), "one\n");
  expect(await servers.forFile(join(part, "b.xyz"), scoped)).toMatchObject([{ root: part }]);
});

it("LP-02 a server that ends three times within a minute is off, which is said once with the cause", async () => {
  serve("dies at start");
  for (let n = 0; n < 5; n++) await expect(hover()).rejects.toThrow("no such library");
  expect(warnings).toEqual([expect.stringMatching(/^The language server xyz is off: .*code 3: no such library$/)]);
  expect((await servers.forFile(file, env))[0]?.server?.state).toBe("off");
  const answers = new Answers({ servers, mayShow: () => true, refactorings: new Refactorings(servers) });
  expect(await answers.answer({ action: "reload" }, env, signal)).toContain("Ended: xyz.");
  expect((await servers.forFile(file, env))[0]?.server?.state).toBe("not started");
});

it.each([
  ["dies", "has not checked a.xyz: it exited with code 7"],
  ["half a frame", "has not checked a.xyz: it exited with code 1"],
  ["a gigabyte", "has not checked a.xyz: it announced a message of 1000000000 bytes"],
  ["silent", "has not checked a.xyz: no answer yet; its errors follow with the next result"],
  ["silent when asked", "has not checked a.xyz: no answer yet; its errors follow with the next result"],
])(
  "LP-03 a server that is %s: the write stays, and the result says that it was not checked",
  async (behaviour, said) => {
    serve(behaviour);
    expect(await edit(behaviour.startsWith("silent") ? 500 : undefined)).toContain(said);
  },
  30_000,
);

/** Edits one after the other, each answered as the model reads it. */
function editing(waitMs: number): (name: string, text: string) => Promise<string> {
  const contents = new Map<string, Buffer>();
  const contentOf = (hash: string) => contents.get(hash);
  const errors = new ErrorsAfterEdit({ servers, mayShow: () => true, contentOf, waitMs });
  return async (name, text) => {
    const path = join(folder, name);
    const content = { sha256: `${contents.size}`, bytes: 4 };
    contents.set(content.sha256, readFileSync(path));
    writeFileSync(path, text);
    const changes = [{ path, before: content, after: content, added: 1, removed: 1 }];
    const result = await errors.after({ content: [], changes }, env, signal);
    return (result?.content ?? []).map((part) => (part.kind === "text" ? part.text : "")).join("\n");
  };
}

it("LP-03 errors that a slow server could not tell follow also when the file was edited once more", async () => {
  serve("late");
  const write = editing(500);
  expect(await write("a.xyz", "bad\n")).toContain("no answer yet; its errors follow with the next result");
  writeFileSync(join(folder, "go"), "");
  expect(await write("a.xyz", "bad as before\n")).toContain("a.xyz: 1 new error");
}, 60_000);

it("LP-03 errors in files that use an edited one follow with the next result, whichever file that is about", async () => {
  for (const [name, text] of [
    ["b.xyz", 'use "a"\n'],
    ["c.xyz", "one\n"],
  ] as const)
    writeFileSync(join(folder, name), text);
  serve("late for users");
  await hover();
  const write = editing(2_000);
  const first = await write("a.xyz", "bad\n");
  expect(first).toContain("a.xyz: 1 new error");
  expect(first).toContain(
    "has not checked what depends on a.xyz: no answer yet; its errors follow with the next result",
  );
  writeFileSync(join(folder, "go"), "");
  expect(await write("c.xyz", "two\n")).toContain("b.xyz: 1 new error");
}, 60_000);

it("a server that never reads its input is not waited for", async () => {
  serve("never reads", undefined, 300);
  expect(await edit()).toContain("xyz has not checked a.xyz:");
}, 30_000);

it.each(["floods", "edits"])(
  "a server that %s is bounded: its own list is read, places that are not there too",
  async (behaviour) => {
    serve(behaviour);
    const answers = new Answers({ servers, mayShow: () => true, refactorings: new Refactorings(servers) });
    const said = await answers.answer({ action: "diagnostics", file, timeoutMs: 20_000 }, env, signal);
    expect(said.split("\n")).toEqual(["1:1 error broken", "1000000001:1 error broken"]);
    const whole = await answers.answer({ action: "diagnostics", file: "*", timeoutMs: 20_000 }, env, signal);
    expect(whole).toContain("1:1 error broken");
  },
  60_000,
);

it("LP-03 a server that has to wait for memory is not waited for: the file is not checked, and no crash is counted", async () => {
  serve("plain");
  limited({ commandMemoryMb: 2 ** 24 });
  expect(await edit()).toContain("xyz has not checked a.xyz: it waits for memory");
  expect(servers.running).toEqual([]);
  expect((await servers.forFile(file, env))[0]?.server?.state).toBe("not started");
});

it("LP-03 a server that takes too much memory in the middle of a call is ended: the write stays, and the result says why", async () => {
  serve("eats memory");
  limited({ memoryMb: 300 });
  expect(await edit(60_000)).toContain(
    "xyz has not checked a.xyz: it was ended because the commands of this session used more than 300 MB together (limits.memoryMb)",
  );
  expect(readFileSync(file, "utf8")).toBe("two\n");
  expect(servers.running).toEqual([]);
});

it("LP-05 G-113 rust-analyzer is reached through lspmux where that runs; LP-01 a warm-up starts what the project calls for", async () => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const program = (name: string, text: string): void =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program("rust-analyzer", "exit 9");
  program("lspmux", `[ "$1" = status ] && exit 0\n[ "$1 $2" = "client --server-path" ] && exec node ${SERVER} plain`);
  const rows = SERVER_ROWS.filter(({ name }) => name === "rust-analyzer");
  writeFileSync(join(folder, "Cargo.toml"), "");
  writeFileSync(join(folder, "a.rs"), "one\n");
  const open = (more: Record<string, string>): LocalEnvironment =>
    new LocalEnvironment({ cwd: folder, baseEnv: { PATH: `${bin}:${process.env["PATH"]}`, HOME: folder, ...more } });
  env = open({});
  servers = new LanguageServers({ rows, isTrusted: () => true, now: () => clock, warn: () => {} });
  const argvIn = async (place: LocalEnvironment) => (await servers.forFile(join(folder, "a.rs"), place))[0]?.argv;
  expect(await argvIn(env)).toEqual([join(bin, "lspmux"), "client", "--server-path", join(bin, "rust-analyzer")]);
  await servers.warmUp(env);
  expect(servers.running).toHaveLength(1);
  const direct = open({ PI_DISABLE_LSPMUX: "1" });
  await servers.restart(servers.running[0]!);
  expect(await argvIn(direct)).toEqual([join(bin, "rust-analyzer")]);
  await direct.cleanup();
});
