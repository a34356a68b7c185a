// Connections to ports where commands run: directly on this machine, and through a relay program elsewhere.

import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { addAbortSignal, Duplex } from "node:stream";
import type { Clock } from "../process/clock.ts";
import type { Processes } from "../process/processes.ts";
import type { OpenRequest } from "../process/requests.ts";
import { PORT_RELAY } from "./port-relay.ts";
import { type ConnectOptions, EnvError, type ExecutionEnvironment, type TwoWayProcess } from "./types.ts";

const LOOPBACK = ["127.0.0.1", "::1"];
const PATIENCE_MS = 20_000;
/** The program on the other side may read as slowly as it likes. */
const NO_DEADLINE_MS = Number.POSITIVE_INFINITY;
/** Limit on what a login may print before our own line. */
const MOST_NOISE = 1 << 20;

/** The connections that an environment has opened on this machine; they close when it ends. */
export class LocalPorts {
  readonly #sockets = new Set<Socket>();

  async connect(port: number, { signal }: ConnectOptions = {}): Promise<Duplex> {
    checkPort(port);
    let cause: unknown;
    for (const host of LOOPBACK) {
      if (signal?.aborted) throw cancelledError(port);
      const socket = this.#open(host, port);
      try {
        await once(socket, "connect", signal ? { signal } : {});
        socket.setTimeout(0);
        return signal ? addAbortSignal(signal, socket) : socket;
      } catch (error) {
        socket.destroy();
        if (signal?.aborted || error instanceof EnvError) throw signal?.aborted ? cancelledError(port) : error;
        cause ??= error;
      }
    }
    throw refusedError(port, cause);
  }

  end(): void {
    for (const socket of this.#sockets)
      socket.destroy(socket.connecting ? cancelledError(socket.remotePort) : undefined);
  }

  #open(host: string, port: number): Socket {
    const socket = createConnection({ host, port, timeout: PATIENCE_MS });
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.once("timeout", () => socket.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)));
    return ignoreUnheardErrors(socket);
  }
}

/** For an environment whose commands have a separate network. */
export async function connectByRelay(
  env: Pick<ExecutionEnvironment, "startProcess">,
  port: number,
  { signal }: ConnectOptions = {},
): Promise<Duplex> {
  checkPort(port);
  if (signal?.aborted) throw cancelledError(port);
  if (!env.startProcess)
    throw new EnvError("unavailable", `Port ${port} cannot be reached: this environment starts no programs.`);
  const relay = await env.startProcess(["sh", "-c", PORT_RELAY, "lathe", String(port)], {
    cwd: "/",
    signal,
    writeTimeoutMs: NO_DEADLINE_MS,
  });
  const { answer, rest } = await firstAnswer(relay);
  if (answer === "open") return openStream(relay, port, signal, rest);
  const { exitCode } = await relay.stop(0);
  if (signal?.aborted) throw cancelledError(port);
  if (answer === "refused") throw refusedError(port);
  const reason = answer === "missing" ? "" : relay.readStderr().text.trim() || `exit code ${exitCode}`;
  throw new EnvError(
    "unavailable",
    answer === "missing"
      ? `Port ${port} cannot be reached: this needs perl, node, python3 or busybox's nc there. Install one of them.`
      : `Port ${port} cannot be reached: ${reason}.`,
  );
}

/** A local program that leads to a port elsewhere; it prints `opened` to stderr once it is connected. */
interface Forwarding extends Pick<OpenRequest, "argv" | "cwd" | "env"> {
  readonly opened: string;
}

