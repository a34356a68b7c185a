// Attempts to reach processes, sockets, terminals and networks outside of the sandbox, and to outlive it.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive, until } from "../alive.ts";
import { has } from "../programs.ts";
import { CAN_CONFINE, type Cell, makeCell, NEEDS } from "./cell.ts";

const CONNECT = `
import socket, sys
name = sys.argv[1]
kind = socket.AF_UNIX if name[0] in "/@" else socket.AF_INET
place = name.replace("@", chr(0)) if kind == socket.AF_UNIX else (name.split(":")[0], int(name.split(":")[1]))
s = socket.socket(kind); s.settimeout(3); s.connect(place); print("CONNECTED")`;

const LISTEN_ABSTRACT = `
import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + "lathe-abstract"); s.listen(); print("up", flush=True); sys.stdin.read()`;

/** Everything that a process which may look into another could open. */
const LOOK_INTO = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for name in os.listdir("/proc"):
    if not name.isdigit() or int(name) in (os.getpid(), os.getppid()): continue
    for part in ("root/etc", "cwd/", "fd/0", "fd/1", "fd/2", "fd/3", "fd/4", "environ", "mem", "ns/mnt", "map_files/"):
        try:
            path = f"/proc/{name}/{part}"
            os.listdir(path) if part.endswith("/") or part == "root/etc" else os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            print("OPENED", path)
        except OSError: pass
    if libc.ptrace(16, int(name), 0, 0) == 0: print("ATTACHED", name)
try: os.kill(int(sys.argv[1]), 9); print("KILLED")
except OSError: pass
if libc.ptrace(16, int(sys.argv[1]), 0, 0) == 0: print("ATTACHED", sys.argv[1])
print("LOOKED")`;

describe.skipIf(!CAN_CONFINE)(`a sandboxed command and processes ${NEEDS}`, () => {
  let cell: Cell;
  const servers: Server[] = [];
  const listen = (place: { path: string } | { host: string; port: number }): Promise<Server> => {
    const server = createServer((socket) => socket.on("error", () => {}).end("HELLO"));
    servers.push(server);
    return new Promise((resolve) => server.listen(place, () => resolve(server)));
  };
  beforeAll(async () => {
    cell = makeCell();
    await cell.env.initialize();
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await cell?.dispose();
  });

  it("G reaches no network: neither servers of this machine nor an address elsewhere, and says so", async () => {
    const { port } = (await listen({ host: "127.0.0.1", port: 0 })).address() as { port: number };
    expect((await cell.python(CONNECT, `127.0.0.1:${port}`)).output).not.toContain("CONNECTED");
    const elsewhere = await cell.python(CONNECT, "192.0.2.1:80");
    expect(elsewhere.output).toContain("Network is unreachable");
    expect(elsewhere.note).toContain("there is no network here");
    expect((await cell.run("tail -n +3 /proc/net/dev | cut -d: -f1")).stdout.trim()).toBe("lo");
  });

  it("G commands of one session reach each other's servers on loopback and see each other's processes", async () => {
    const server = cell.env.startCommand!("exec python3 -m http.server 8123 --bind 127.0.0.1");
    const ask =
      'for i in $(seq 100); do python3 -c "$SCRIPT" 127.0.0.1:8123 2>/dev/null && break; sleep 0.1; done; pgrep -f http.server';
    expect((await cell.run(ask, { SCRIPT: CONNECT })).stdout).toMatch(/^CONNECTED\n\d+/);
    expect(await cell.run("pkill -f 'http[.]server 8123'; echo ended")).toMatchObject({
      exitCode: 0,
      stdout: "ended\n",
    });
    expect(await server.done).toMatchObject({ exitCode: 143 });
  }, 60_000);

  it("G connects to no socket of a process outside: in the home, below /run and /tmp, in the root, by an abstract name", async () => {
    const temp = mkdtempSync("/tmp/lathe-socket-");
    const run = mkdtempSync("/run/lathe-socket-");
    try {
      const places = [
        join(cell.home, "docker.sock"),
        join(cell.root, "agent.sock"),
        join(temp, "tmux"),
        join(run, "bus"),
      ];
      for (const path of places) await listen({ path });
      const abstract = spawn("python3", ["-c", LISTEN_ABSTRACT], { stdio: ["pipe", "pipe", "inherit"] });
      await new Promise((resolve) => abstract.stdout.once("data", resolve));
      for (const name of [...places, "@lathe-abstract"]) {
        const attempt = await cell.python(CONNECT, name);
        expect({ name, connected: attempt.output.includes("CONNECTED") }).toEqual({ name, connected: false });
        expect(execFileSync("python3", ["-c", CONNECT, name]).toString()).toBe("CONNECTED\n");
      }
      abstract.kill();
    } finally {
      for (const path of [temp, run]) rmSync(path, { recursive: true, force: true });
    }
  });

  it.skipIf(!has("ssh-agent", "tmux"))(
    "G signs with no ssh-agent and types into no tmux (needs ssh-agent, tmux)",
    async () => {
      const folder = mkdtempSync(join(cell.home, "agents-"));
      const agent = spawn("ssh-agent", ["-D", "-a", join(folder, "ssh")], { stdio: "ignore" });
      const tmux = ["-S", join(folder, "tmux")];
      execFileSync("tmux", [...tmux, "-f", "/dev/null", "new-session", "-d", "cat"]);
      try {
        await until(() => execFileSync("ls", [folder]).toString().includes("ssh"));
        const variables = { SSH_AUTH_SOCK: join(folder, "ssh"), TMUX: `${join(folder, "tmux")},1,0` };
        const { exitCode, stdout } = await cell.run(
          'echo "$SSH_AUTH_SOCK$TMUX"; ssh-add -l && exit 0; tmux -S "$PLACE" send-keys x && exit 0; exit 9',
          { ...variables, PLACE: join(folder, "tmux") },
        );
        expect({ exitCode, stdout }).toMatchObject({ exitCode: 9, stdout: expect.stringMatching(/^\n/) });
        expect(execFileSync("tmux", [...tmux, "list-sessions"]).toString()).toContain("1 windows");
      } finally {
        execFileSync("tmux", [...tmux, "kill-server"]);
        agent.kill();
        await new Promise((resolve) => agent.once("exit", resolve));
      }
    },
  );

  it("G ends, traces and looks into no process outside, nor those that hold the sandbox", async () => {
    const victim = spawn("sleep", ["1000"]);
    try {
      const { output } = await cell.python(LOOK_INTO, String(victim.pid));
      expect(output).toBe("LOOKED\n");
      await cell.run("kill -9 -1");
      expect(isAlive(victim.pid!)).toBe(true);
      expect((await cell.run("echo works again")).stdout).toBe("works again\n");
    } finally {
      victim.kill();
    }
  });

  it.skipIf(!has("script"))(
    "G types nothing into the terminal that the agent runs in (needs script)",
    () => {
      const inject = `
