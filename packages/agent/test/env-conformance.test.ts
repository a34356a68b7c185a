// The conformance suite for every environment that needs no other program.
// Titles carry: D-020 D-025 EE-01 EE-02 TL-04 TL-05 TL-06

import { mkdtempSync, realpathSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { GuardedEnvironment } from "../src/world/env/guarded.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";
import { MemoryEnvironment } from "../src/world/env/memory.ts";
import type { ExecutionEnvironment } from "../src/world/env/types.ts";
import { type MinimalEnvironment, withFileCommands } from "../src/world/env/with-file-commands.ts";
import { LoggingEnvironment, ScopedEnvironment } from "../src/world/env/wrappers.ts";
import { type EnvironmentUnderTest, environmentConformance } from "./env-conformance.ts";

function onDisk(wrap: (env: LocalEnvironment, root: string) => ExecutionEnvironment, search?: "builtin") {
  return async (): Promise<EnvironmentUnderTest> => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-env-")));
    const local = new LocalEnvironment({
      cwd: root,
      baseEnv: process.env,
      ...(search === undefined ? {} : { search }),
    });
    const env = wrap(local, root);
    return {
      env,
      setMtime: async (path, seconds) => utimesSync(env.resolve(path), seconds, seconds),
      dispose: async () => {
        await local.cleanup();
        rmSync(root, { recursive: true, force: true });
      },
    };
  };
}

/** Only what the interface of loop.md requires, so that the mix-in has to do the rest. */
function minimal(local: LocalEnvironment): MinimalEnvironment {
  return {
    identity: local.identity,
    workingDirectory: () => local.workingDirectory(),
    platform: () => local.platform(),
    osVersion: () => local.osVersion(),
    readFile: (...args) => local.readFile(...args),
    writeFile: (...args) => local.writeFile(...args),
    fileExists: (path) => local.fileExists(path),
    listDirectory: (...args) => local.listDirectory(...args),
    execCommand: (...args) => local.execCommand(...args),
    startCommand: (...args) => local.startCommand(...args),
    startProcess: (...args) => local.startProcess(...args),
    ownsPort: (port) => local.ownsPort(port),
    grep: (...args) => local.grep(...args),
    glob: (...args) => local.glob(...args),
    initialize: () => local.initialize(),
    cleanup: () => local.cleanup(),
  };
}

describe("EE-02 local", () =>
  environmentConformance(
    onDisk((env) => env),
    { commands: true, connects: "directly" },
  ));
describe("EE-02 local with the built-in search", () =>
  environmentConformance(
    onDisk((env) => env, "builtin"),
    { commands: true, overrides: ["search", "tools"] },
  ));
describe("EE-01 K-17 minimal with the mix-in", () =>
  environmentConformance(
    onDisk((env) => withFileCommands(minimal(env))),
    // The file commands are the same as over ssh, where the tools are tested.
    { commands: true, far: true, overrides: ["files", "search", "links", "ports"] },
  ));
describe("EE-04 logging", () =>
  environmentConformance(
    onDisk((env) => new LoggingEnvironment(env, () => {})),
    { commands: true, overrides: ["commands", "processes", "shells"] },
  ));
describe("EE-04 guarded", () =>
  environmentConformance(
    onDisk((env) => new GuardedEnvironment(env, { mayWrite: () => true })),
    { commands: true, overrides: ["files", "tools", "links"] },
  ));
describe("EE-02 local with roots", () =>
  environmentConformance(
    onDisk((_, root) => new LocalEnvironment({ cwd: root, baseEnv: process.env, roots: [root] })),
    { commands: true, overrides: ["files", "search", "tools", "links"] },
  ));
describe("EE-04 scoped", () =>
  environmentConformance(
    onDisk((env, root) => {
      const scoped = new ScopedEnvironment(env, root);
      // A scope leaves the cleanup to the environment that it wraps.
      scoped.cleanup = () => env.cleanup();
      return scoped;
    }),
    { commands: true, overrides: ["files", "search", "tools", "links", "commands", "processes"] },
  ));

describe("EE-01 D-025 memory", () =>
  environmentConformance(
    async () => {
      let clock = 1;
      const env = new MemoryEnvironment({ cwd: "/memory/tree", now: () => clock });
      return {
        env,
        setMtime: async (path, seconds) => {
          const content = await env.readBytes(path);
          clock = seconds * 1000;
          await env.writeFile(path, content);
        },
        dispose: async () => {},
      };
    },
    { commands: false },
  ));
