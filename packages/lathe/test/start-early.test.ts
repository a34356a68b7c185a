// Slow work starts while the session is still being assembled: git, and the connection to the model. Code for commands
// is loaded while the model thinks.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, watch, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CLI } from "./command.ts";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench();
});
afterEach(() => b.close());

/** Loaded before the command: notes what happens in which order. */
const SPY = `
const order = [];
const note = (what) => order.includes(what) || order.push(what);
const children = require("node:child_process");
const spawn = children.spawn;
children.spawn = (...args) => {
  const child = spawn(...args);
  if (JSON.stringify(args).includes("git ")) {
    note("git asked");
    child.once("exit", () => note("git answered"));
  }
  return child;
};
const { Socket } = require("node:net");
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) { note("connecting"); return connect.apply(this, args); };
process.addListener("lathe:first-request", () => note("request"));
const compile = WebAssembly.Module;
WebAssembly.Module = class extends compile { constructor(bytes) { super(bytes); require("node:fs").writeFileSync("compiled", ""); } };
WebAssembly.compile = async (bytes) => new WebAssembly.Module(bytes);
const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (code, imports) => {
  if (code instanceof compile) return instantiate(code, imports);
  const module = new WebAssembly.Module(code);
  return { module, instance: await instantiate(module, imports) };
};
process.addListener("exit", () => require("node:fs").writeFileSync(process.env.SPY_REPORT, JSON.stringify(order)));
`;

async function orderOf(args: readonly string[]): Promise<string[]> {
  const spy = join(b.box.dir, "spy.cjs");
  const report = join(b.box.dir, "report.json");
  await writeFile(spy, SPY);
  const env = {
    ...b.box.env,
    NODE_OPTIONS: `--require ${spy}`,
    SPY_REPORT: report,
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: b.server.baseUrl("openai"),
  };
  const words = [CLI, "--model", "openai/gpt-5.2", ...args, "-p", "hi"];
  const child = spawn(process.execPath, words, { cwd: b.box.dir, env, stdio: "ignore" });
  await once(child, "close");
  expect(child.exitCode).toBe(0);
  return JSON.parse(await readFile(report, "utf8")) as string[];
}

it("inside a repository the connection is opened while git is being asked", async () => {
  execFileSync("git", ["init", "-q", b.box.dir]);
  const order = await orderOf([]);
  expect(order.slice(0, 2)).toEqual(["git asked", "connecting"]);
  // A slow git is not waited for, so that its answer may come after the request.
  expect(order.slice(2).sort()).toEqual(["git answered", "request"]);
});

it("a session that goes on has been told of git, and does not ask again", async () => {
  execFileSync("git", ["init", "-q", b.box.dir]);
  await orderOf([]);
  expect(await orderOf(["-c"])).toEqual(["connecting", "request"]);
});

it("the grammar of commands is loaded while the model thinks about its first answer", async () => {
  await b.close();
  b = await bench({
    script: async () => {
      for await (const { filename } of watch(b.box.dir)) if (filename === "compiled") break;
      return turn.text("ok");
    },
  });
  expect(await orderOf([])).toEqual(["connecting", "request"]);
});
