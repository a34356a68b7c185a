import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { CallPaths } from "../../../contract/paths/call-paths.ts";
import type { Access } from "../../../contract/tool.ts";
import { artifactNotice } from "../../../record/artifacts/notice.ts";
import { Jobs } from "../../run/jobs.ts";
import { LastingShell, PLAIN_BASH } from "../../run/lasting-shell.ts";
import { shellTool } from "../shell/index.ts";
import { bashTool } from "./index.ts";
import type { BashArgs } from "./plan.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
  bench.services.lastingShell = new LastingShell();
  bench.services.jobs = new Jobs();
});
afterEach(() => bench.close());

const bash = (command: string, more: Partial<BashArgs> = {}) => bench.text(bashTool, { command, ...more });
const settings = (changes: Partial<typeof PLAIN_BASH>) => {
  bench.services.bashSettings = { ...PLAIN_BASH, ...changes };
};

async function access(command: string): Promise<readonly Access[]> {
  const signal = new AbortController().signal;
  const paths = new CallPaths(bench.env, signal);
  return (await bashTool.access?.({ command }, { env: bench.env, signal, paths, services: bench.services })) ?? [];
}

/** Whether the permissions would ask about it, whatever the rules say. */
const doubts = async (command: string) =>
  (await access(command)).flatMap((item) => (item.kind === "exec" ? [item.part?.doubt ?? item.doubt] : []));

