// A scripted model server, and the command with its own home that uses it.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelServer, type ModelServerOptions, type Script, startModelServer } from "@lathe/testkit";
import { type Finished, type Sandbox, sandbox } from "./command.ts";

export const KEY = "sk-test-4f9a-secret";
export const MODEL = "anthropic/claude-sonnet-4-5";

export interface Stage {
  readonly server: ModelServer;
  readonly box: Sandbox;
  /** Options and variables for a run against the server; retries wait one millisecond. */
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  run(args: readonly string[], options?: Parameters<Sandbox["run"]>[1]): Promise<Finished>;
  /** Runs the built command in its own process. */
  runBuilt(args: readonly string[], options?: Parameters<Sandbox["run"]>[1]): Promise<Finished>;
  start(args: readonly string[]): ReturnType<Sandbox["start"]>;
  close(): Promise<void>;
}

export async function stage(script: Script, options: ModelServerOptions = {}): Promise<Stage> {
  const server = await startModelServer({ script, ...options });
  const box = await sandbox();
  const config = join(box.home, "fast.yml");
  await writeFile(config, "retry:\n  baseDelay: 0.001\n");
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.baseUrl("anthropic") };
  const args = ["--model", MODEL, "--config", config];
  return {
    server,
    box,
    args,
    env,
    run: (more, given = {}) => box.run([...args, ...more], { ...given, env: { ...env, ...given.env } }),
    runBuilt: (more, given = {}) => box.runBuilt([...args, ...more], { ...given, env: { ...env, ...given.env } }),
    start: (more) => box.start([...args, ...more], env),
    close: async () => {
      await server.close();
      await box.remove();
    },
  };
}

export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Lines of stderr that a person would read as the command's own. */
export const errorLines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

export async function publishedSchema(name: string): Promise<Record<string, never>> {
  return JSON.parse(await readFile(new URL(`../schemas/${name}.json`, import.meta.url), "utf8")) as never;
}
