// Extensions that throw, hang, flood, leak, block or end the process: each is named, and contained where we promise
// that. Each has its own folder and process and waits for its end, so they run side by side.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Finished } from "./command.ts";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";
import { BLOCKING, CONTAINED, EXITING } from "./hostile-extensions.ts";

const asked = (at: ExtensionBox): void =>
  at.script(turn.calls([{ name: "shell", args: { command: "echo works" } }]), turn.text("ok"));

describe("hostile extensions in one run", () => {
  let at: ExtensionBox;
  let run: Finished;
  beforeAll(async () => {
    at = await extensionBox();
    await at.user("config.yml", "timeouts:\n  extension: 1\n");
    for (const { name, code, kind } of CONTAINED)
      await at.user(kind === "hook" ? `hooks/post/${name}.ts` : `extensions/${name}.ts`, code);
    asked(at);
    run = await at.runBuilt(["--permission-mode", "full", "-p", "go"]);
  });
  afterAll(() => at.remove());

  it("EX-03 the work is done, the answer is all of stdout, and the process ends by itself", () => {
    expect(run).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(at.results()).toMatchObject([{ isError: false, text: expect.stringContaining("works") }]);
    expect(run.stderr.length).toBeLessThan(50_000);
  });

  it.each(CONTAINED)("EX-03 $name is contained and named", ({ said }) => {
    expect(run.stderr).toMatch(said);
  });
});

describe.concurrent("output of a program that drives us", () => {
  it.each(["json", "rpc"])("EX-03 nothing of an extension is on the stdout of %s mode", async (mode) => {
    const at = await extensionBox();
    try {
      await at.user("extensions/prints.ts", CONTAINED.find(({ name }) => name === "prints")?.code ?? "");
      await at.user(
        "extensions/later.ts",
        'export default (lathe) => lathe.on("turn_end", () => { process.stdout.write("later\\n"); process.stdout.write(Buffer.from("bytes\\n")); });',
      );
      const run =
        mode === "json"
          ? await at.runBuilt(["--json", "-p", "hi"])
          : await at.box.runBuilt(["--mode", "rpc", "--model", "practice/basic"], {
              stdin: '{"type":"prompt","message":"what can you do?"}\n',
            });
      expect(run.stdout).not.toMatch(/noise|later|bytes/);
      for (const line of run.stdout.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
      expect(run.stderr).toContain("[prints] noise on stdout");
    } finally {
      await at.remove();
    }
  });
});

describe.concurrent("an extension that breaks while it guards", () => {
  it("EX-03 what it guards does not run, and the model reads why", async () => {
    const at = await extensionBox();
    try {
      await at.user(
        "extensions/gate.ts",
        'export default (lathe) => lathe.on("tool_call", () => { throw new Error("broken gate"); });',
      );
      at.script(turn.calls([{ name: "shell", args: { command: "touch made" } }]), turn.text("ok"));
      expect(await at.run(["--permission-mode", "full", "-p", "go"])).toMatchObject({ code: 0 });
      expect(at.results()[0]?.text).toContain("blocked: The extension gate failed in tool_call: broken gate");
      expect(existsSync(join(at.box.dir, "made"))).toBe(false);
    } finally {
      await at.remove();
    }
  });
});

describe.concurrent("an extension that ends the process", () => {
  it.each(EXITING)("EX-03 $name: it is named, and the exit code is that of a failure", async ({ name, code }) => {
    const at = await extensionBox();
    try {
      await at.user(`extensions/${name}.ts`, code);
      const run = await at.runBuilt(["-p", "go"]);
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toMatch(new RegExp(`^lathe: The extension ${name} \\(.*${name}\\.ts\\) ended Lathe\\.$`, "m"));
    } finally {
      await at.remove();
    }
  });
});

describe.concurrent("an extension that blocks everything", () => {
  it.each(BLOCKING)(
    "EX-03 $name: it is named, the session can be resumed, and it is off at the next start",
    async ({ name, code, atLoad = false }) => {
      const at = await extensionBox();
      try {
        await at.user(`extensions/${name}.ts`, code);
        if (!atLoad) at.script(turn.calls([{ name: "shell", args: { command: "true" } }]));
        const blocked = await at.runBuilt(["--permission-mode", "full", "-p", "go"]);
        expect(blocked.code).not.toBe(0);
        expect(blocked.stderr).toMatch(
          new RegExp(`The extension ${name} \\(.*${name}\\.ts\\) blocked Lathe for 5 s, so Lathe had to end`),
        );
        const id = /lathe --resume (\w+)/.exec(blocked.stderr)?.[1];
        // Before there is a session, there is none to return to.
        expect(id === undefined).toBe(atLoad);
        // It does not run this time: nothing of it could do anything to this process.
        const again = await at.run([...(id === undefined ? [] : ["--resume", id]), "-p", "go on"]);
        expect(again).toMatchObject({ code: 0, stdout: "done\n" });
        expect(again.stderr).toContain(
          `The extension ${name} is off: it blocked Lathe for 5 s. To turn it on: lathe ext enable ${name}`,
        );
        expect(await at.box.run(["ext", "enable", name])).toMatchObject({ code: 0, stdout: `${name} is on.\n` });
        expect(JSON.parse(await readFile(join(at.box.env["LATHE_HOME"]!, "extensions-off.json"), "utf8"))).toEqual({});
      } finally {
        await at.remove();
      }
    },
    60_000,
  );
});
