// The scripts in the shells they are written for.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completionScript } from "./completions-script.ts";

const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "lathe-complete-"));
  mkdirSync(join(dir, "src"));
  writeFileSync(join(dir, "src", "my notes.md"), "");
  for (const shell of ["bash", "zsh", "fish"]) writeFileSync(join(dir, `script.${shell}`), completionScript(shell));
});
afterAll(() => rmSync(dir, { recursive: true }));

const CASES: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ["lathe --permission-m", ["--permission-mode"]],
  ["lathe --mode ", ["acp", "bridge", "json", "rpc", "text"]],
  ["lathe sess", ["sessions"]],
  ["lathe auth ", ["status"]],
  ["lathe completions ", ["bash", "fish", "zsh"]],
  ["lathe -p hi @sr", ["@src/"]],
];

const sorted = (lines: string): string[] => lines.trim().split("\n").sort();

describe("bash", () => {
  it("completes options, their values, commands and files", () => {
    const scripts = CASES.map(([typed]) => {
      const words = typed.split(" ");
      const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
      return `${line}; _lathe; printf '%s\\n' "\${COMPREPLY[@]}"; echo ==`;
    });
    const script = `source script.bash; ${scripts.join("; ")}`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: dir, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout.split("==\n").slice(0, -1).map(sorted)).toEqual(CASES.map(([, offered]) => offered));
  });

  it("writes a file name with a space so that it stays one word", () => {
    const script = `source script.bash; COMP_WORDS=(lathe @src/my); COMP_CWORD=1; _lathe; echo "\${COMPREPLY[0]}"`;
    expect(spawnSync("bash", ["-c", script], { cwd: dir, encoding: "utf8" }).stdout).toBe("@src/my\\ notes.md\n");
  });
});

describe.skipIf(!has("fish"))("fish (needs fish)", () => {
  it("completes options, their values, commands and files", () => {
    const script = `source script.fish; ${CASES.map(([typed]) => `complete -C '${typed}'; echo ==`).join("; ")}`;
    const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script], { cwd: dir, encoding: "utf8" });
    expect(stderr).toBe("");
    const offered = stdout.split("==\n").slice(0, -1);
    expect(offered.map((lines) => sorted(lines.replace(/\t.*/g, "")))).toEqual(CASES.map(([, names]) => names));
  });
});

describe.skipIf(!has("zsh") || !has("script"))("zsh (needs zsh, script)", () => {
  it("completes when the script is read by .zshrc", async () => {
    const env = { ...process.env, HOME: dir, TERM: "dumb", PS1: "> " };
    const shell = spawn("script", ["-qfc", "zsh -f", "/dev/null"], { cwd: dir, env });
    let output = "";
    shell.stdout.setEncoding("utf8");
    const until = async (text: string): Promise<void> => {
      while (!output.includes(text)) output += (await once(shell.stdout, "data")) as unknown as string;
    };
    shell.stdin.write("autoload -U compinit && compinit -u -D && source script.zsh && echo re''ady\n");
    await until("ready");
    for (const [typed, whole] of [
      ["lathe --permission-m", "lathe --permission-mode "],
      ["lathe sess", "lathe sessions "],
      ["lathe auth ", "lathe auth status "],
      ["lathe --model x @sr", "lathe --model x @src/"],
      ["lathe @src/m", "lathe @src/my\\ notes.md "],
      ["lathe --cwd s", "lathe --cwd src/"],
    ] as const) {
      output = "";
      shell.stdin.write(`${typed}\t`);
      await until(whole);
      expect(output).not.toMatch(/error|can only be called/);
      // Ctrl+U clears the line.
      shell.stdin.write("\u0015echo ne''xt\n");
      await until("next");
    }
    shell.stdin.end("exit\n");
    await once(shell, "close");
  });
});
