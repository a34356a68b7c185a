// The tool bash in whole runs: what survives a resume, and the variables and settings that change it.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";

const bash = (command: string) => turn.calls([{ name: "bash", args: { command } }]);
const FULL = ["--permission-mode", "full", "--profile", "lathe"];

let scene: Stage;
afterEach(() => scene.close());
const last = (): string => JSON.stringify(scene.server.requests.at(-1)?.body);

it("T-BASH-2 the directory of the shell survives the end of the process; a resumed session goes on there", async () => {
  scene = await stage([
    bash("cd sub; A=1"),
    bash("echo $A-$(pwd)"),
    turn.text("one"),
    bash("echo [$A]; pwd"),
    turn.text("two"),
  ]);
  mkdirSync(join(scene.box.dir, "sub"));
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0, stdout: "one\n" });
  expect(last()).toContain(`1-${scene.box.dir}/sub`);
  expect(await scene.run([...FULL, "--continue", "on"])).toMatchObject({ code: 0, stdout: "two\n" });
  expect(last()).toContain(`[]\\n${scene.box.dir}/sub`);
});

it("T-BASH-1 G-116 CI is set, and bash.enabled hides the tool", async () => {
  scene = await stage([bash("echo CI=$CI"), turn.text("one"), turn.text("two")]);
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  expect(last()).toContain("CI=true");
  const config = join(scene.box.home, "no-bash.yml");
  writeFileSync(config, "bash:\n  enabled: false\n");
  expect(await scene.run([...FULL, "--config", config, "go"])).toMatchObject({ code: 0 });
  expect(last()).not.toContain('"name":"bash"');
});

it("G-116 --no-pty: a command that asks for a terminal runs without one", async () => {
  const asking = turn.calls([
    { name: "bash", args: { command: "[ -t 1 ] && echo tty=$((1 + 1)); echo end", pty: true } },
  ]);
  scene = await stage([asking, turn.text("one"), asking, turn.text("two")]);
  await scene.run([...FULL, "go"]);
  expect(last()).toContain("tty=2");
  await scene.run([...FULL, "--no-pty", "go"]);
  expect(last()).not.toContain("tty=2");
});