describe("bash", () => {
  it("T-BASH-2 variables, functions, aliases, options and the directory of one call are there in the next", async () => {
    await mkdir(join(bench.dir, "sub"));
    expect(await bash("export A=1; f() { echo hi; }; cd sub; set -o pipefail; alias ll='echo aliased'")).toBe(
      "(no output)",
    );
    expect(await bash("echo $A; f; ll; pwd; false | true || echo piped")).toBe(
      `1\nhi\naliased\n${bench.dir}/sub\npiped`,
    );
    expect(await bench.text(shellTool, { command: "echo [$A]; pwd" })).toContain(`[]\n${bench.dir}\n`);
  });

  it("T-BASH-2 aliases and functions of ~/.bashrc count, also behind its check for an interactive shell and in a terminal", async () => {
    const home = join(bench.dir, "home");
    await mkdir(home);
    await writeFile(
      join(home, ".bashrc"),
      `case $- in *i*) ;; *) return ;; esac\nalias ll='echo from-rc'\ngreet() { echo "hello $1"; }\n`,
    );
    settings({ login: true, variables: { HOME: home } });
    expect(await bash("ll; greet you; [[ $- == *i* ]] || echo plain; echo 'wow!!'")).toBe(
      "from-rc\nhello you\nplain\nwow!!",
    );
    expect(await bash("ll -a", { pty: true })).toContain("from-rc -a");
    expect(await doubts("ll")).toEqual([undefined]);
    await bash("alias ll='rm -rf'");
    expect(await doubts("ll")).toEqual(["ll is an alias that an earlier command defined"]);
  });

  it("T-BASH-2 T-SUB-2 after a time-out the shell is as before the call, and nothing of the command is left", async () => {
    await bash("A=before");
    const late = await bench.call(bashTool, { command: "A=after; cd /; sleep 98 & sleep 97", timeout: 1 });
    expect(late.isError).toBe(true);
    expect(late.content[0]).toMatchObject({ text: expect.stringContaining("Command timed out after 1 seconds") });
    expect(await bash("echo $A; pwd")).toBe(`before\n${bench.dir}`);
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toMatch(/^sleep 9[78]$/m);
  });

  it("T-BASH-2 a shell that kills itself, is replaced by exec or exits in a function loses no earlier state", async () => {
    await bash("A=1");
    expect(await bash("A=2; kill -9 $$")).toContain("[ended by SIGKILL");
    expect(await bash("A=3; exec true")).toBe("[the shell is as it was before this call]");
    expect(await bash("A=3; trap 'echo bye' EXIT; exit 3")).toBe(
      "bye\n[the shell is as it was before this call]\nCommand exited with code 3",
    );
    expect(await bash("echo $A; f() { B=4; exit 5; }; f")).toBe("1\nCommand exited with code 5");
    expect(await bash("echo $B")).toBe("4");
  });

  it("T-BASH-1 a leading cd names the directory; one that is missing or a file is one clear line", async () => {
    await mkdir(join(bench.dir, "sub"));
    await writeFile(join(bench.dir, "file"), "");
    expect(await bash("cd sub && pwd")).toBe(`${bench.dir}/sub`);
    expect(await bash("pwd")).toBe(`${bench.dir}/sub`);
    await expect(bash("cd nowhere && pwd")).rejects.toThrow(
      `Working directory does not exist: ${bench.dir}/sub/nowhere`,
    );
    await expect(bash("pwd", { cwd: "../file" })).rejects.toThrow(
      `Working directory is not a directory: ${bench.dir}/file`,
    );
    expect(await bash("pwd", { cwd: ".." })).toBe(bench.dir);
    await rm(join(bench.dir, "sub"), { recursive: true });
    await expect(bash("pwd")).rejects.toThrow(`The shell is back in ${bench.dir}.`);
    expect(await bash("pwd")).toBe(bench.dir);
  });

  it("T-BASH-1 an exit code is an error with its number, silence says so, variables of a call do not stay", async () => {
    const failed = await bench.call(bashTool, { command: "echo no; exit 3" });
    expect(failed).toMatchObject({ isError: true, details: { exitCode: 3 } });
    expect(failed.content[0]).toMatchObject({ text: "no\nCommand exited with code 3" });
    expect(await bash("true")).toBe("(no output)");
    expect(await bash('echo "$X"', { env: { X: "a 'b' $c" } })).toBe("a 'b' $c");
    expect(await bash("echo [$X]")).toBe("[]");
    await expect(bash("true", { env: { "A B": "1" } })).rejects.toThrow('Invalid name of a variable in env: "A B"');
  });

  it("T-BASH-1 `| head` shows what it would have shown, and the rest is in an artifact", async () => {
    expect(await bash("seq 1 99999 | head -5")).toBe(`1\n2\n3\n4\n5\n${artifactNotice(0, "99999 lines")}`);
    expect(
      Buffer.concat(bench.artifacts[0] ?? [])
        .toString()
        .split("\n").length,
    ).toBe(100_000);
    expect(await bash("seq 1 20 2>&1 | tail -n 2")).toBe(`19\n20\n${artifactNotice(1, "20 lines")}`);
    expect(await bash("seq 1 3 | head")).toBe("1\n2\n3");
    // These would never end, or do more than shorten the output.
    expect(await bash("yes | head -2")).toBe("y\ny");
    expect(await bash("seq 1 9 | head -3 && echo more")).toBe("1\n2\n3\nmore");
    settings({ stripsHeadTail: false });
    expect(await bash("seq 1 99999 | head -2")).toBe("1\n2");
  });

  it("T-BASH-3 what another tool does better is refused where that tool is offered, and runs where it is not", async () => {
    await writeFile(join(bench.dir, "a.txt"), "text\n");
    settings({ intercepts: true });
    bench.services.offersTool = (name) => ["read", "search", "find", "edit", "write"].includes(name);
    for (const command of [
      "cat a.txt",
      "head -3 a.txt",
      "grep -rn x .",
      "rg x",
      "find . -name x",
      "sed -i s/a/b/ a.txt",
      "perl -pi -e s/a/b/ a.txt",
      "echo x > a.txt",
      "cat > a.txt <<E\nx\nE",
    ])
      await expect(bash(command), command).rejects.toThrow(`Blocked: `);
    await expect(bash("cat a.txt")).rejects.toThrow("Original command: cat a.txt");
    for (const command of [
      "cat a.txt | wc -l",
      "echo hi",
      "git grep x || true",
      "find . -name x -delete",
      "ls > /dev/null",
    ])
      expect(await bash(command), command).not.toContain("Blocked");
    bench.services.offersTool = (name) => name !== "read";
    expect(await bash("cat a.txt")).toBe("text");
  });

  it("G-116 CI, a prefix and the person's profile reach commands; the profile takes nothing off PATH", async () => {
    await writeFile(
      join(bench.dir, ".bash_profile"),
      "export FROM_PROFILE=yes; pf() { echo profile; }; PATH=/from/profile:/usr/bin:/bin\n",
    );
    settings({ login: true, variables: { CI: "true" }, prefix: "env PREFIXED=1" });
    expect(await bash("bash -c 'echo $CI $PREFIXED $FROM_PROFILE'")).toBe("true 1 yes");
    settings({ login: true });
    expect(await bash("pf")).toBe("profile");
    const path = (await bash("echo $PATH")).split(":");
    expect(path).toEqual(expect.arrayContaining([...new Set((process.env["PATH"] ?? "").split(":"))]));
    expect(path).toContain("/from/profile");
  });

  it("a job begins with the state of the shell and changes nothing of it", async () => {
    await bash("A=1; cd /");
    const started = await bench.call(bashTool, { command: "echo job $A; pwd; A=2", async: true });
    expect(started.details).toMatchObject({ jobId: 1 });
    const job = bench.services.jobs!.get(1);
    await job.handle.done;
    expect(job.handle.read().text).toBe("job 1\n/\n");
    expect(await bash("echo $A")).toBe("1");
  });

  it("two shells of one environment know nothing of each other", async () => {
    await bash("A=1; cd /");
    bench.services.lastingShell = new LastingShell();
    expect(await bash("echo [$A]; pwd")).toBe(`[]\n${bench.dir}`);
  });
});

