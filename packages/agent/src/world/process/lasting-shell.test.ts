import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocalEnvironment } from "../env/local.ts";
import { findMarked, ownerMark } from "./marks.ts";
import type { ShellState } from "./shell-state.ts";

const LONG = process.env["LATHE_LONG"] === "1";

let dir: string;
let env: LocalEnvironment;
const owner = `lasting-${process.pid}`;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-lasting-")));
  env = new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"], HOME: dir }, owner });
});
afterEach(async () => {
  await env.cleanup();
  rmSync(dir, { recursive: true, force: true });
});

const name = fc.constantFrom("a", "b", "LONG_name", "c");
const value = fc.oneof(
  fc.constantFrom("", "x y", "it's", 'a"b', "$HOME", "`id`", "line\nbreak", "\\", "é", "*", "!(x)", "\t"),
  fc.string({ maxLength: 8 }).map((text) => text.replaceAll("\0", "")),
);
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const change = fc.oneof(
  fc.tuple(name, value).map(([n, v]) => `${n}=${quote(v)}`),
  fc.tuple(name, value).map(([n, v]) => `export ${n}=${quote(v)}`),
  fc.tuple(name, value, value).map(([n, v, w]) => `unset ${n}; ${n}=(${quote(v)} ${quote(w)})`),
  fc.tuple(name, value).map(([n, v]) => `unset ${n}; declare -A ${n}=([${n}]=${quote(v)})`),
  // Separate names, because text that is not a number would end the command by itself.
  fc.tuple(name, fc.integer()).map(([n, v]) => `declare -i int_${n}=${v}`),
  name.map((n) => `int_${n}+=1`),
  name.map((n) => `unset ${n}`),
  fc.tuple(name, value).map(([n, v]) => `f_${n}() { printf %s ${quote(v)}; }`),
  name.map((n) => `f_${n}() { cat <<E\nhere $1\nE\n}; export -f f_${n}`),
  name.map((n) => `unset -f f_${n}`),
  fc.tuple(name, value).map(([n, v]) => `alias al_${n}=${quote(v)}`),
  fc.constantFrom(
    "mkdir -p one/two; cd one",
    "cd ..",
    "cd /",
    `cd "$HOME"`,
    "umask 027",
    "umask 022",
    "set -- p 'q r'",
    "set --",
  ),
  fc.constantFrom(
    "set -u",
    "set +u",
    "set -o pipefail",
    "shopt -s nullglob",
    "shopt -u nullglob",
    "set -f",
    "set +f",
    "shopt -s extglob",
    "set -o noclobber",
  ),
  fc.constantFrom("trap 'echo usr' USR1", "trap - USR1", "trap '' USR2", "trap 'echo err' ERR", "trap - ERR"),
);
/** Ways to end a command early. */
const death = fc.constantFrom("kill -9 $$", "kill -TERM $$", "sleep 60", "exec true");

/** Everything that should persist, in an order that does not depend on its history. */
const SHOW = `pwd; umask; for v in a b c LONG_name int_{a,b,c,LONG_name}; do declare -p $v 2>/dev/null; done; declare -f | cat; declare -F | grep f_; alias; set +o; shopt -p; trap -p; printf '<%s>' "$@"; bash -c 'declare -F'`;

