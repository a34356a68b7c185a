import { expect, it } from "vitest";
import { MemoryEnvironment } from "./memory.ts";
import type { ExecResult } from "./types.ts";
import { withFileCommands } from "./with-file-commands.ts";

const ran = (stdout: string, exitCode: number, stderr = ""): ExecResult => ({
  stdout,
  stderr,
  output: stdout,
  outputBytes: stdout.length,
  truncated: false,
  exitCode,
  timedOut: false,
  aborted: false,
  durationMs: 1,
});

it.each([
  ["no shell", () => ran("", 127, "command not found"), /lack a POSIX shell \(exit code 127: command not found\)/],
  ["no base64", () => ran("base64\nlathe-shell-ready\n", 0), /lack base64\. .*implement readBytes, stat/],
])("an environment with %s is refused with what is missing", async (_, exec, message) => {
  const env = withFileCommands(new MemoryEnvironment({ exec: async () => exec() }));
  await expect(env.stat("a.txt")).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(message),
  });
});
