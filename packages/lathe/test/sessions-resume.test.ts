import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { processStartTime } from "@lathe/agent/record";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI, type Sandbox, sandbox } from "./command.ts";
import { hasScript, Terminal } from "./terminal.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox({ sample: true });
});
afterEach(() => box.remove());

const PRACTICE = ["--model", "practice/basic", "--permission-mode", "full"];
const lathe = (...args: string[]): string => [process.execPath, CLI, ...PRACTICE, ...args].map(quote).join(" ");
const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Session files, newest first. */
function sessions(): string[] {
  const root = join(box.env["LATHE_HOME"] ?? "", "sessions");
  return readdirSync(root, { recursive: true })
    .map((name) => join(root, String(name)))
    .filter((path) => path.endsWith(".jsonl"))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
}
const holding = (text: string): string[] => sessions().filter((path) => readFileSync(path, "utf8").includes(text));
const idOf = (path: string): string => /_([^_]*)\.jsonl$/.exec(path)?.[1] ?? "";
const age = (path: string | undefined, seconds: number): void => utimesSync(path ?? "", seconds, seconds);

async function say(text: string, ...args: string[]): Promise<string> {
  const { code, stderr } = await box.run([...PRACTICE, ...args, "-p", text]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return holding(text)[0] ?? "";
}

describe("--resume", () => {
  it("G-38 takes a path or the beginning of an id", async () => {
    const first = await say("show package.json");
    await say("show README.md");
    expect(await say("find subtotal", "--resume", first)).toBe(first);
    expect(await say("find discount", "--resume", idOf(first).slice(0, 6))).toBe(first);
    expect(sessions()).toHaveLength(2);
  });

  it("G-38 locks that a killed process left for its agents are gone after a resume; those of a living one stay", async () => {
    const first = await say("show package.json");
    const folder = first.replace(/\.jsonl$/, "");
    const locks = join(box.env["LATHE_HOME"] ?? "", "locks");
    mkdirSync(join(folder, "Deep"), { recursive: true });
    const lock = (pid: number, startTime: string): string =>
      JSON.stringify({ pid, startTime, host: hostname(), token: "t" });
    const { pid } = spawnSync("true");
    const dead = [join(folder, "One.jsonl.lock"), join(folder, "Deep/Two.jsonl.lock"), join(locks, ".1-2.lock")];
    for (const path of dead) writeFileSync(path, lock(pid, "1"));
    // Its process was killed before it could write.
    const cut = join(locks, `.1-2.lock.${pid}.token`);
    writeFileSync(cut, "");
    const living = join(locks, ".1-3.lock");
    writeFileSync(living, lock(process.pid, processStartTime(process.pid)));
    await say("find subtotal", "--resume", first);
    expect([...dead, cut, living].filter((path) => existsSync(path))).toEqual([living]);
    expect(readdirSync(locks)).toEqual([".1-3.lock"]);
  });

  it("G-38 an unknown beginning, an empty project and nobody to choose end with 2 and say why", async () => {
    const run = (...args: string[]) => box.run([...PRACTICE, ...args, "-p", "hello"]);
    expect(await run("--resume")).toEqual({ code: 2, stdout: "", stderr: "lathe: No sessions found\n" });
    await say("show package.json");
    expect(await run("--resume")).toEqual({
      code: 2,
      stdout: "",
      stderr: "lathe: No session selected. Name one: lathe -r <id>, see lathe sessions list\n",
    });
    const unknown = await run("--resume", "zzz");
    expect(unknown).toEqual({
      code: 2,
      stdout: "",
      stderr: 'lathe: Session "zzz" not found. See: lathe sessions list\n',
    });
  });

  it("G-38 a session of another project is not resumed here unless it is forked", async () => {
    const first = await say("show package.json");
    const other = join(box.dir, "other");
    mkdirSync(other);
    const args = [...PRACTICE, "--cwd", other, "--resume", idOf(first)];
    const { code, stderr } = await box.run([...args, "-p", "hello"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Session "${idOf(first)}" is in another project (${box.dir}).`);
    expect((await box.run([...args, "--fork", "-p", "find forked"])).code).toBe(0);
    const [fork = ""] = holding("find forked");
    expect(fork).not.toBe(first);
    expect(readFileSync(fork, "utf8")).toContain("show package.json");
    const { stdout } = await box.run(["sessions", "list", "--all"]);
    expect(stdout).toContain("Copy of show package.json");
  });
});

describe.skipIf(!hasScript)("in a terminal made by script(1)", () => {
  const open: Terminal[] = [];
  const terminal = (env?: Record<string, string>): Terminal => {
    const made = new Terminal(box, env);
    open.push(made);
    return made;
  };
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  it("G-37 --continue goes on with this terminal's own session, though another one's is newer", async () => {
    const [a, b] = [terminal(), terminal()];
    expect((await a.run(lathe("-p", "show package.json"))).code).toBe(0);
    expect((await b.run(lathe("-p", "show README.md"))).code).toBe(0);
    expect((await a.run(lathe("--continue", "-p", "find subtotal"))).code).toBe(0);
    expect((await b.run(lathe("--continue", "-p", "find discount"))).code).toBe(0);
    const [own] = holding("show package.json");
    expect(holding("find subtotal")).toEqual([own]);
    expect(holding("find discount")).toEqual(holding("show README.md"));
    rmSync(own ?? "");
    expect((await a.run(lathe("--continue", "-p", "find total"))).code).toBe(0);
    expect(holding("find total")).toEqual(holding("show README.md"));
  });

  it("G-38 --resume without a value lets a person choose, or choose nothing", async () => {
    const older = await say("show package.json");
    await say("show README.md");
    age(older, 1000);
    const shell = terminal();
    const chosen = shell.type(lathe("--resume", "-p", "find subtotal"));
    const { output, code } = await shell.reply(chosen, /Session \[1-2, Enter for none\]: /, "2\n");
    expect(output).toMatch(/ 1 {2}show README\.md {2}\(just now\)\r\n 2 {2}show package\.json {2}\(1970-01-01\)\r\n/);
    expect(code).toBe(0);
    expect(holding("find subtotal")).toEqual([older]);
    const none = shell.type(lathe("--resume", "-p", "never said"));
    const cancelled = await shell.reply(none, /Session \[1-2/, "\n");
    expect(cancelled.output).toContain("lathe: No session selected");
    expect(cancelled.code).toBe(2);
  });

  it("G-38 asks whether a session of another project should be copied here", async () => {
    const first = await say("show package.json");
    const other = join(box.dir, "other");
    mkdirSync(other);
    const shell = terminal();
    const command = (prompt: string): string =>
      lathe("--cwd", other, "--resume", idOf(first).slice(0, 8), "-p", prompt);
    const no = await shell.reply(shell.type(command("not here")), /Copy it here\? \[y\/N\] /, "n\n");
    expect(no.code).toBe(2);
    expect(no.output).toContain(`is in another project (${box.dir}).`);
    const yes = await shell.reply(shell.type(command("find forked")), /Copy it here\? \[y\/N\] /, "y\n");
    expect(yes.code).toBe(0);
    const [fork = ""] = holding("find forked");
    expect(readFileSync(fork, "utf8").split("\n")[0]).toContain(`"cwd":"${other}"`);
    expect(holding("not here")).toEqual([]);
  });
});

describe("without a terminal's device", () => {
  it("SP-04 --continue tells terminals apart by what the terminal program says", async () => {
    const run = async (pane: string, ...args: string[]) => {
      const { code } = await box.run([...PRACTICE, ...args], { env: { TMUX_PANE: pane } });
      expect(code).toBe(0);
    };
    await run("%1", "-p", "show package.json");
    await run("%2", "-p", "show README.md");
    await run("%1", "--continue", "-p", "find subtotal");
    await run("%2", "--continue", "-p", "find discount");
    expect(holding("find subtotal")).toEqual(holding("show package.json"));
    expect(holding("find discount")).toEqual(holding("show README.md"));
  });

  it("G-37 a terminal's own session is kept with its directory, and does not follow the terminal into another one", async () => {
    const pane = { env: { TMUX_PANE: "%1" } };
    const run = async (cwd: string, ...args: string[]) => {
      expect((await box.run([...PRACTICE, "--cwd", cwd, ...args], pane)).code).toBe(0);
    };
    const other = join(box.dir, "other");
    mkdirSync(other);
    await run(box.dir, "-p", "show package.json");
    const [first = ""] = holding("show package.json");
    const crumb = join(box.env["LATHE_HOME"] ?? "", "terminal-sessions", "1");
    expect(readFileSync(crumb, "utf8")).toBe(`${box.dir}\n${first}\n`);
    await run(other, "--continue", "-p", "find elsewhere");
    const [elsewhere = ""] = holding("find elsewhere");
    expect(elsewhere).not.toBe(first);
    expect(readFileSync(crumb, "utf8")).toBe(`${other}\n${elsewhere}\n`);
    // The note is about the other directory now: here the newest one counts again.
    await run(box.dir, "--continue", "-p", "find subtotal");
    expect(holding("find subtotal")).toEqual([first]);
  });

  it("G-37 a note that cannot be written costs nothing but the note", async () => {
    mkdirSync(box.env["LATHE_HOME"] ?? "", { recursive: true });
    writeFileSync(join(box.env["LATHE_HOME"] ?? "", "terminal-sessions"), "in the way");
    const { code } = await box.run([...PRACTICE, "-p", "show package.json"], { env: { TMUX_PANE: "%1" } });
    expect(code).toBe(0);
    const [first] = holding("show package.json");
    expect(await say("find subtotal", "--continue")).toBe(first);
  });

  it("G-37 falls back to the newest of the directory, else starts anew", async () => {
    const begun = await box.run([...PRACTICE, "--continue", "-p", "show package.json"]);
    expect(begun).toMatchObject({ code: 0, stderr: expect.stringMatching(/new (one|session)/i) });
    const first = holding("show package.json")[0] ?? "";
    const second = await say("show README.md");
    age(second, 1000);
    expect(await say("find subtotal", "--continue")).toBe(first);
  });

  it("--export writes the page and ends", async () => {
    const first = await say("show package.json");
    const { code, stdout } = await box.runBuilt(["--export", idOf(first).slice(0, 8)]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${join(box.dir, `lathe-${idOf(first).slice(0, 8)}.html`)}\n`,
    });
    const page = readFileSync(stdout.trim(), "utf8");
    expect(page).toContain("show package.json");
    // What the built command writes must be the letters of the source: its packs are read as ASCII.
    expect(page.match(/[\u0080-\u009f\u00c2\u00e2]/g)).toBeNull();
  });
});
