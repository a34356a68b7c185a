// Connections to ports, the same in every environment: what a debugger or a browser's inspector needs from them.

import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import { beforeAll, expect, it } from "vitest";
import type { ExecutionEnvironment } from "../src/world/env/types.ts";
import { until } from "./alive.ts";
import { checkGate } from "./gate-conformance.ts";
import { freePort } from "./sshd.ts";

/**
 * Listens on three ports: the first echoes what it gets and ends when we do, the second says `bye` and ends by itself,
 * the third serves a page.
 */
const SERVER = `
if command -v node >/dev/null; then exec node -e '
  const { createServer } = require("net");
  const listen = (port, serve) => createServer({ allowHalfOpen: true }, (socket) => serve(socket.on("error", () => {}))).listen(Number(port), "127.0.0.1");
  listen(process.argv[1], (socket) => socket.pipe(socket));
  listen(process.argv[2], (socket) => socket.end("bye"));
  listen(process.argv[3], (socket) => socket.once("data", () => socket.end("HTTP/1.0 200 OK\\r\\n\\r\\nown")));
' "$1" "$2" "$3"; fi
nc -ll -p "$1" -e cat &
nc -ll -p "$3" -e sh -c 'while read -r line && [ \${#line} -gt 1 ]; do :; done; printf "HTTP/1.0 200 OK\\r\\n\\r\\nown"' &
exec nc -ll -p "$2" -e printf bye`;

/** `many`: how many connections are open at once. */
export function portConformance(environment: () => ExecutionEnvironment, many: number): void {
  let [echo, bye, page] = [0, 0, 0];
  const serve = async (): Promise<void> => {
    [echo, bye, page] = [await freePort(), await freePort(), await freePort()];
    await environment().startProcess!(["sh", "-c", SERVER, "test", String(echo), String(bye), String(page)]);
    for (const port of [echo, bye, page]) {
      await until(() =>
        environment()
          .connect(port)
          .then((connection) => connection.destroy().destroyed)
          .catch(() => false),
      );
    }
    await until(async () => (await connections(echo)) === 0);
  };
  /** How many connections the far side has to that port. */
  const connections = async (port: number): Promise<number> => {
    const hex = port.toString(16).toUpperCase().padStart(4, "0");
    const command = `cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -c ":${hex} [0-9A-F]*:[0-9A-F]* 01 "`;
    return Number((await environment().execCommand(command, 20_000)).stdout);
  };
  beforeAll(serve, 60_000);

  it("EE-01 five megabytes go both ways through a slow reader as they are, without filling memory", async () => {
    const connection = await environment().connect(echo);
    const told = listen(connection);
    const bytes = Buffer.from(new Uint8Array(5 << 20).map((_, i) => (i * 31 + (i >> 8)) % 256));
    const writing = writeAll(connection, bytes);
    const chunks: Buffer[] = [];
    let most = 0;
    for await (const chunk of connection) {
      chunks.push(chunk);
      // Enough time for data on its way to pile up, if it could.
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      most = Math.max(most, connection.readableLength + connection.writableLength);
    }
    await writing;
    expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0);
    expect(most).toBeLessThan(1 << 20);
    await until(() => told.includes("close"));
    expect(told).toEqual(["end", "close"]);
  }, 60_000);

  it("EE-01 a port without a listener is refused and named, and so is what is no port", async () => {
    const port = await freePort();
    await expect(environment().connect(port)).rejects.toMatchObject({
      name: "EnvError",
      code: "unavailable",
      message: expect.stringMatching(new RegExp(`^Port ${port} cannot be reached: nothing listens there`)),
    });
    await expect(environment().connect(70_000)).rejects.toMatchObject({ message: expect.stringContaining("70000") });
  });

  it("EE-01 either side may end it, and its end is reported once", async () => {
    const theirs = await environment().connect(bye);
    const told = listen(theirs);
    expect((await theirs.toArray()).join("")).toBe("bye");
    await until(() => told.includes("close"));
    expect(told).toEqual(["end", "close"]);

    const ours = await environment().connect(echo);
    const heard = listen(ours);
    ours.end("last words");
    expect((await ours.toArray()).join("")).toBe("last words");
    await until(() => heard.includes("close"));
    expect(heard).toEqual(["end", "close"]);

    const torn = await environment().connect(echo);
    const ends = listen(torn);
    await until(async () => (await connections(echo)) > 0);
    torn.destroy();
    await once(torn, "close");
    expect(ends).toEqual(["close"]);
    await until(async () => (await connections(echo)) === 0);
  }, 30_000);

  it("EE-01 through the gate, a page of the session's own server is read by each of its names, another program's is not", async () => {
    await checkGate(environment(), page);
  }, 60_000);

  it("EE-01 an aborted signal gives up connecting, or tears the connection down", async () => {
    const before = environment().connect(echo, { signal: AbortSignal.abort() });
    await expect(before).rejects.toMatchObject({ code: "closed", message: expect.stringContaining(String(echo)) });
    const abort = new AbortController();
    const connection = await environment().connect(echo, { signal: abort.signal });
    const told = listen(connection);
    abort.abort();
    await until(() => told.includes("close"));
    expect(told).toEqual(["AbortError", "close"]);
    await until(async () => (await connections(echo)) === 0);
  }, 30_000);

  it(`EE-01 ${many} connections at once do not mix; cleanup ends them and leaves no process behind`, async () => {
    const opened = await Promise.all(Array.from({ length: many }, () => environment().connect(echo)));
    await Promise.all(
      opened.map(async (connection, number) => {
        connection.write(`I am ${number}`);
        const [answer] = await once(connection, "data");
        expect(String(answer)).toBe(`I am ${number}`);
      }),
    );
    const told = opened.map(listen);
    await environment().cleanup();
    await until(() => told.every((events) => events.includes("close")));
    // The server ends too, and its end may come first.
    expect(told.filter((events) => !/^(?:end,)?close$/.test(events.join()))).toEqual([]);
    await until(() => processesNaming(echo).length === 0);
  }, 120_000);
}

function listen(connection: Duplex): string[] {
  const told: string[] = [];
  connection.on("error", ({ name }: Error) => told.push(name));
  for (const event of ["end", "close"]) connection.on(event, () => told.push(event));
  return told;
}

async function writeAll(connection: Duplex, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += 50_000) {
    if (!connection.write(bytes.subarray(at, at + 50_000))) await once(connection, "drain");
  }
  connection.end();
}

/**
 * Relays and servers have the port among their arguments; processes in sandboxes and containers are visible from here
 * too.
 */
function processesNaming(port: number): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(String(port));
    } catch {
      return false; // it has ended
    }
  });
}
