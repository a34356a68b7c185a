// Attempts to reach processes, sockets, terminals and networks outside of the sandbox, and to outlive it.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive, until } from "../alive.ts";
import { has } from "../programs.ts";
import { bundleOf } from "../support/bundle.ts";
import { CAN_CONFINE, type Cell, makeCell, NEEDS } from "./cell.ts";

/** Runs a program in its own sandbox. */
const host = bundleOf("./host.ts", import.meta.url);

const CONNECT = `
import socket, sys
name = sys.argv[1]
kind = socket.AF_UNIX if name[0] in "/@" else socket.AF_INET
place = name.replace("@", chr(0)) if kind == socket.AF_UNIX else (name.split(":")[0], int(name.split(":")[1]))
s = socket.socket(kind); s.settimeout(3); s.connect(place); print("CONNECTED")`;

/** Listens on each name of a list; "@" marks an abstract one. Other names may be relative to where it is started. */
const LISTEN = `
import json, os, socket, sys
kept = []
for name in json.loads(os.environ["NAMES"]):
    s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + name[1:] if name[0] == "@" else name); s.listen(99); kept.append(s)
print("up", flush=True); sys.stdin.read()`;

const CONNECT_EACH = `
import json, os, socket
def connects(name):
    s = socket.socket(socket.AF_UNIX); s.settimeout(3)
    try: s.connect(chr(0) + name[1:] if name[0] == "@" else name)
    except OSError: return False
    return True
print(json.dumps([name for name in json.loads(os.environ["NAMES"]) if connects(name)]))`;

/** Everything that a process with access to another one could open. */
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
  });

  it("G connects to no socket of a process outside, whatever its name, and none keeps commands from starting", async () => {
    const temp = mkdtempSync("/tmp/lathe-socket-");
    const run = mkdtempSync("/run/lathe-socket-");
    const [real, link] = [join(cell.home, "real"), join(cell.home, "link")];
    mkdirSync(real);
    symlinkSync(real, link);
    symlinkSync(run, join(cell.home, "to-run"));
    const bound = {
      "in the home": join(cell.home, "docker.sock"),
      "in the root": join(cell.root, "agent.sock"),
      "below /tmp": join(temp, "tmux"),
      "below /run": join(run, "bus"),
      "below /run, behind a link": join(cell.home, "to-run/other"),
      "behind a link": join(link, "behind.sock"),
      "in a folder that is hidden": join(cell.home, ".ssh/control"),
      "with a line break in its name": join(cell.home, "two\nlines"),
      "with a name that looks like an abstract one": join(cell.home, "@odd"),
      "relative to the process": "relative.sock",
      "relative, through a folder above": "../above.sock",
      abstract: "@lathe-abstract",
    };
    const places = {
      ...bound,
      "behind a link, by its real path": join(real, "behind.sock"),
      "relative to the process": join(real, "relative.sock"),
      "relative, through a folder above": join(cell.home, "above.sock"),
    };
    const variables = { NAMES: JSON.stringify(Object.values(places)) };
    const listener = spawn("python3", ["-c", LISTEN], {
      cwd: real,
      env: { ...process.env, NAMES: JSON.stringify(Object.values(bound)) },
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      await new Promise((resolve) => listener.stdout.once("data", resolve));
      const inside = await cell.run('python3 -c "$SCRIPT"', { ...variables, SCRIPT: CONNECT_EACH });
      expect(inside).toMatchObject({ exitCode: 0, stdout: "[]\n" });
      const outside = execFileSync("python3", ["-c", CONNECT_EACH], { env: { ...process.env, ...variables } });
      expect(JSON.parse(outside.toString())).toEqual(Object.values(places));
    } finally {
      listener.kill();
      for (const path of [temp, run]) rmSync(path, { recursive: true, force: true });
    }
  });

  it("G a command starts although a socket has gone just before, and writes to no pipe that a process outside reads", async () => {
    const [flag, bwrap, socket] = ["flag", "bwrap", "brief.sock"].map((name) => join(cell.home, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(bwrap, `#!/bin/sh\n[ -e "${flag}" ] && rm "${flag}" "${socket}"\nexec bwrap "$@"\n`, { mode: 0o755 });
    const pipes = [join(cell.home, "a.pipe"), join(cell.root, "b.pipe"), join(cell.home, "real/c.pipe")];
    for (const path of pipes) execFileSync("mkfifo", [path]);
    const readers = pipes.map((path) => spawn("cat", [path], { stdio: ["ignore", "pipe", "ignore"] }));
    const received = readers.map((reader) => once(reader.stdout, "data"));
    const other = makeCell({ cwd: cell.root, roots: () => [cell.root], home: cell.home, bwrap });
    try {
      await listen({ path: socket });
      await other.env.initialize();
      writeFileSync(flag, "");
      expect((await other.run("echo started")).stdout).toBe("started\n");
      expect(existsSync(flag)).toBe(false);
      await other.run('for p in $PIPES; do timeout 5 sh -c "echo bad > $p"; done', { PIPES: pipes.join(" ") });
      for (const path of pipes) writeFileSync(path, "good");
      expect((await Promise.all(received)).map(String)).toEqual(["good", "good", "good"]);
    } finally {
      await other.dispose();
      for (const reader of readers) reader.kill();
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
    async () => {
      const inject = `
import fcntl, glob, os
for path in ["/dev/tty", "/dev/console", *glob.glob("/dev/pts/*"), "/proc/1/fd/0"]:
    try:
        fcntl.ioctl(os.open(path, os.O_RDWR | os.O_NOCTTY), 0x5412, b"x"); print("TYPED", path)
    except OSError: pass
print("TRIED")`;
      const printed = execFileSync("script", ["-qec", `tty; node ${await host} python3 -c '${inject}'`, "/dev/null"], {
        timeout: 180_000,
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
    const agent: ChildProcess = spawn(process.execPath, [await host, "sh", "-c", `${daemon} echo up; sleep 1000`], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, SANDBOX_TEMP: temp },
    });
    let said = "";
    agent.stdout!.on("data", (chunk) => {
      said += chunk;
    });
    await until(() => said.includes("up") && sleeping() === 1);
    expect(readdirSync(temp)).toHaveLength(1);
    agent.kill("SIGKILL");
    await until(() => sleeping() === 0 && readdirSync(temp).length === 0);
    rmSync(temp, { recursive: true });
  });
});
