// A git host that answers from a table, and a sandbox whose checkout is on it.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Finished, type Sandbox, sandbox } from "./command.ts";

export interface HostRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = unknown | ((request: HostRequest) => unknown);

/** An answer that is not JSON or not a success. */
export class Plain {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.text = text;
    this.headers = headers;
  }
}

export interface HostServer {
  readonly url: string;
  readonly requests: HostRequest[];
  /** Answers by method and path, with or without the query. */
  readonly answers: Record<string, Answer>;
  close(): Promise<void>;
}

export interface HostOptions {
  /** The path of a Unix socket instead of a port. */
  readonly socket?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

export async function startHost({ socket, tls }: HostOptions = {}): Promise<HostServer> {
  const requests: HostRequest[] = [];
  const answers: Record<string, Answer> = {};
  const listener: RequestListener = (incoming, response) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, url, headers, body };
      requests.push(request);
      const found = answers[`${method} ${url}`] ?? answers[`${method} ${url.split("?")[0]}`];
      const answer = typeof found === "function" ? (found as (asked: HostRequest) => unknown)(request) : found;
      if (answer instanceof Plain) {
        response.writeHead(answer.status, answer.headers);
        return response.end(answer.text);
      }
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      return response.end(JSON.stringify(answer ?? { message: "Not Found" }));
    });
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.listen(socket ?? { port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const port = socket === undefined ? (server.address() as AddressInfo).port : 0;
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    requests,
    answers,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export interface Rig {
  readonly box: Sandbox;
  readonly host: HostServer;
  readonly env: Record<string, string>;
  /** Makes one tool call, through the whole command. */
  call(
    tool: string,
    args: object,
    options?: { env?: Record<string, string>; mode?: string; cwd?: string },
  ): Promise<Finished>;
  git(cwd: string, ...args: readonly string[]): string;
  close(): Promise<void>;
}

/** The checkout in `box.dir` has the remote github.com/octo/app, and a token for it exists. */
export async function rig(given?: Sandbox): Promise<Rig> {
  const box = given ?? (await sandbox());
  const host = await startHost();
  const env = { GITHUB_API_URL: host.url, GITHUB_TOKEN: "token-of-the-test", GIT_CONFIG_NOSYSTEM: "1" };
  const git: Rig["git"] = (cwd, ...args) =>
    execFileSync("git", args, { cwd, encoding: "utf8", env: { ...process.env, ...box.env, ...IDENTITY } }).trim();
  git(box.dir, "init", "-q", "-b", "main");
  git(box.dir, "remote", "add", "origin", "https://github.com/octo/app.git");
  return {
    box,
    host,
    env,
    call: (tool, args, { env: more = {}, mode = "full", cwd } = {}) =>
      box.run(["tool", tool, JSON.stringify(args), "--permission-mode", mode], {
        env: { ...env, ...more },
        ...(cwd === undefined ? {} : { cwd }),
      }),
    git,
    close: async () => {
      await host.close();
      if (!given) await box.remove();
    },
  };
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** A bare repository below the sandbox that git takes for one on github.com. */
export function bareRepo({ git, box }: Rig, path: string): string {
  const folder = join(box.home, "hosted");
  const bare = join(folder, `${path}.git`);
  git(box.home, "init", "-q", "--bare", "-b", "main", bare);
  git(box.home, "config", "--file", join(box.home, ".gitconfig"), `url.${folder}/.insteadOf`, "https://github.com/");
  git(box.home, "config", "--file", join(box.home, ".gitconfig"), "user.name", "Ada");
  git(box.home, "config", "--file", join(box.home, ".gitconfig"), "user.email", "ada@example.org");
  return bare;
}
