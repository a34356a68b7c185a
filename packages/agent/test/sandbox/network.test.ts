// Allowed hosts through the proxy of the sandbox, with real servers on loopback.

import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAllowed } from "../../src/world/env/sandbox/proxy.ts";
import { CAN_CONFINE, type Cell, makeCell, NEEDS } from "./cell.ts";

const FETCH = `
import sys, urllib.request
try: print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())
except Exception as e: print(getattr(e, "code", ""), e, getattr(e, "read", lambda: b"")().decode()); sys.exit(1)`;
/** What programs do for HTTPS: a tunnel, and then whatever they like. */
const TUNNEL = `
import socket, sys
s = socket.create_connection(("127.0.0.1", 3128)); s.settimeout(10)
s.sendall(f"CONNECT {sys.argv[1]} HTTP/1.1\\r\\n\\r\\n".encode()); answer = s.recv(4096).decode(); print(answer)
if " 200 " in answer: s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n"); print(s.recv(4096).decode())`;

describe.skipIf(!CAN_CONFINE)(`allowed hosts ${NEEDS}`, () => {
  const servers: Server[] = [];
  const serve = (text: string): Promise<number> => {
    const server = createServer((_, answer) => answer.end(text));
    servers.push(server);
    return new Promise((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    );
  };
  let cell: Cell;
  let [open, closed] = [0, 0];
  beforeAll(async () => {
    [open, closed] = [await serve("OPEN"), await serve("CLOSED")];
    cell = makeCell({ allowedHosts: [`localhost:${open}`] });
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await cell?.dispose();
  });
  /** Not by the direct way that programs use for their own machine. */
  const ask = (script: string, target: string) =>
    cell.run('unset no_proxy NO_PROXY; python3 -c "$SCRIPT" "$TARGET"', { SCRIPT: script, TARGET: target });

  it("G an allowed host is reached by request and by tunnel, any other is not, and the failure says so", async () => {
    expect((await ask(FETCH, `http://localhost:${open}/`)).stdout).toBe("OPEN\n");
    expect((await ask(TUNNEL, `localhost:${open}`)).stdout).toMatch(/ 200 .*OPEN/s);
    const refused = await ask(FETCH, `http://localhost:${closed}/`);
    expect(refused.stdout).toContain("blocked by the sandbox");
    expect(refused.note).toContain(`the network is limited to localhost:${open}`);
    expect((await ask(TUNNEL, `localhost:${closed}`)).stdout).toContain(" 403 ");
    expect((await ask(TUNNEL, `127.0.0.1:${open}`)).stdout).toContain(" 403 ");
    expect((await ask(TUNNEL, "example.org:443")).stdout).toContain(" 403 ");
  });

  it("G no direct way leads past the proxy", async () => {
    const direct = `import socket; socket.create_connection(("127.0.0.1", ${open}), 3)`;
    expect((await cell.python(direct)).exitCode).not.toBe(0);
  });
});

describe("the list of allowed hosts", () => {
  it.each([
    ["example.org", 443, true],
    ["EXAMPLE.org.", 80, true],
    ["example.org", 22, false],
    ["evil-example.org", 443, false],
    ["a.example.org", 443, false],
    ["a.example.net", 443, true],
    ["example.net", 443, false],
    ["evil.example.net.attacker.com", 443, false],
    ["db.local", 5432, true],
    ["db.local", 443, false],
  ])("%s:%d is allowed: %s", (host, port, expected) => {
    expect(isAllowed(host, port, ["example.org", "*.example.net", "db.local:5432"])).toBe(expected);
  });
});
