// The tools in any environment: the same calls give the same text, whatever is underneath.

import { expect } from "vitest";
import { MemoryBlobs } from "../src/base/blobs/store.ts";
import { CallPaths } from "../src/contract/paths/call-paths.ts";
import { type ToolDef, ToolFailure } from "../src/contract/tool.ts";
import { PathLocks } from "../src/files/edit/locks.ts";
import { ShownFiles } from "../src/files/edit/shown-files.ts";
import { Parser } from "../src/files/parser/parser.ts";
import { applyPatchTool } from "../src/tools/builtin/apply-patch/index.ts";
import { astEditTool } from "../src/tools/builtin/ast-edit/index.ts";
import { astGrepTool } from "../src/tools/builtin/ast-grep/index.ts";
import { editFileTool } from "../src/tools/builtin/edit-file/index.ts";
import { globTool } from "../src/tools/builtin/glob/index.ts";
import { grepWithModesTool } from "../src/tools/builtin/grep/index.ts";
import { hashlineEditTool } from "../src/tools/builtin/hashline/index.ts";
import { hashlineReadTool } from "../src/tools/builtin/hashline-read/index.ts";
import { listDirTool } from "../src/tools/builtin/list-dir/index.ts";
import { readFileTool } from "../src/tools/builtin/read-file/index.ts";
import { readManyFilesTool } from "../src/tools/builtin/read-many-files/index.ts";
import { resolveTool } from "../src/tools/builtin/resolve/index.ts";
import { shellTool } from "../src/tools/builtin/shell/index.ts";
import { writeFileTool } from "../src/tools/builtin/write-file/index.ts";
import { PendingActions } from "../src/tools/pending-actions/pending-actions.ts";
import type { ExecutionEnvironment } from "../src/world/env/types.ts";

/**
 * A call and its answer; `!` marks an error. Steps marked `also` are omitted if calls take long, because another step
 * covers their kind.
 */
type Step = readonly [tool: ToolDef<never>, args: object, answer: string | RegExp, also?: "also"];

const PATCH = [
  "*** Begin Patch",
  "*** Add File: t/new.txt",
  "+fresh",
  "*** Update File: t/a.txt",
  "*** Move to: t/moved.txt",
  "@@",
  " one",
  "-2",
  "+zwei",
  "*** Delete File: t/b.ts",
  "*** End Patch",
].join("\n");

/** One for all environments, because it takes a second to start. */
const parser = new Parser();
const pendingActions = new PendingActions({ isOffered: () => true, force: () => {}, guard: () => {}, warn: () => {} });

