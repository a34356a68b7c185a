// A stdin that is never closed, as programs that start the command often leave it.

import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { collect } from "./command.ts";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";

let scene: Stage;
afterEach(() => scene.close());

describe("while stdin stays open", () => {
  it("--max-time counts: the run ends with code 5, says why, and sends nothing", async () => {
    scene = await stage([]);
    const { code, stdout, stderr } = await collect(scene.start(["--mode", "json", "--max-time", "300ms", "-p", "hi"]));
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringMatching(/stdin was still open.*< \/dev\/null/) });
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "result", status: "budget", exitCode: 5 });
    expect(scene.server.requests).toHaveLength(0);
  });

  it("a signal ends it with code 130 and a result", async () => {
    scene = await stage([]);
    const child = scene.start(["--mode", "json", "-p", "hi"]);
    const done = collect(child);
    // It says after some seconds what it waits for; from then on it is surely reading.
    await once(child.stderr, "data");
    child.kill("SIGTERM");
    const { code, stdout } = await done;
    expect(code).toBe(130);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "result", status: "interrupted" });
  });
});