import fcntl, glob, os
for path in ["/dev/tty", "/dev/console", *glob.glob("/dev/pts/*"), "/proc/1/fd/0"]:
    try:
        fcntl.ioctl(os.open(path, os.O_RDWR | os.O_NOCTTY), 0x5412, b"x"); print("TYPED", path)
    except OSError: pass
print("TRIED")`;
      const host = `node --conditions=lathe-source --import ./scripts/source-loader.mjs packages/agent/test/sandbox/host.ts`;
      const printed = execFileSync("script", ["-qec", `tty; ${host} python3 -c '${inject}'`, "/dev/null"], {
        timeout: 60_000,
      }).toString();
      expect(printed).toContain("/dev/pts/");
      expect(printed).toContain("TRIED");
      expect(printed).not.toContain("TYPED");
    },
    60_000,
  );

  it("G cleanup ends a daemon that has dropped every mark, and so does the death of the agent", async () => {
    const daemon = `env -i setsid sh -c 'ulimit -S -x 7777 2>/dev/null || ulimit -S -w 7777; exec sleep 4242' </dev/null >/dev/null 2>&1 &`;
    const sleeping = (): number => Number(execFileSync("sh", ["-c", "pgrep -cfx 'sleep 4242' || true"]).toString());
    expect(await cell.run(`${daemon} while ! pgrep -fx 'sleep 4242'; do sleep 0.05; done`)).toMatchObject({
      exitCode: 0,
    });
    expect(sleeping()).toBe(1);
    await cell.env.cleanup();
    expect(sleeping()).toBe(0);

    const temp = mkdtempSync(join(tmpdir(), "lathe-left-"));
    const args = [
      "--conditions=lathe-source",
      "--import",
      "./scripts/source-loader.mjs",
      "packages/agent/test/sandbox/host.ts",
    ];
    const host: ChildProcess = spawn(process.execPath, [...args, "sh", "-c", `${daemon} echo up; sleep 1000`], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, SANDBOX_TEMP: temp },
    });
    let said = "";
    host.stdout!.on("data", (chunk) => {
      said += chunk;
    });
    await until(() => said.includes("up") && sleeping() === 1);
    expect(readdirSync(temp)).toHaveLength(1);
    host.kill("SIGKILL");
    await until(() => sleeping() === 0 && readdirSync(temp).length === 0);
    rmSync(temp, { recursive: true });
  }, 60_000);
});