const FILES: readonly Step[] = [
  [writeFileTool, { file_path: "t/a.txt", content: "one\ntwo\nthrée\n" }, "Created t/a.txt (15 bytes)"],
  [writeFileTool, { file_path: "t/b.ts", content: "const two = 2;\n" }, "Created t/b.ts (15 bytes)"],
  [readFileTool, { file_path: "t/a.txt" }, "1 | one\n2 | two\n3 | thrée", "also"],
  [readFileTool, { file_path: "t/a.txt", offset: 2, limit: 1 }, "2 | two\n[1 more lines; continue with offset=3]"],
  [readFileTool, { file_path: "t/c.txt" }, /^!File not found: t\/c\.txt\. Did you mean t\/a\.txt/],
  [readFileTool, { file_path: "t" }, "!t is a directory. List it, or name a file in it.", "also"],
  [readFileTool, { file_path: "t/a.txt", offset: 9 }, "!t/a.txt has 3 lines; offset 9 is beyond its end.", "also"],
  [
    editFileTool,
    { file_path: "t/a.txt", old_string: "two", new_string: "2" },
    /^Replaced 1 occurrence\(s\) in t\/a\.txt \(1 lines changed\)\n--- t\/a\.txt\n@@ /,
  ],
  [
    editFileTool,
    { file_path: "t/a.txt", old_string: "four", new_string: "4" },
    /^!.*t\/a\.txt.*Nothing was written/s,
    "also",
  ],
  [grepWithModesTool, { pattern: "thr.e", path: "t" }, "t/a.txt:3:thrée"],
  [grepWithModesTool, { pattern: "two|2", path: "t", output_mode: "count" }, "t/a.txt:1\nt/b.ts:1", "also"],
  [
    grepWithModesTool,
    { pattern: "two", path: "t", glob_filter: "*.ts", output_mode: "files_with_matches" },
    "t/b.ts",
    "also",
  ],
  [grepWithModesTool, { pattern: "nowhere", path: "t" }, "No matches found", "also"],
  [grepWithModesTool, { pattern: "(" }, /^!Bad regular expression "\("/, "also"],
  [globTool, { pattern: "**/*.ts", path: "t" }, "t/b.ts"],
  [globTool, { pattern: "*.go", path: "t" }, "No files found", "also"],
  [listDirTool, { path: "t" }, "a.txt  13\nb.ts  15", "also"],
  [
    readManyFilesTool,
    { paths: ["t/*.ts", "t/none"] },
    /^--- t\/b\.ts ---\n1 \| const two = 2;\n\n--- t\/none ---\n\[ERROR: /,
    "also",
  ],
  [astGrepTool, { pat: "const $NAME = 2", paths: ["t"] }, "¶t/b.ts\n*1:const two = 2;"],
  [
    astEditTool,
    { ops: [{ pat: "const $NAME = 2", out: "let $NAME = 3" }], paths: ["t"] },
    "Would make 1 replacement in 1 file:\nt/b.ts\n-1:1 const two = 2;\n+1:1 let two = 3",
  ],
  [resolveTool(pendingActions), { action: "apply", reason: "go" }, "Applied 1 replacement in 1 file."],
  [applyPatchTool, { patch: PATCH }, /^A t\/new\.txt\nR t\/a\.txt -> t\/moved\.txt\nD t\/b\.ts\n/],
  [listDirTool, { path: "t" }, "moved.txt  16\nnew.txt  6"],
  [hashlineReadTool, { file_path: "t/moved.txt" }, /^¶t\/moved\.txt#([0-9A-F]{4})\n1:one\n2:zwei\n3:thrée$/],
  [readFileTool, { file_path: "t/moved.txt" }, "1 | one\n2 | zwei\n3 | thrée", "also"],
];

const COMMANDS: readonly Step[] = [
  [shellTool, { command: "cat t/new.txt; echo no >&2; exit 4" }, /^fresh\nno\n\[exit code: 4, \d+ ms\]$/],
  [
    shellTool,
    { command: "echo more >> t/moved.txt" },
    /^\[changed since you last saw it: t\/moved\.txt; .*\n\[exit code: 0/,
  ],
  [shellTool, { command: " " }, "!The command is empty. Give a shell command to run.", "also"],
];

export async function toolConformance(
  env: ExecutionEnvironment,
  { commands, few }: { readonly commands: boolean; readonly few: boolean },
): Promise<void> {
  const services = { vision: false, shownFiles: new ShownFiles(), pathLocks: new PathLocks(), pendingActions, parser };
  const answer = async (tool: ToolDef<never>, args: object): Promise<string> => {
    try {
      const { signal } = new AbortController();
      const result = await tool.execute(args as never, {
        callId: "call",
        env,
        services,
        signal,
        paths: new CallPaths(env, signal),
        blobs: new MemoryBlobs(),
        onOutput: () => {},
        messages: () => [],
        call: () => Promise.reject(new Error("no session")),
        openArtifact: () => {
          throw new Error("nothing here is that long");
        },
      });
      return typeof result === "string"
        ? result
        : result.content.map((part) => (part.kind === "text" ? part.text : "[image]")).join("\n");
    } catch (error) {
      if (error instanceof ToolFailure) return `!${error.message}`;
      throw error;
    }
  };
  for (const [tool, args, expected, also] of commands ? [...FILES, ...COMMANDS] : FILES) {
    if (few && also) continue;
    const said = await answer(tool, args);
    if (typeof expected === "string") expect(said, tool.name).toBe(expected);
    else expect(said, tool.name).toMatch(expected);
  }
  const tag = services.shownFiles.latest(env.resolve("t/moved.txt"))?.tag;
  const edit = { input: `¶t/moved.txt#${tag}\ndelete 1` };
  expect(await answer(hashlineEditTool, edit)).toMatch(/^¶t\/moved\.txt#[0-9A-F]{4}\n/);
}
