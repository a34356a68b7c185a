// Runs Lathe's MCP client for the public conformance suite: connects to the given address, signs in if required, and
// calls every tool. The suite's own server judges what it saw.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment, type ToolContext } from "@lathe/agent";
import { defaultDeps } from "@lathe/llm";
import { DefinitionCache } from "../../packages/lathe/src/additions/mcp/cache.ts";
import { elicit } from "../../packages/lathe/src/additions/mcp/elicitation.ts";
import { ServerManager } from "../../packages/lathe/src/additions/mcp/manager.ts";
import { signInTo, storedSignIn } from "../../packages/lathe/src/additions/mcp/sign-in.ts";
import type { ServerConfig } from "../../packages/lathe/src/additions/mcp/types.ts";
import { CredentialStore } from "../../packages/lathe/src/config/credentials/store.ts";

const url = process.argv.at(-1) as string;
const folder = mkdtempSync(join(tmpdir(), "lathe-conformance-"));
const deps = defaultDeps();
const signal = new AbortController().signal;
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  client_id?: string;
  client_secret?: string;
};
const config: ServerConfig = {
  name: "suite",
  file: "conformance",
  transport: "http",
  url,
  ...(context.client_id === undefined
    ? {}
    : { oauth: { clientId: context.client_id, clientSecret: context.client_secret } }),
};
const store = new CredentialStore(join(folder, "auth.json"));
const signIn = { store, now: deps.now, onSecret: () => {}, url: new URL(url).href };
const env = new LocalEnvironment({ cwd: folder, baseEnv: process.env, owner: deps.uuid() });
const manager = new ServerManager({
  configs: [config],
  cache: new DefinitionCache(folder),
  deps,
  waitsForStart: true,
  warn: (message) => console.error(message),
  host: {
    env: () => env,
    values: { env: process.env, run: async () => "", onSecret: () => {}, redact: (value) => value },
    roots: () => [folder],
    version: "0.1.0",
    auth: async () => storedSignIn(config, signIn),
    // A user who accepts what is proposed.
    hooks: () => ({
      elicit: (request, aborted) =>
        elicit(
          "suite",
          request,
          async (asked) => asked.map(({ id, options }) => ({ id, selected: [options[0]?.label ?? ""] })),
          aborted,
        ),
    }),
  },
});

const [server] = manager.servers;
const connect = async (): Promise<void> => {
  await manager.enable(server!).catch((error: Error) => console.error(error.message));
};
const browser = async (): Promise<void> => {
  const scope = server!.neededScope;
  await signInTo(config, signIn, { signal, patienceMs: 20_000, scope, open: (address) => void fetch(address) });
};
const callAll = async (): Promise<void> => {
  for (const tool of manager.tools()) {
    const args = tool.ofServer.tool === "add_numbers" ? { a: 2, b: 3 } : {};
    const context = { signal, onOutput: () => {} } as unknown as ToolContext;
    await Promise.resolve(tool.execute(args, context)).catch((error: Error) => console.error(error.message));
  }
};
await connect();
for (let attempts = 0; attempts < 3; attempts++) {
  if (server!.state.kind === "signed-out") {
    await browser();
    await connect();
  }
  await callAll();
  if (server!.state.kind !== "signed-out") break;
}
await manager.close();
await env.cleanup();
process.exit(server!.state.kind === "failed" ? 1 : 0);
