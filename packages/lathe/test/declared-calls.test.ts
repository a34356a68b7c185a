// A call opens exactly what it declares: every edit dialect, every profile, host tools and host addresses, in every
// permission mode, with an environment that records what is really opened.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ExecutionEnvironment, LocalEnvironment, type ToolDef } from "@lathe/agent";
import { PERMISSION_MODES, type PermissionMode } from "@lathe/agent/policy";
import { defaultDeps, type JsonObject } from "@lathe/llm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../src/conversation/approvals.ts";
import { openSession } from "../src/conversation/open-session.ts";
import { Run } from "../src/hosts/run.ts";
import { fixedAnswers } from "../src/models/practice/fixed-answers.ts";
import type { Machine } from "../src/platform/machine/machine.ts";
import { memoryJournal } from "../src/sessions/journals/journal-files.ts";
import { type Case, WRITES } from "./declared-writes.ts";
import { Witness } from "./witness.ts";

let root: string;
let project: string;
let outside: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-declared-")));
  project = join(root, "project");
  outside = join(root, "outside");
  for (const folder of [project, outside, join(root, "home"), join(project, "sub")]) mkdirSync(folder);
  writeFileSync(join(project, "f.txt"), "one\ntwo\nthree\n");
  writeFileSync(join(project, "crlf.txt"), "one\r\ntwo\r\n");
  writeFileSync(join(outside, "f.txt"), "one\ntwo\nthree\n");
  symlinkSync(outside, join(project, "it's"));
  symlinkSync(join(outside, "f.txt"), join(project, "link.txt"));
  symlinkSync(join(outside, "new.txt"), join(project, "dangling.txt"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Seen {
  readonly asked: readonly ApprovalQuestion[];
  readonly written: readonly string[];
  readonly ran: readonly { command: string; cwd: string }[];
  readonly output: string;
  readonly isError: boolean;
}

async function call(one: Case, at: string, mode: PermissionMode, answer: "allow" | "deny"): Promise<Seen> {
  const home = join(root, "home");
  const settings = Object.entries(one.settings ?? {}).map(([key, value]) => `${key}: ${value}\n`);
  writeFileSync(join(home, "config.yml"), settings.join(""));
  const machine: Machine = {
    env: { PATH: process.env["PATH"], LATHE_HOME: home, HOME: root },
    cwd: project,
    userHome: root,
    pid: process.pid,
    host: hostname(),
    deps: defaultDeps(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    terminal: process.stdout,
  };
  const workspace = await new Run(machine).open({ "permission-mode": mode });
  const witness = new Witness(new LocalEnvironment({ cwd: project, baseEnv: machine.env }));
  const asked: ApprovalQuestion[] = [];
  const host: ToolDef[] = (["read", "write", "exec", "network"] as const).map((tier) => ({
    name: `host-${tier}`,
    label: "Host",
    description: "of the host",
    schema: { type: "object", properties: { path: { type: "string" } } },
    tier,
    replay: "never",
    execute: ({ path }, { env }) => env.writeFile(String(path), "by the host").then(() => "written"),
  }));
  host.push({
    name: "host-call",
    label: "Host",
    description: "calls another tool",
    schema: { type: "object", properties: { name: { type: "string" }, args: { type: "object" } } },
    tier: "read",
    replay: "never",
    execute: ({ name, args }, context) => context.call(String(name), args as JsonObject),
  });
  const answers = [{ call: { name: one.tool, args: one.args(at) } }, { text: "done" }];
  const open = await openSession(workspace, {
    model: { provider: "scripted", id: "none" },
    adapter: fixedAnswers("scripted", answers),
    opened: memoryJournal(workspace),
    ...(one.profile ? { profile: one.profile } : {}),
    limits: {},
    environment: (): ExecutionEnvironment => witness,
    toolProviders: [{ tools: () => host }],
    person: { approve: async () => undefined },
    onEvent: (event) => {
      if (event.kind === "approval_request") {
        asked.push({ ...event.data, offers: { tool: true } });
        queueMicrotask(() => open.session.answerApproval(event.data.call_id, { decision: answer, by: "test" }));
      }
      if (event.kind === "tool_call_end") {
        ended = { output: event.data.error ?? event.data.output ?? "", isError: event.data.is_error };
      }
    },
  });
  let ended = { output: "", isError: true };
  open.session.schemes.add("db", { read: async () => "row", write: async () => {} });
  await open.session.submit("go");
  await open.close();
  return { asked, written: witness.written, ran: witness.ran, ...ended };
}

/** Paths that look harmless and are not, and some that are. */
const PLACES: readonly { readonly name: string; readonly path: () => string; readonly inside: boolean }[] = [
  { name: "a file of the project", path: () => "f.txt", inside: true },
  { name: "an absolute path outside", path: () => join(outside, "f.txt"), inside: false },
  { name: "a way up and out", path: () => "../outside/f.txt", inside: false },
  { name: "a link out", path: () => "link.txt", inside: false },
  { name: "a look-alike of a link out", path: () => "it’s/f.txt", inside: false },
];

const isLong = process.env["LATHE_LONG"] !== undefined;
/** All modes for each in a long run; else each write meets each place in a third of the modes, and each place every mode. */
const modesOf = (write: number, place: number): readonly PermissionMode[] =>
  PERMISSION_MODES.filter((_, at) => isLong || (write + place + at) % 3 === 0);

const isInside = (path: string): boolean => path.startsWith(`${project}/`);

describe.each(WRITES)("$name", (one) => {
  it.each(PLACES)("writes only what was judged and, outside the project, asked about: $name", async (place) => {
    const { path, inside } = place;
    for (const mode of modesOf(WRITES.indexOf(one), PLACES.indexOf(place))) {
      const seen = await call(one, path(), mode, "deny");
      const wroteOutside = seen.written.filter((file) => !isInside(file));
      if (mode !== "full")
        expect([mode, wroteOutside, readFileSync(join(outside, "f.txt"), "utf8")]).toEqual([
          mode,
          [],
          "one\ntwo\nthree\n",
        ]);
      if (mode === "read-only" || mode === "plan") expect([mode, seen.written, seen.asked]).toEqual([mode, [], []]);
      if (mode === "ask") expect([mode, seen.written]).toEqual([mode, []]);
      if (mode === "auto-edit" && inside && !one.name.includes("stale")) expect(seen.asked).toEqual([]);
      for (const folder of [project, outside]) writeFileSync(join(folder, "f.txt"), "one\ntwo\nthree\n");
    }
  });

  it("when it is asked about, the question names each file that is then written and shows each line that changes", async () => {
    const before = readFileSync(join(project, "f.txt"), "utf8");
    const seen = await call(one, "f.txt", "ask", "allow");
    if (one.name.includes("stale")) return expect(seen).toMatchObject({ asked: [], written: [], isError: true });
    expect(seen.asked).toHaveLength(1);
    const [question] = seen.asked;
    const declared = (question?.access ?? []).flatMap((item) => (item.kind === "write" ? [item.path] : []));
    expect([...new Set(seen.written)].every((file) => declared.includes(file))).toBe(true);
    expect(seen.written.length).toBeGreaterThan(0);
    const shown = (question?.preview ?? []).map(({ text }) => text);
    const after = seen.written.filter((file) => existsSync(file)).map((file) => readFileSync(file, "utf8"));
    const [old, next] = [before.split("\n"), after.join("\n").split("\n")];
    for (const line of next) if (!old.includes(line)) expect(shown).toContain(`+${line}`);
    for (const line of old) if (!next.includes(line)) expect(shown).toContain(`-${line}`);
    return undefined;
  });
});

describe("what does not say what it touches", () => {
  it.each(["write", "exec", "network"] as const)(
    "a host tool of tier %s is asked about in every mode but full",
    async (tier) => {
      const one: Case = { tool: `host-${tier}`, args: (at) => ({ path: at }) };
      for (const mode of ["ask", "auto-edit"] as const) {
        const seen = await call(one, "by-host.txt", mode, "deny");
        expect([mode, seen.asked.length, seen.written]).toEqual([mode, 1, []]);
      }
      for (const mode of ["read-only", "plan"] as const)
        expect(await call(one, "by-host.txt", mode, "allow")).toMatchObject({ asked: [], written: [] });
      expect(await call(one, "by-host.txt", "full", "deny")).toMatchObject({ asked: [], isError: false });
    },
  );

  it("an address of the host is written only after a question, and read without one", async () => {
    const write: Case = {
      profile: "anthropic",
      tool: "write_file",
      args: () => ({ file_path: "db://users/1", content: "x" }),
    };
    expect((await call(write, "", "auto-edit", "deny")).asked).toMatchObject([
      { access: [{ kind: "address", url: "db://users/1", write: true }] },
    ]);
    const read: Case = { profile: "anthropic", tool: "read_file", args: () => ({ file_path: "db://users/1" }) };
    expect(await call(read, "", "auto-edit", "deny")).toMatchObject({ asked: [], isError: false });
  });
});

describe("commands", () => {
  const COMMANDS: readonly (Case & { readonly name: string })[] = [
    { name: "shell", profile: "anthropic", tool: "shell", args: () => ({ command: "X=1 node -e 0" }) },
    { name: "bash", profile: "minimal", tool: "bash", args: () => ({ command: "X=1 node -e 0" }) },
  ];
  it.each(COMMANDS)("$name runs where the question said", async (one) => {
    const seen = await call(one, "", "auto-edit", "allow");
    expect(seen.asked).toHaveLength(1);
    expect(seen.asked[0]?.access).toMatchObject(seen.ran.map((run) => ({ kind: "exec", ...run })));
    expect(seen.ran).toHaveLength(1);
  });
});

it("arguments that hide behind a prototype are gone before anybody judges them", async () => {
  const hidden: Case = {
    profile: "anthropic",
    tool: "write_file",
    args: () =>
      JSON.parse(`{"__proto__":{"file_path":"${join(outside, "f.txt")}","content":"x"}}`) as Record<string, unknown>,
  };
  const seen = await call(hidden, "", "auto-edit", "deny");
  expect(seen).toMatchObject({ written: [], isError: true });
  const both: Case = {
    ...hidden,
    args: () =>
      JSON.parse(`{"file_path":"a.txt","content":"x","__proto__":{"file_path":"/etc/x"}}`) as Record<string, unknown>,
  };
  expect((await call(both, "", "auto-edit", "deny")).written.every(isInside)).toBe(true);
});

it("a question about a write that changes nothing still names the file", async () => {
  const content = readFileSync(join(project, "f.txt"), "utf8");
  const one: Case = { profile: "anthropic", tool: "write_file", args: (at) => ({ file_path: at, content }) };
  const seen = await call(one, "f.txt", "ask", "deny");
  expect(seen.asked[0]?.preview.map(({ text }) => text)).toContain("file_path: f.txt");
});

it.each([
  ["openai", "shell", { command: "ls\ndescription: harmless" }, "project"],
  ["gemini", "shell", { command: "ls\ndescription: harmless" }, "project"],
  ["anthropic", "shell", { command: "ls\ndescription: harmless" }, "project"],
] as const)(
  "a question of %s's %s names the directory once and marks the lines of the command",
  async (profile, tool, args, at) => {
    const seen = await call({ profile, tool, args: () => args }, "", "ask", "deny");
    expect(seen.asked[0]?.preview.map(({ text }) => text)).toEqual([
      `in ${join(root, at)}`,
      "│ ls",
      "│ description: harmless",
    ]);
  },
);

it("a question about a write says what will happen, not what has happened", async () => {
  writeFileSync(join(project, "bytes.bin"), Buffer.from([0, 1, 2, 255]));
  const asked = async (path: string, content: string): Promise<string> => {
    const one: Case = { profile: "anthropic", tool: "write_file", args: () => ({ file_path: path, content }) };
    const [question] = (await call(one, "", "ask", "deny")).asked;
    return question?.preview.map(({ text }) => text).join("\n") ?? "";
  };
  expect(await asked("crlf.txt", "one\nthree\n")).toContain("the file keeps its line endings.");
  expect(await asked("f.txt", "one\ntwo\nthree\n")).toContain(
    "nothing changes: the file already has exactly this content.",
  );
  expect(await asked("bytes.bin", "text\n")).toContain("replaces content that is not text.");
  expect(await asked("a\nfile_path: b.txt", "x\n")).toContain("create a\\nfile_path: b.txt");
});

it("half a character in a path: the file that was asked about is the one that is written", async () => {
  const one: Case = { profile: "anthropic", tool: "write_file", args: (at) => ({ file_path: at, content: "x\n" }) };
  const seen = await call(one, "half\ud800.txt", "ask", "allow");
  const declared = (seen.asked[0]?.access ?? []).flatMap((item) => (item.kind === "write" ? [item.path] : []));
  expect(declared).toEqual([join(project, "half\ufffd.txt")]);
  expect(readFileSync(declared[0]!, "utf8")).toBe("x\n");
});

it.each([
  ".git/hooks/pre-commit",
  ".git/config",
  ".lathe/config.yml",
  ".bashrc",
  ".ssh/config",
  ".envrc",
  ".GIT/hooks/x",
])("%s makes programs run later: it is asked about", async (path) => {
  const one: Case = { profile: "anthropic", tool: "write_file", args: (at) => ({ file_path: at, content: "x\n" }) };
  const seen = await call(one, path, "auto-edit", "deny");
  expect([seen.asked.length, seen.written]).toEqual([1, []]);
});

it.each([".env", ".env.local", "keys/server.pem", ".ssh/id_ed25519"])(
  "%s may hold keys: reading it is asked about",
  async (path) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), "secret\n");
    const one: Case = { profile: "anthropic", tool: "read_file", args: (at) => ({ file_path: at }) };
    expect(await call(one, path, "auto-edit", "deny")).toMatchObject({ asked: [{}], isError: true });
    expect(await call(one, path, "full", "deny")).toMatchObject({ asked: [], isError: false });
    expect(await call(one, "f.txt", "read-only", "deny")).toMatchObject({ asked: [], isError: false });
  },
);

