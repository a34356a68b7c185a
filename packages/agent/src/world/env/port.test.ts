// The relay in each of its forms, and the errors of a connection that breaks.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocalEnvironment } from "./local.ts";
import { connectByRelay } from "./port.ts";

let folder: string;
let server: Server;
let serve: (socket: Socket) => void;
const environments: LocalEnvironment[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-port-"));
  server = createServer({ allowHalfOpen: true }, (socket) => serve(socket.on("error", () => {})));
});
afterEach(async () => {
  server.close();
  for (const environment of environments.splice(0)) await environment.cleanup();
  rmSync(folder, { recursive: true, force: true });
});

const listen = async (host: string): Promise<number> => {
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

/** Commands find only these programs. */
function withPrograms(...names: string[]): LocalEnvironment {
  for (const name of ["sh", ...names]) symlinkSync(realProgram(name), join(folder, name));
  const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: folder } });
  environments.push(env);
  return env;
}

/** A name on PATH may be a script that selects a version. */
const realProgram = (name: string): string => {
  if (name === "python3") return execFileSync("python3", ["-c", "import sys; print(sys.executable)"]).toString().trim();
  return name === "node"
    ? process.execPath
    : execFileSync("sh", ["-c", `command -v ${name}`])
        .toString()
        .trim();
};

const RELAYS = [["perl"], ["node"], ["python3"], ["busybox", "cat", "grep"], ["nc", "cat", "grep"]];

describe.each(RELAYS.map((programs) => [programs[0]!, programs] as const))("with nothing but %s", (name, programs) => {
  const environment = () => {
    if (name !== "nc") return withPrograms(...programs);
    symlinkSync(realProgram("busybox"), join(folder, "nc"));
    return withPrograms("cat", "grep");
  };

  it.each(["127.0.0.1", "::1"])("EE-01 bytes go both ways over %s, each side's end is passed on", async (host) => {
    serve = (socket) => socket.pipe(socket);
    const connection = await connectByRelay(environment(), await listen(host));
    const bytes = Buffer.alloc(3 << 20, "0123456789\0\xff", "latin1");
    connection.end(bytes);
    expect(Buffer.compare(Buffer.concat(await connection.toArray()), bytes)).toBe(0);

    serve = (socket) => socket.end("bye").resume();
    const theirs = await connectByRelay(environments[0]!, (server.address() as AddressInfo).port);
    expect((await theirs.toArray()).join("")).toBe("bye");
  });

  it("EE-01 a port without a listener is refused", async () => {
    const port = await listen("127.0.0.1");
    server.close();
    await expect(connectByRelay(environment(), port)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`Port ${port} cannot be reached: nothing listens there`),
    });
  });
});

it("EE-01 without any relay program, the programs that would do are named", async () => {
  await expect(connectByRelay(withPrograms(), 80)).rejects.toMatchObject({
    code: "unavailable",
    message: "Port 80 cannot be reached: this needs perl, node, python3 or busybox's nc there. Install one of them.",
  });
});

it.each(["directly", "perl", "node", "python3"])("EE-01 a connection that breaks says so once (%s)", async (way) => {
  let theirs: Socket | undefined;
  serve = (socket) => {
    theirs = socket;
    socket.write("begun");
  };
  const port = await listen("127.0.0.1");
  const env = way === "directly" ? withPrograms() : withPrograms(way);
  const connection: Duplex = way === "directly" ? await env.connect(port) : await connectByRelay(env, port);
  const errors: Error[] = [];
  connection.on("error", (error) => errors.push(error));
  expect(String((await once(connection, "data"))[0])).toBe("begun");
  theirs!.resetAndDestroy();
  await new Promise((resolve) => connection.once("close", resolve));
  expect(errors).toHaveLength(1);
});