describe("a lasting shell", () => {
  it("after random changes with time-outs and kills between them equals a plain bash that ran the survivors", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(change, fc.option(death, { freq: 4 })), {
          minLength: LONG ? 20 : 8,
          maxLength: LONG ? 40 : 14,
        }),
        async (steps) => {
          let state: ShellState | undefined;
          const survivors: string[] = [];
          for (const [text, end] of steps) {
            const command = end === null ? text : `${text}\n${end}`;
            const { shell } = await env.execCommand(command, end === "sleep 60" ? 150 : 20_000, {
              interleaved: true,
              shell: { state },
            });
            if (end === null) {
              expect(shell, command).toBeDefined();
              survivors.push(text);
            } else expect(shell, command).toBeUndefined();
            state = shell ?? state;
          }
          const shown = await env.execCommand(SHOW, 20_000, { interleaved: true, shell: { state } });
          const plain = execFileSync("/bin/bash", ["--norc", "--noprofile"], {
            input: [
              ...survivors.map((text) => `{\n${text}\n} >/dev/null 2>&1`.replace(/^\{\n(trap|alias|shopt)/, "{\n$1")),
              `{ ${SHOW}; } 2>&1`,
            ].join("\n"),
            cwd: dir,
            env: { PATH: process.env["PATH"], HOME: dir },
            encoding: "utf8",
          });
          expect(comparable(shown.output)).toEqual(comparable(plain));
        },
      ),
      { numRuns: LONG ? 10 : 2 },
    );
    await env.cleanup();
    expect(await findMarked(ownerMark(owner))).toEqual([]);
  });

  it("what a command leaves running does not hold up the call and goes with the environment", async () => {
    const first = await env.execCommand("(sleep 300; echo late) & echo started", 20_000, {
      interleaved: true,
      shell: {},
    });
    expect(first).toMatchObject({ output: "started\n", exitCode: 0 });
    expect(first.shell).toBeDefined();
    const second = await env.execCommand("echo next", 20_000, { interleaved: true, shell: { state: first.shell } });
    expect(second.output).toBe("next\n");
    expect((await findMarked(ownerMark(owner))).length).toBeGreaterThan(0);
    await env.cleanup();
    expect(await findMarked(ownerMark(owner))).toEqual([]);
  });

  it("a shell that waits for its command may be killed: the next command finds another", async () => {
    const first = await env.execCommand("A=1", 20_000, { interleaved: true, shell: {} });
    await env.execCommand("true", 20_000, { interleaved: true, shell: { state: first.shell } });
    for (const pid of await findMarked(ownerMark(owner))) process.kill(pid, "SIGKILL");
    const next = await env.execCommand("echo $A", 20_000, { interleaved: true, shell: { state: first.shell } });
    expect(next).toMatchObject({ output: "1\n", exitCode: 0 });
  });

  it("T-BASH-2 `$?` and what pushd has put aside are there in the next command", async () => {
    let state: ShellState | undefined;
    const run = async (command: string): Promise<string> => {
      const { output, shell } = await env.execCommand(command, 20_000, { interleaved: true, shell: { state } });
      state = shell;
      return output;
    };
    await run("mkdir 'a b' c; pushd 'a b'; pushd ../c; exit 7");
    expect(await run("echo $?; dirs -l -p; popd >/dev/null; pwd")).toBe(
      `7\n${dir}/c\n${dir}/a b\n${dir}\n${dir}/a b\n`,
    );
    expect(await run("popd >/dev/null; pwd; dirs -p | wc -l")).toBe(`${dir}\n1\n`);
    // If a code would end our own script, it is not kept.
    await run("set -e; false");
    expect(await run("echo $?; set +e; trap 'echo err' ERR; (exit 3)")).toBe("0\nerr\n");
    expect(await run("echo $?")).toBe("0\n");
  });

  it("T-BASH-2 a locale that is not there is complained about once", async () => {
    const first = await env.execCommand("export LC_ALL=nowhere", 20_000, { interleaved: true, shell: {} });
    expect(first.output).toContain("nowhere");
    const next = await env.execCommand("echo $LC_ALL", 20_000, { interleaved: true, shell: { state: first.shell } });
    expect(next.output).toBe("nowhere\n");
  });

  it("messages of the shell count lines as in the command, and show nothing of ours", async () => {
    const { output } = await env.execCommand("true\nnosuchprogram\nset -x\necho traced", 20_000, {
      interleaved: true,
      shell: {},
    });
    expect(output).toBe("bash: line 2: nosuchprogram: command not found\n++ echo traced\ntraced\n");
  });
});

/** Options that differ because one of the shells reads its script from its input. */
function comparable(output: string): string[] {
  return output
    .split("\n")
    .filter((line) => !/EXIT$|__lathe|histexpand|set [+-]o (?:history|monitor|emacs|vi|onecmd)/.test(line));
}
