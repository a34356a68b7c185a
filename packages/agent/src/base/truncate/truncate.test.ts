import { describe, expect, it } from "vitest";
import { applyPatchTool } from "../../tools/builtin/apply-patch/index.ts";
import { editFileTool } from "../../tools/builtin/edit-file/index.ts";
import { globTool } from "../../tools/builtin/glob/index.ts";
import { grepTool } from "../../tools/builtin/grep/index.ts";
import { listDirTool } from "../../tools/builtin/list-dir/index.ts";
import { readFileTool } from "../../tools/builtin/read-file/index.ts";
import { readManyFilesTool } from "../../tools/builtin/read-many-files/index.ts";
import { shellTool } from "../../tools/builtin/shell/index.ts";
import { spawnAgentTool } from "../../tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../tools/builtin/wait/index.ts";
import { writeFileTool } from "../../tools/builtin/write-file/index.ts";
import { outputLimit } from "./limits.ts";
import { truncateOutput } from "./truncate.ts";

const middle = (n: number) =>
  `\n\n[WARNING: Tool output was truncated. ${n} characters were removed from the middle. The full output is available in the event stream. If you need to see specific parts, re-run the tool with more targeted parameters.]\n\n`;

describe("characters", () => {
  it.each([9, 10])("TR-01 %i of 10 characters stay as they are", (length) => {
    expect(truncateOutput("x".repeat(length), { chars: 10, mode: "head_tail" })).toBe("x".repeat(length));
  });

  it("TR-01 head and tail around the marker, which says what was really removed", () => {
    expect(truncateOutput("0123456789A", { chars: 10, mode: "head_tail" })).toBe(`01234${middle(1)}6789A`);
    expect(truncateOutput("0123456789A", { chars: 7, mode: "head_tail" })).toBe(`012${middle(5)}89A`);
  });

  it("TR-01 TR-02 tail and head modes", () => {
    expect(truncateOutput("0123456789", { chars: 4, mode: "tail" })).toBe(
      "[WARNING: Tool output was truncated. First 6 characters were removed. The full output is available in the event stream.]\n\n6789",
    );
    expect(truncateOutput("0123456789", { chars: 4, mode: "head" })).toBe(
      "0123\n\n[WARNING: Tool output was truncated. Last 6 characters were removed. The full output is available in the event stream.]",
    );
  });

  it("TR-01 never splits a surrogate pair", () => {
    const text = "😀".repeat(20);
    for (const mode of ["head_tail", "tail", "head"] as const) {
      for (const chars of [9, 10, 11, 12]) {
        expect(truncateOutput(text, { chars, mode }).isWellFormed?.() ?? true).toBe(true);
        expect(truncateOutput(text, { chars, mode })).not.toMatch(
          /(^|[^\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff]([^\udc00-\udfff]|$)/,
        );
      }
    }
  });

  it("TR-01 D-026 one line of 10 MB is bounded", () => {
    const cut = truncateOutput("x".repeat(10_000_000), outputLimit(shellTool));
    expect(cut.length).toBeLessThan(30_300);
    expect(cut).toContain("9970000 characters were removed");
  });
});

describe("lines", () => {
  it("TR-03 D-027 D-028 100000 lines of shell output: 256 lines and both markers", () => {
    const cut = truncateOutput(
      Array.from({ length: 100_000 }, (_, i) => `line ${i}`).join("\n"),
      outputLimit(shellTool),
    );
    const lines = cut.split("\n");
    expect(lines).toHaveLength(256 + 2);
    expect(lines[0]).toBe("line 0");
    expect(lines.at(-1)).toBe("line 99999");
    expect(cut).toMatch(/\[\.\.\. \d+ lines omitted \.\.\.\]\n\[WARNING: Tool output was truncated\./);
  });

  it("TR-03 two lines of 10 MB are bounded, few lines stay", () => {
    expect(
      truncateOutput(`${"a".repeat(10_000_000)}\n${"b".repeat(10_000_000)}`, outputLimit(grepTool)).length,
    ).toBeLessThan(20_300);
    expect(truncateOutput("a\nb\nc", { chars: 100, mode: "tail", lines: 3 })).toBe("a\nb\nc");
    expect(truncateOutput("a\nb\nc\nd", { chars: 100, mode: "tail", lines: 3 })).toBe(
      "a\n[... 1 lines omitted ...]\nc\nd",
    );
  });
});

describe("limits", () => {
  it("TR-02 D-030 the defaults are the contract's table", () => {
    const tools = [
      readFileTool,
      readManyFilesTool,
      shellTool,
      grepTool,
      globTool,
      listDirTool,
      editFileTool,
      applyPatchTool,
      writeFileTool,
      spawnAgentTool,
      waitTool,
      { name: "anything" },
    ];
    expect(
      tools.map((tool) => [tool.name, outputLimit(tool).chars, outputLimit(tool).mode, outputLimit(tool).lines]),
    ).toEqual([
      ["read_file", 50_000, "head_tail", undefined],
      ["read_many_files", 50_000, "head_tail", undefined],
      ["shell", 30_000, "head_tail", 256],
      ["grep", 20_000, "tail", 200],
      ["glob", 20_000, "tail", 500],
      ["list_dir", 20_000, "tail", 500],
      ["edit_file", 10_000, "tail", undefined],
      ["apply_patch", 10_000, "tail", undefined],
      ["write_file", 1_000, "tail", undefined],
      ["spawn_agent", 20_000, "head_tail", undefined],
      ["wait", 20_000, "head_tail", undefined],
      ["anything", 30_000, "head_tail", undefined],
    ]);
  });

  it("TR-02 D-031 all three are overridable per tool", () => {
    const overrides = {
      toolOutputLimits: { shell: 5 },
      toolLineLimits: { read_file: 2 },
      toolOutputModes: { glob: "head" as const },
    };
    expect(outputLimit(shellTool, overrides)).toEqual({ chars: 5, mode: "head_tail", lines: 256 });
    expect(outputLimit(readFileTool, overrides)).toEqual({ chars: 50_000, mode: "head_tail", lines: 2 });
    expect(outputLimit(globTool, overrides).mode).toBe("head");
    expect(outputLimit({ name: "constructor" }, overrides)).toEqual({ chars: 30_000, mode: "head_tail" });
  });
});
