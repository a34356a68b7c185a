// The coordinator uses stdin and stdout, the conformance suite HTTP: this adapter passes messages between them, on
// loopback. Each `initialize` starts a separate server with an empty environment.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const SESSION = "mcp-session-id";

export async function startAdapter(cli) {
  const cwd = mkdtempSync(join(tmpdir(), "lathe-conformance-"));
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const id = message.method === "initialize" ? randomUUID() : request.headers[SESSION];
    if (message.method === "initialize") sessions.set(id, new Pipe(cli, cwd));
    const pipe = sessions.get(id);
    if (!pipe) return void response.writeHead(404).end();
    const reply = await pipe.send(message);
    if (reply === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json", [SESSION]: id }).end(JSON.stringify(reply));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await Promise.all([...sessions.values()].map((pipe) => pipe.close()));
    rmSync(cwd, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, close };
}

/** One server; requests are matched to answers by id. */
class Pipe {
  #child;
  #waiting = new Map();

  constructor(cli, cwd) {
    const env = { PATH: process.env.PATH, HOME: cwd };
    this.#child = spawn(process.execPath, [cli, "mcp-serve", "coordinator"], { cwd, env });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  /** Undefined for messages without an answer. */
  send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    if (message.id === undefined || message.method === undefined) return undefined;
    return new Promise((resolve) => this.#waiting.set(message.id, resolve));
  }

  async close() {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await once(this.#child, "close");
  }
}
