// A project with extensions, a scripted model, and the command.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ModelServer, startModelServer, type Turn, turn, type ViewedResult } from "@lathe/testkit";
import { type Finished, type Sandbox, sandbox } from "./command.ts";

export interface ExtensionBox {
  readonly box: Sandbox;
  readonly server: ModelServer;
  readonly env: Record<string, string>;
  /** Writes a file below the user's Lathe home, such as `extensions/x.ts`. */
  user(name: string, text: string): Promise<string>;
  /** Writes a file of the project. */
  project(name: string, text: string): Promise<string>;
  /** Sets the model's answers, in order. */
  script(...turns: Turn[]): void;
  run(args: readonly string[], env?: Record<string, string>): Promise<Finished>;
  /**
   * Runs the built command in its own process, for extensions that affect the process or use its console, environment
   * or directory.
   */
  runBuilt(args: readonly string[], env?: Record<string, string>): Promise<Finished>;
  /** Texts of the tool results that the model got. */
  results(): readonly ViewedResult[];
  remove(): Promise<void>;
}

const MODEL = "anthropic/claude-sonnet-4-5";

export async function extensionBox(): Promise<ExtensionBox> {
  const box = await sandbox();
  const server = await startModelServer({ script: () => turn.text("done") });
  const env = {
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
    LATHE_NO_TITLE: "1",
  };
  const write = async (file: string, text: string): Promise<string> => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  return {
    box,
    server,
    env,
    user: (name, text) => write(join(box.env["LATHE_HOME"]!, name), text),
    project: (name, text) => write(join(box.dir, name), text),
    script: (...turns) => server.push(...turns),
    run: (args, more = {}) => box.run(["--model", MODEL, ...args], { env: { ...env, ...more } }),
    runBuilt: (args, more = {}) => box.runBuilt(["--model", MODEL, ...args], { env: { ...env, ...more } }),
    results: () => server.requests.at(-1)?.view.messages.flatMap(({ results }) => results) ?? [],
    remove: async () => {
      await server.close();
      await box.remove();
    },
  };
}
