// /undo, /redo and /rewind at a terminal.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";
import { InsideTerminal } from "./terminal.ts";

let scene: Stage;
afterEach(() => scene.close());

describe("at a terminal", () => {
  it("/undo, /redo and /rewind", async () => {
    scene = await stage([shell("echo two > a.txt"), turn.text("it is two now")]);
    repository();
    const terminal = new InsideTerminal(scene.box, { ...scene.env, NO_COLOR: "1", LATHE_NO_TITLE: "1" });
    try {
      let at = await terminal.see(
        terminal.type(`lathe ${scene.args.join(" ")} --permission-mode full --plain`),
        /\/help\r?\n› /,
      );
      terminal.keys("change it\n");
      at = await terminal.see(at, /it is two now[\s\S]*› /);
      terminal.keys("/undo\n");
      at = await terminal.see(at, /Rewound to before: change it\r?\n1 file restored\.[\s\S]*› /);
      expect(read("a.txt")).toBe("one\n");
      terminal.keys("/redo\n");
      at = await terminal.see(at, /The rewind was undone\.[\s\S]*› /);
      expect(read("a.txt")).toBe("two\n");
      terminal.keys("/redo files\n");
      at = await terminal.see(at, /"files" is not known here\. Choose from: force\.[\s\S]*› /);
      terminal.keys("/rewind nothere0\n");
      at = await terminal.see(at, /There is no entry nothere0 in this session\. See: \/rewind[\s\S]*› /);
      terminal.keys("/rewind files\n");
      at = await terminal.see(at, /change it[\s\S]*Go back to before \[1-1, Enter for none\]: /);
      terminal.keys("1\n");
      at = await terminal.see(at, /1 file restored\.[\s\S]*› /);
      expect(read("a.txt")).toBe("one\n");
      terminal.keys("/rewind\n");
      at = await terminal.see(at, /change it[\s\S]*Go back to before \[1-1, Enter for none\]: /);
      terminal.keys("1\n");
      at = await terminal.see(at, /only the files[\s\S]*Restore \[1-3, Enter for none\]: /);
      terminal.keys("\n");
      at = await terminal.see(at, /Nothing was rewound\.[\s\S]*› /);
      terminal.keys("/quit\n");
    } finally {
      await terminal.close();
    }
  });
});

const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
const file = (path: string): string => join(scene.box.dir, path);
const read = (path: string): string => readFileSync(file(path), "utf8");

function repository(): void {
  mkdirSync(file("src"));
  writeFileSync(file("a.txt"), "one\n");
  writeFileSync(file("src/b.txt"), "b\n");
  writeFileSync(file(".gitignore"), "out/\n");
  symlinkSync("a.txt", file("link"));
  chmodSync(file("src/b.txt"), 0o755);
  execFileSync("git", ["init", "-q"], { cwd: scene.box.dir });
  execFileSync("git", ["add", "-A"], { cwd: scene.box.dir });
}
