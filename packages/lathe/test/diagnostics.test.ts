// `/debug`: what a report contains, and what it must not contain.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { coloursCss } from "../src/sessions/export/style.ts";
import { conversation, type Talk } from "./conversation-kit.ts";

const KEY = "sk-ant-0123456789abcdef-very-secret";
/** A key that Lathe does not know about. */
const UNKNOWN = `glpat-${"x1Y2z".repeat(4)}`;
let c: Talk;
afterEach(async () => {
  await c?.talk.close();
  await c?.server.close();
});

it("T-DBG-3 dump: tar lists the session and what is beside it, and no key is in any member", async () => {
  c = await conversation({ permissionMode: "full" }, { env: { ANTHROPIC_API_KEY: KEY } });
  c.server.push(
    turn.calls([{ name: "shell", args: { command: "seq 1 400000; echo $0" } }]),
    turn.text(`your key is ${KEY}, your token ${UNKNOWN}`),
  );
  await c.say(`hello, my key is ${KEY}`);
  await c.say("/debug dump");
  const file = c.lines.at(-1)!.replace("Written: ", "");
  expect(file).toMatch(/lathe-report-.*\.tar\.gz$/);
  const names = execFileSync("tar", ["tzf", file], { encoding: "utf8" }).trim().split("\n");
  expect(names).toEqual(["system.txt", "settings.txt", "session.jsonl", "0.shell.log"]);
  const all = execFileSync("tar", ["xzOf", file], { encoding: "utf8", maxBuffer: 1 << 28 });
  expect(all).toContain("hello, my key is");
  expect(all).toContain("ANTHROPIC_API_KEY");
  expect(all.includes(KEY)).toBe(false);
  expect(all.includes(UNKNOWN)).toBe(false);
});

it("T-DBG-3 system, memory, work and the paths are told; the cache is cleared only after a yes, and only what is old", async () => {
  c = await conversation();
  const cache = join(c.root, ".lathe-home", "cache");
  for (const name of ["old", "new"]) mkdirSync(join(cache, name), { recursive: true });
  writeFileSync(join(cache, "old", "x"), "");
  utimesSync(join(cache, "old"), 1, 1);
  for (const entry of ["system", "memory", "work", "transcript", "artifacts"]) await c.say(`/debug ${entry}`);
  expect(c.lines.join("\n")).toMatch(
    /^lathe .*node .*\n[\s\S]*resident .* MiB[\s\S]*The session is idle\.[\s\S]*\.jsonl/,
  );
  await c.say("/debug clear-cache");
  expect(c.lines.at(-1)).toBe("Nothing was removed.");
  c.reply("y");
  await c.say("/debug clear-cache");
  expect([existsSync(join(cache, "old")), existsSync(join(cache, "new"))]).toEqual([false, true]);
  await expect(c.say("/debug nonsense")).rejects.toThrow("There is no /debug nonsense. Choose one of dump,");
  await c.say("/debug");
  expect(c.lines.at(-1)).toMatch(/^\/debug clear-cache/);
});

it("SP-08 a theme colours the exported page, with text that can be read on it; what is no colour changes nothing", () => {
  expect(coloursCss(undefined)).toBe("");
  expect(coloursCss({ pageBg: "red; } body { display: none" })).toBe("");
  const dark = coloursCss({ pageBg: "#101010", cardBg: "#202020", infoBg: "#303030" });
  expect(dark).toMatch(/color-scheme: dark; [^}]*--page:#101010; --card:#202020; --code:#303030;/);
  expect(coloursCss({ pageBg: "#fafafa" })).toContain("color-scheme: light");
});
