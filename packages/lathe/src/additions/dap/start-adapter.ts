// Starts an adapter where the program will run, and connects to it over its pipes or its port.

import { ToolFailure } from "@lathe/agent";
import type { ExecutionEnvironment, ProcessExit, TwoWayProcess } from "@lathe/agent/world";
import type { AdapterHandlers, AdapterLink } from "./adapter-link.ts";
import { DapConnection } from "./dap-connection.ts";
import type { FoundAdapter } from "./find-adapter.ts";
import { NodeAdapter } from "./node-adapter.ts";

const LISTENING_MS = 10_000;
const LONGEST_LINE = 300;
/** Keeps programs from prompting, colouring their output or waiting in a pager. */
const QUIET = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive",
};

export interface AdapterStart {
  readonly adapter: FoundAdapter;
  readonly env: ExecutionEnvironment;
  readonly cwd: string;
  /** The port, if an adapter already listens there. */
  readonly port?: number | undefined;
}

export async function startAdapter(
  { adapter: { row, program }, env, cwd, port }: AdapterStart,
  handlers: AdapterHandlers,
): Promise<AdapterLink> {
  if (row.transport === "inspector") return new NodeAdapter(program, env, handlers);
  if (row.listensInProgram && port !== undefined) return connectTo(row.name, port, env, handlers);
  if (env.startProcess === undefined) throw new ToolFailure("Programs cannot be started here.");
  // An adapter that listens on a port shares its output with the program.
  const onStderr = row.transport === "listen" ? (text: string) => handlers.output(text) : undefined;
  const adapter = await env.startProcess([program, ...row.args], { cwd, env: QUIET, onStderr });
  const describeEnd = async (): Promise<string> => describeExit(await adapter.exited, adapter.readStderr().text);
  const stop = async (): Promise<void> => void (await adapter.stop(0));
  if (row.transport === "stdio")
    return new DapConnection(
      { name: row.name, bytes: adapter.stdout, write: (bytes) => adapter.write(bytes), describeEnd, stop },
      handlers,
    );
  const { port: found, read } = await portOf(adapter, handlers);
  const stopAndRead = async (): Promise<void> => {
    await stop();
    await read;
  };
  if (found !== undefined) return connectTo(row.name, found, env, handlers, { describeEnd, stop: stopAndRead });
  await stop();
  throw new ToolFailure(`The debugger ${row.name} did not start: ${await describeEnd()}`);
}

async function connectTo(
  name: string,
  port: number,
  env: ExecutionEnvironment,
  handlers: AdapterHandlers,
  owner: { describeEnd(): Promise<string>; stop(): Promise<void> } = {
    describeEnd: async () => "the connection ended",
    stop: async () => {},
  },
): Promise<AdapterLink> {
  const connection = await env.connect(port);
  return new DapConnection(
    {
      name,
      bytes: connection,
      write: (bytes) =>
        new Promise((resolve, reject) => connection.write(bytes, (error) => (error ? reject(error) : resolve()))),
      describeEnd: owner.describeEnd,
      stop: async () => {
        connection.destroy();
        await owner.stop();
      },
    },
    handlers,
  );
}

/** The port that an adapter prints. Everything it prints afterwards is the program's output. */
async function portOf(
  adapter: TwoWayProcess,
  handlers: AdapterHandlers,
): Promise<{ readonly port: number | undefined; readonly read: Promise<void> }> {
  let noteEnd = (_port: number | undefined): void => {};
  const found = new Promise<number | undefined>((resolve) => {
    noteEnd = resolve;
  });
  const timer = setTimeout(() => noteEnd(undefined), LISTENING_MS);
  const read = (async () => {
    const text = new TextDecoder();
    let said: string | undefined = "";
    for await (const bytes of adapter.stdout) {
      const piece = text.decode(bytes, { stream: true });
      if (said === undefined) {
        handlers.output(piece);
        continue;
      }
      said += piece;
      const [line, port] = /listening at: [^\n]*:(\d+)\s*\n/.exec(said) ?? [];
      if (line === undefined) continue;
      noteEnd(Number(port));
      said = undefined;
    }
    noteEnd(undefined);
  })();
  const port = await found;
  clearTimeout(timer);
  return { port, read };
}

function describeExit({ exitCode, signal }: ProcessExit, stderr: string): string {
  const last = stderr.trim().split("\n").at(-1)?.trim().slice(0, LONGEST_LINE) ?? "";
  const how = signal === undefined ? `it exited with code ${exitCode}` : `it was ended by ${signal}`;
  return last === "" ? how : `${how}: ${last}`;
}