describe("what the permissions know of the lasting shell", () => {
  it("a program that an earlier call made a function or an alias is not harmless any more", async () => {
    expect(await doubts("ls; cat a")).toEqual([undefined, undefined]);
    await bash("ls() { rm -rf ..; }; shopt -s expand_aliases; alias cat='rm -rf'");
    expect(await doubts("ls -l")).toEqual(["ls is a function that an earlier command defined"]);
    expect(await doubts("time ls")).toEqual(["ls is a function that an earlier command defined"]);
    expect(await doubts("cat a")).toEqual(["cat is an alias that an earlier command defined"]);
    expect(await doubts("pwd")).toEqual([undefined]);
    await bash("unset -f ls; unalias cat");
    expect(await doubts("ls; cat a")).toEqual([undefined, undefined]);
  });

  it.each([
    ["PATH=/tmp/evil:$PATH", "an earlier command changed PATH"],
    ["export LD_PRELOAD=x", "an earlier command changed LD_PRELOAD"],
    ["unset HOME", "an earlier command removed HOME"],
    ["declare -n ref=PATH", "an earlier command gave ref a special type"],
    ["trap 'rm x' ERR", "an earlier command set a trap for ERR"],
    ["shopt -s extglob", "an earlier command switched the option extglob"],
  ])("%s gives every later command another meaning", async (change, why) => {
    await bash(change);
    expect(await doubts("ls")).toEqual([why]);
  });

  it("the directory of the shell is the one in which a command is judged", async () => {
    await mkdir(join(bench.dir, "sub"));
    await bash("cd sub");
    expect(await access("touch x")).toContainEqual({ kind: "write", path: join(bench.dir, "sub/x") });
    expect(await access("cd .. && touch x")).toContainEqual({ kind: "write", path: join(bench.dir, "x") });
  });

  it("T-BASH-1 the question names the folder that the shell is in, and nested repositories are looked for there", async () => {
    await bash("mkdir -p sub/inner; git init -q sub/inner; cd sub");
    const signal = new AbortController().signal;
    const scope = { env: bench.env, signal, paths: new CallPaths(bench.env, signal), services: bench.services };
    const linesOf = async (args: BashArgs) => (await bashTool.preview!(args, scope))!.lines.map(({ text }) => text);
    const [where, command, ...notes] = await linesOf({ command: "rm -rf inner" });
    expect([where, command]).toEqual([`in ${bench.dir}/sub`, "│ rm -rf inner"]);
    expect(notes.join()).toContain("inner");
    expect(await linesOf({ command: "ls", cwd: ".." })).toEqual([`in ${bench.dir}`, "│ ls"]);
  });

  it("T-BASH-1 the card names the directory of the call, where one was given", () => {
    const subject = (args: BashArgs) => bashTool.card!(args).subject;
    expect([subject({ command: "ls" }), subject({ command: "ls", cwd: "." })]).toEqual(["ls", "ls"]);
    expect(subject({ command: "npm test", cwd: "packages/llm" })).toBe("in packages/llm: npm test");
  });

  it("a command cannot write into the shell's own descriptors unasked", async () => {
    expect(await doubts("echo forged >&10")).toEqual(["it uses a descriptor that may be the shell's own"]);
    expect(await doubts("echo plain >&2")).toEqual([undefined]);
  });
});
