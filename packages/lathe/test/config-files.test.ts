// `lathe config` with files as users have them: links, other sections, broken ones.

import { lstat, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox();
  await mkdir(box.env["LATHE_HOME"] ?? "", { recursive: true });
});
afterEach(() => box.remove());

const file = (): string => join(box.env["LATHE_HOME"] ?? "", "config.yml");

describe("lathe config", () => {
  it("CF-01 unset takes one key out and leaves the rest; a section is named by its parts", async () => {
    await box.run(["config", "set", "retry.enabled", "false"]);
    await box.run(["config", "set", "retry.maxRetries", "3"]);
    expect(await box.run(["config", "unset", "retry.enabled"])).toMatchObject({ code: 0, stderr: "" });
    expect((await box.run(["config", "get", "retry.enabled"])).stdout).toBe("true\n");
    expect((await box.run(["config", "get", "retry.maxRetries"])).stdout).toBe("3\n");
    const again = await box.run(["config", "unset", "retry.enabled"]);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("is not set in") });
    expect(await box.run(["config", "get", "retry"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Name one of retry.enabled, retry.maxRetries"),
    });
  });

  it("CF-03 a file that is no settings file is refused with its place, by runs and by set alike", async () => {
    for (const [text, why] of [
      ["a: [1\nb: 2\n", ":2: not valid YAML"],
      ["- a\n- b\n", ":1: settings are written as `key: value`"],
      ["just words\n", ":1: settings are written as `key: value`"],
    ] as const) {
      await writeFile(file(), text);
      for (const args of [["config", "list"], ["config", "set", "model", "x/y"], ["hi"]])
        expect(await box.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file()}${why}`) });
    }
    await writeFile(file(), "retry: 5\n");
    const set = await box.run(["config", "set", "retry.enabled", "false"]);
    expect(set).toMatchObject({ code: 2, stderr: expect.stringContaining("retry is not a section") });
  });

  it("CF-01 a file that is a link stays one", async () => {
    const real = join(box.home, "dotfiles.yml");
    await writeFile(real, "# mine\nmodel: a/b\n");
    await symlink(real, file());
    await box.run(["config", "set", "model", "c/d"]);
    expect(await readFile(real, "utf8")).toBe("# mine\nmodel: c/d\n");
    expect((await lstat(file())).isSymbolicLink()).toBe(true);
  });

  it.each([
    ["toolOutputLimits", "shell=many"],
    ["toolOutputLimits", "shell="],
    ["limits.maxTurns", "1e999"],
  ])("config set %s %s is refused", async (key, value) => {
    expect(await box.run(["config", "set", key, value])).toMatchObject({ code: 2, stdout: "" });
  });

  it("config list says what is wrong without stopping a run", async () => {
    await writeFile(file(), "modle: x\n");
    expect((await box.run(["config", "list"])).stderr).toContain("unknown setting modle (did you mean model?)");
  });
});
