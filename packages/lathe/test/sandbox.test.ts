// --sandbox and the settings of the sandbox, with the real command and a real sandbox.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { loadSettings } from "../src/config/settings/load.ts";
import { type Stage, stage } from "./contract-kit.ts";

const shell = (command: string, more: Record<string, unknown> = {}) =>
  turn.calls([{ name: "shell", args: { command, ...more } }]);
const full = ["--permission-mode", "full"];

describe.skipIf(!has("bwrap", "nsenter"))("lathe --sandbox (needs bwrap, nsenter)", () => {
  let scene: Stage;
  afterEach(() => scene.close());
  const lastRequest = (): string => JSON.stringify(scene.server.requests.at(-1)?.body);

  it("G a command writes in the project, not outside, and the model learns why it failed", async () => {
    scene = await stage([shell("echo made > made.txt; touch /usr/lathe-outside"), turn.text("ok")]);
    expect(await scene.run([...full, "--sandbox", "go"])).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(readdirSync(scene.box.dir)).toEqual(["made.txt"]);
    expect(existsSync("/usr/lathe-outside")).toBe(false);
    expect(lastRequest()).toContain("The sandbox caused this: only ");
  });

  it("G a setting turns it on, folders can be added, and a call that asks for it runs outside", async () => {
    scene = await stage([
      shell("echo x > ../more/in && echo x > ../other/in"),
      shell("echo x > ../other/out", { outside_sandbox: true }),
      turn.text("ok"),
    ]);
    for (const name of ["more", "other"]) mkdirSync(join(scene.box.dir, "..", name));
    const config = join(scene.box.home, "sandbox.yml");
    writeFileSync(config, "sandbox:\n  enabled: true\n  write: [../more]\n");
    expect(await scene.run([...full, "--config", config, "go"])).toMatchObject({ code: 0 });
    expect(readdirSync(join(scene.box.dir, "../more"))).toEqual(["in"]);
    expect(readdirSync(join(scene.box.dir, "../other"))).toEqual(["out"]);
  });

  it("G the settings of a project ask for the sandbox and never open it", async () => {
    scene = await stage([]);
    const own = join(scene.box.home, "own.yml");
    const project = join(scene.box.home, "project.yml");
    writeFileSync(own, "sandbox:\n  enabled: true\n");
    writeFileSync(project, "sandbox:\n  enabled: false\n  network: [evil.example]\n  write: [/]\n  hide: [secret]\n");
    const sources = [
      { file: own, required: true },
      { file: project, required: true, ofProject: true },
    ];
    const { values, warnings } = await loadSettings(sources);
    expect(values).toMatchObject({ "sandbox.enabled": true, "sandbox.network": [], "sandbox.write": [] });
    expect(values["sandbox.hide"]).toEqual(["secret"]);
    expect(warnings.filter((line) => line.includes("cannot widen the sandbox"))).toHaveLength(3);
  });
});
