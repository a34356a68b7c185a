// One sandbox and one scripted model server for the tests of models and credentials.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ModelServer, type ModelServerOptions, startModelServer, turn } from "@lathe/testkit";
import { type Finished, type Sandbox, sandbox } from "./command.ts";

export interface Bench {
  readonly box: Sandbox;
  readonly server: ModelServer;
  /** Runs one prompt in print mode without saving a session. */
  ask(args: readonly string[], env?: Record<string, string>): Promise<Finished>;
  /** A file below LATHE_HOME. */
  write(name: string, text: string): Promise<string>;
  /** Requests to model endpoints, without listings. */
  readonly modelRequests: ModelServer["requests"];
  close(): Promise<void>;
}

export async function bench(options: ModelServerOptions = {}): Promise<Bench> {
  const box = await sandbox();
  const server = await startModelServer({ script: () => turn.text("ok"), ...options });
  return {
    box,
    server,
    ask: (args, env = {}) => box.run(["--no-session", ...args, "-p", "hi"], { env }),
    write: async (name, text) => {
      const file = join(box.env["LATHE_HOME"] ?? "", name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    get modelRequests() {
      return server.requests.filter(({ dialect }) => dialect !== undefined);
    },
    close: async () => {
      await server.close();
      await box.remove();
    },
  };
}
