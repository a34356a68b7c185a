// A `lathe serve` inside the test, and raw requests to it as attackers and programs make them, without the
// normalization of fetch.

import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { PassThrough } from "node:stream";
import type { Scope } from "../../src/doors/door/door.ts";
import { LatheClient } from "../../src/doors/serve/client.ts";
import { type ServeOptions, type ServingChildren, serveChildren } from "../../src/doors/serve/serve-children.ts";
import { signInLink } from "../../src/doors/serve/sign-in-link.ts";
import { Run } from "../../src/hosts/run.ts";
import { CLI, type Sandbox } from "../command.ts";
import { machineOf, Text } from "../machine.ts";

export interface Answered {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** The code of a refusal. */
  readonly code: string | undefined;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server, and its operator's output. */
export interface Serving {
  readonly server: ServingChildren;
  readonly stderr: Text;
  ask(path: string, asking?: Asking): Promise<Answered>;
  token(name: string, ...scopes: readonly Scope[]): Promise<string>;
  client(name: string, ...scopes: readonly Scope[]): Promise<LatheClient>;
  /** Returns the code of a new link. */
  code(): Promise<string>;
}

export async function serve(
  box: Sandbox,
  env: Readonly<Record<string, string>> = {},
  options: Partial<ServeOptions> = {},
): Promise<Serving> {
  const stderr = new Text();
  const machine = machineOf({ cwd: box.dir, env: { ...box.env, ...env } }, new PassThrough(), new Text(), stderr);
  const run = new Run(machine);
  const workspace = run.open({});
  const server = await serveChildren({
    machine: options.machine ?? machine,
    version: "0",
    host: "127.0.0.1",
    port: 0,
    roots: [box.dir],
    idleMs: 600_000,
    workspace: () => workspace,
    command: [process.execPath, CLI],
    ...options,
  });
  const token: Serving["token"] = async (name, ...scopes) =>
    (await server.tokens.add({ name, scopes, lastsMs: 600_000 })).token;
  return {
    server,
    stderr,
    ask: (path, asking) => ask(server.url, path, asking),
    token,
    client: async (name, ...scopes) => new LatheClient({ url: server.url, token: await token(name, ...scopes) }),
    code: async () => (await signInLink(server.url, server.tokens)).split("#code=")[1] ?? "",
  };
}

export function ask(url: string, path: string, { method = "GET", headers = {}, body }: Asking = {}): Promise<Answered> {
  const { hostname, port, protocol } = new URL(url);
  const send = protocol === "https:" ? secureRequest : request;
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const options = { hostname, port, path, method, agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const asked = send({ ...options, headers: { ...json, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, code: codeIn(text) }),
      );
      response.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

function codeIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { code?: string }).code;
  } catch {
    return undefined; // a page or a stream
  }
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