describe("searches and credential files", () => {
  const GREPS: readonly (Case & { readonly name: string })[] = [
    { name: "grep", profile: "anthropic", tool: "grep", args: (at) => ({ pattern: "secret", path: at }) },
    { name: "grep of Gemini", profile: "gemini", tool: "grep", args: (at) => ({ pattern: "secret", path: at }) },
  ];
  const put = (path: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "a secret\n");
  };
  beforeEach(() => {
    for (const path of [".ssh/work", ".gnupg/private.key", ".docker/config.json", ".config/gh/hosts.yml", "home/.env"])
      put(path);
    put(".netrc");
    put("project/keys/server.pem");
    put("project/notes.txt");
    symlinkSync(join(root, ".ssh"), join(project, "docs"));
  });

  it.each(GREPS)("$name in a place made for keys is asked about, also through a link", async (one) => {
    const places = [".ssh", ".gnupg", ".docker", ".config", ".config/gh", "home", ".ssh/work"].map((name) =>
      join(root, name),
    );
    for (const [place, at] of [...places, "docs"].entries()) {
      for (const [column, mode] of (["ask", "auto-edit", "read-only", "plan"] as const).entries()) {
        // Each place in each mode with one of the two; with both only in a long run.
        if (!isLong && (place + column + GREPS.indexOf(one)) % 2 !== 0) continue;
        const seen = await call(one, at, mode, "deny");
        expect([at, mode, seen.asked.length, seen.output.includes("a secret")]).toEqual([at, mode, 1, false]);
      }
    }
    expect((await call(one, "docs", "ask", "allow")).output).toContain("a secret");
    expect((await call(one, "docs", "full", "deny")).output).toContain("a secret");
  });

  it.each(GREPS)("$name of a directory that happens to hold such files does not look into them", async (one) => {
    const seen = await call(one, ".", "read-only", "deny");
    expect(seen.asked).toEqual([]);
    expect(seen.output).toContain("notes.txt");
    expect(seen.output).not.toContain("server.pem");
    expect((await call(one, root, "auto-edit", "deny")).output).not.toMatch(/pem|netrc|hosts/);
    expect((await call(one, ".", "full", "deny")).output).toContain("server.pem");
  });

  it("a filter that names them is asked about; one that only matches them does not reach them", async () => {
    const filtered = (filter: string): Case => ({
      profile: "anthropic",
      tool: "grep",
      args: (at) => ({ pattern: "secret", path: at, glob_filter: filter }),
    });
    for (const filter of [".netrc", "**/.netrc", "*.pem"])
      expect((await call(filtered(filter), root, "auto-edit", "deny")).asked).toHaveLength(1);
    for (const filter of [".n*", "**/*", "{.netrc,x}", "*.p[e]m"])
      expect([filter, (await call(filtered(filter), root, "auto-edit", "deny")).output]).not.toEqual([
        filter,
        expect.stringMatching(/netrc:|pem:/),
      ]);
  });
});