/** Undefined if the program ends without a connection. */
export async function connectByForwarding(
  processes: Processes,
  { opened, ...program }: Forwarding,
  port: number,
  { signal, clock }: ConnectOptions & { readonly clock: Clock },
): Promise<Duplex | undefined> {
  checkPort(port);
  if (signal?.aborted) throw cancelledError(port);
  let said: string | undefined = "";
  let noteOpened = () => {};
  const isOpen = new Promise<true>((resolve) => {
    noteOpened = () => resolve(true);
  });
  const relay = await processes.open({
    ...program,
    signal,
    writeTimeoutMs: NO_DEADLINE_MS,
    onStderr: (text) => {
      if (said === undefined) return;
      said += text;
      if (!said.includes(opened)) return;
      said = undefined;
      noteOpened();
    },
  });
  const cancelDeadline = clock.after(PATIENCE_MS, () => void relay.stop(0));
  const hasOpened = await Promise.race([isOpen, relay.exited.then(() => false)]);
  cancelDeadline();
  if (hasOpened) return openStream(relay, port, signal);
  if (signal?.aborted) throw cancelledError(port);
  return undefined;
}

/** A connection made of a program's input and output. The program ends when the other side closes. */
function openStream(relay: TwoWayProcess, port: number, signal: AbortSignal | undefined, rest?: Uint8Array): Duplex {
  const stream = ignoreUnheardErrors(new RelayStream(relay, port));
  if (rest && rest.length > 0) stream.push(rest);
  return signal ? addAbortSignal(signal, stream) : stream;
}

class RelayStream extends Duplex {
  readonly #relay: TwoWayProcess;
  readonly #output: AsyncIterator<Uint8Array>;
  readonly #port: number;
  #hasExited = false;

  constructor(relay: TwoWayProcess, port: number) {
    super({ allowHalfOpen: false });
    this.#relay = relay;
    this.#output = relay.stdout[Symbol.asyncIterator]();
    this.#port = port;
    relay.exited.then(({ stopped }) => {
      this.#hasExited = true;
      // The environment ended it, and there may be no reader.
      if (stopped) this.destroy();
    });
  }

  override async _read(): Promise<void> {
    try {
      const next = await this.#output.next();
      if (next.done !== true) {
        this.push(next.value);
        return;
      }
      void this.#relay.endInput();
      const { exitCode, stopped } = await this.#relay.exited;
      if (exitCode === 0) this.push(null);
      else if (!stopped) this.destroy(this.#brokenError());
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  override _write(chunk: Uint8Array, _encoding: unknown, done: (error?: Error) => void): void {
    this.#relay.write(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#relay.endInput().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const ended = this.#hasExited ? Promise.resolve() : this.#relay.stop(0);
    ended.then(
      () => done(error),
      (failed: Error) => done(error ?? failed),
    );
  }

  #brokenError(): EnvError {
    const said = this.#relay.readStderr().text.trim().split("\n").at(-1);
    return new EnvError("closed", `The connection to port ${this.#port} broke${said ? `: ${said}` : ""}.`);
  }
}

/** The relay's first line, and the bytes after it. */
async function firstAnswer(relay: TwoWayProcess): Promise<{ answer?: string; rest?: Uint8Array }> {
  let seen = Buffer.alloc(0);
  for await (const chunk of relay.stdout) {
    seen = Buffer.concat([seen, chunk]);
    const end = seen.indexOf(10);
    if (end !== -1) return { answer: seen.toString("latin1", 0, end), rest: seen.subarray(end + 1) };
    if (seen.length > MOST_NOISE) break;
  }
  return {};
}

/** A caller without an error handler sees the stream end; an unhandled error must not end the host. */
function ignoreUnheardErrors<Stream extends Duplex>(stream: Stream): Stream {
  return stream.on("error", () => {});
}

function checkPort(port: number): void {
  if (Number.isInteger(port) && port > 0 && port < 65_536) return;
  throw new EnvError("unavailable", `Not a port: ${port}. Ports are whole numbers from 1 to 65535.`);
}

function refusedError(port: number, cause?: unknown): EnvError {
  const isRefused = cause === undefined || (cause as NodeJS.ErrnoException).code === "ECONNREFUSED";
  const why = isRefused ? "nothing listens there" : cause instanceof Error ? cause.message : String(cause);
  return new EnvError("unavailable", `Port ${port} cannot be reached: ${why}. Start the program that listens on it.`, {
    cause,
  });
}

const cancelledError = (port: number | undefined): EnvError =>
  new EnvError("closed", `No connection to port ${port ?? "unknown"} was made: the call was cancelled.`);
