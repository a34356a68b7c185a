// Everything the product takes from the machine, as one value: made once by the command, and by tests as they like.

import { homedir, hostname } from "node:os";
import { type ClientDeps, defaultDeps, type Transport } from "@lathe/llm";
import { FIRST_REQUEST } from "../launcher/code-cache.ts";

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly userHome: string;
  readonly pid: number;
  readonly host: string;
  readonly deps: ClientDeps;
  /** For requests about credentials, when `deps` is recorded. */
  readonly credentialDeps?: ClientDeps;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export function thisMachine(): Machine {
  return {
    env: process.env,
    cwd: process.cwd(),
    userHome: process.env["HOME"] || homedir(),
    pid: process.pid,
    host: hostname(),
    deps: announcingFirstRequest(defaultDeps()),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  };
}

/** Tells the launcher when the start is over; see its code cache. */
function announcingFirstRequest(deps: ClientDeps): ClientDeps {
  let announced = false;
  const fetch: Transport = (request) => {
    if (!announced) setImmediate(() => (process as NodeJS.EventEmitter).emit(FIRST_REQUEST));
    announced = true;
    return deps.fetch(request);
  };
  return { ...deps, fetch: Object.assign(fetch, deps.fetch) };
}
