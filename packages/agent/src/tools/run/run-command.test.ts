import { afterEach, expect, it } from "vitest";
import { MemoryBlobs } from "../../base/blobs/store.ts";
import { CallPaths } from "../../contract/paths/call-paths.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { LocalEnvironment } from "../../world/env/local.ts";
import { type CommandOutcome, runCommand, wholeOutputNote } from "./run-command.ts";

const env = new LocalEnvironment({ cwd: "/", baseEnv: { PATH: process.env["PATH"] } });
afterEach(() => env.cleanup());

it.each(["open", "write"])(
  "TL-04 K-13 a disk that fails to %s the artifact costs the artifact, not the command",
  async (at) => {
    const fail = (): never => {
      throw new Error("ENOSPC: no space left on device");
    };
    let closed = 0;
    const { signal } = new AbortController();
    const context: ToolContext = {
      callId: "c",
      env,
      signal,
      paths: new CallPaths(env, signal),
      blobs: new MemoryBlobs(),
      onOutput: () => {},
      messages: () => [],
      call: () => Promise.reject(new Error("no session")),
      openArtifact: () => {
        if (at === "open") fail();
        return {
          id: 0,
          write: fail,
          close: async () => {
            closed++;
            return { id: 0, bytes: 0 };
          },
        };
      },
      services: { vision: false },
    };
    const outcome = await runCommand("yes | head -c 3000000", context, { name: "shell" });
    expect(outcome).toMatchObject({ exitCode: 0, outputBytes: 3_000_000, notKept: "ENOSPC: no space left on device" });
    expect(outcome).not.toHaveProperty("artifact");
    expect(wholeOutputNote(outcome as CommandOutcome)).toContain("could not be saved: ENOSPC");
    expect(closed).toBe(at === "open" ? 0 : 1);
  },
);
