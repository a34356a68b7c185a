// An untrusted folder contains servers, interpreters and plugins. System traces show that none of them starts.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { CLI } from "./command.ts";
import { stage } from "./contract-kit.ts";
import { REPOSITORY } from "./lsp-projects.ts";

const PROGRAMS = [
  ...["tsc", "tsserver", "typescript-language-server", "pyright-langserver", "biome", "bash-language-server"],
  ...["shellcheck", "node", "python", "python3", "ruff", "clangd", "vscode-eslint-language-server"],
];
const write = (path: string, content: string) => ({ name: "write", args: { path, content } });

it.skipIf(!has("strace"))(
  "G-113 LP-01 no program of a folder that is not trusted starts, though servers run and PATH leads into it (needs strace)",
  async () => {
    const scene = await stage([
      turn.calls(["a.ts", "a.py", "a.sh", "a.json"].map((path, at) => ({ name: "read", args: { path }, id: `${at}` }))),
      turn.calls([write("a.ts", "export const x: string = 1;\n"), write("a.py", "x: str = 1\n")]),
      turn.calls([write("a.sh", "if true; then\n"), write("a.json", "{ 1 }\n")]),
      turn.text("done"),
      turn.text("done"),
    ]);
    try {
      const { dir, home } = scene.box;
      const put = (path: string, text: string): void => {
        mkdirSync(dirname(join(dir, path)), { recursive: true });
        writeFileSync(join(dir, path), text);
      };
      const evil = `#!/bin/sh\ntouch '${join(home, "started")}'\n`;
      for (const folder of ["node_modules/.bin", ".venv/bin", "venv/bin"])
        for (const name of PROGRAMS) {
          put(`${folder}/${name}`, evil);
          chmodSync(join(dir, folder, name), 0o755);
        }
      const plugin = `require("fs").writeFileSync(${JSON.stringify(join(home, "started"))}, "");\nmodule.exports = () => ({});\n`;
      put("node_modules/evil/index.js", plugin);
      put("node_modules/typescript/package.json", JSON.stringify({ name: "typescript", version: "7.0.2" }));
      put("node_modules/typescript/lib/tsserver.js", plugin);
      put("tsconfig.json", JSON.stringify({ compilerOptions: { plugins: [{ name: "evil" }] } }));
      put("pyrightconfig.json", JSON.stringify({ venvPath: ".", venv: ".venv" }));
      put("biome.json", JSON.stringify({ plugins: ["./node_modules/evil/index.js"] }));
      put("eslint.config.js", plugin);
      for (const name of ["json", "os", "sys", "site", "sitecustomize"])
        put(`${name}.py`, `open(${JSON.stringify(join(home, "started"))}, "w")\n`);
      const server = { command: "/bin/sh", args: ["-c", evil], fileTypes: [".ts", ".py"], rootMarkers: ["a.ts"] };
      put("lsp.json", JSON.stringify({ servers: { evil: server } }));
      put(".git/HEAD", "ref: refs/heads/main\n");
      for (const name of ["a.ts", "a.py", "a.sh", "a.json"]) put(name, name === "a.json" ? "{}\n" : "\n");
      const trace = join(home, "trace");
      const path = [join(dir, "node_modules/.bin"), join(REPOSITORY, "node_modules/.bin"), process.env["PATH"]].join(
        ":",
      );
      const args = [
        "-f",
        "-s",
        "400",
        "--seccomp-bpf",
        "-e",
        "trace=execve",
        "-o",
        trace,
        process.execPath,
        CLI,
        ...scene.args,
      ];
      const run = spawn("strace", [...args, "--permission-mode", "full", "--profile", "lathe", "go"], {
        cwd: dir,
        env: { ...scene.box.env, ...scene.env, PATH: path },
        stdio: "ignore",
      });
      expect(await once(run, "close")).toEqual([0, null]);
      const started = readFileSync(trace, "utf8")
        .split("\n")
        .filter((line) => / = 0$/.test(line) && line.includes("execve("));
      // They do run: those on PATH that run no code of the project.
      expect(started.some((line) => line.includes(join(REPOSITORY, "node_modules/.bin")))).toBe(true);
      expect(started.filter((line) => line.split("execve(")[1]!.startsWith(`"${dir}/`))).toEqual([]);
      expect(existsSync(join(home, "started"))).toBe(false);
    } finally {
      await scene.close();
    }
  },
  240_000,
);
