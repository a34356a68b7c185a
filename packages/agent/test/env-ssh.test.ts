// The conformance suite with a real sshd on loopback, started here with its own keys and configuration.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync, utimesSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SshEnvironment, type SshOptions } from "../src/world/env/ssh.ts";
import { isAlive, until } from "./alive.ts";
import { environmentConformance } from "./env-conformance.ts";
import { has } from "./programs.ts";
import { freePort, type Sshd, startSshd } from "./sshd.ts";
import { bundleOf } from "./support/bundle.ts";

describe.skipIf(!has("sshd", "ssh", "ssh-keygen"))("EE-04 ssh (needs sshd)", () => {
  let server: Sshd;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "s-")));
  const before = process.env["TMPDIR"];
  beforeAll(async () => {
    // Other tests connect as well; only what is in here is ours.
    process.env["TMPDIR"] = folder;
    server = await startSshd();
  });
  afterAll(() => {
    server?.stop();
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(folder, { recursive: true, force: true });
  });
  const options = (cwd: string): SshOptions => server.options(cwd);

  environmentConformance(
    async () => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-ssh-tree-")));
      const env = new SshEnvironment(options(root));
      return {
        env,
        setMtime: async (path, seconds) => utimesSync(env.resolve(path), seconds, seconds),
        dispose: async () => rmSync(root, { recursive: true, force: true }),
      };
    },
    { commands: true, far: true },
  );

  it("EE-01 one identity for each machine and directory", () => {
    const there = new SshEnvironment(options("/")).identity;
    expect(new SshEnvironment(options("/")).identity).toBe(there);
    expect(new SshEnvironment(options("/tmp")).identity).not.toBe(there);
    expect(new SshEnvironment({ ...options("/"), host: "localhost" }).identity).not.toBe(there);
  });

  it("EE-01 a port is reached where sshd forbids forwarding", async () => {
    const strict = await startSshd("AllowTcpForwarding no");
    const env = new SshEnvironment(strict.options("/"));
    const listener = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const connection = await env.connect((listener.address() as AddressInfo).port);
    expect((await connection.toArray()).join("")).toBe("reached");
    listener.close();
    await env.cleanup();
    strict.stop();
  });

  it("EE-04 the control socket lies in a private directory that is gone after cleanup", async () => {
    const own = () => readdirSync(tmpdir()).filter((name) => /^lathe-ssh-(?!tree)/.test(name));
    const before = own();
    const env = new SshEnvironment(options("/"));
    await env.initialize();
    const [mine] = own().filter((name) => !before.includes(name));
    expect(statSync(join(tmpdir(), mine!)).mode & 0o777).toBe(0o700);
    expect(env.osVersion()).toMatch(/^Linux \d/);
    await env.cleanup();
    expect(own()).not.toContain(mine);
  });

  it("EE-04 a host that does not answer is an error that names it", async () => {
    const closed = { ...options("/"), sshArgs: ["-F", "none", "-p", String(await freePort())] };
    const named = { code: "unavailable", message: expect.stringContaining("ssh 127.0.0.1") };
    await expect(new SshEnvironment(closed).initialize()).rejects.toMatchObject(named);
    await expect(new SshEnvironment(closed).startProcess(["cat"])).rejects.toMatchObject(named);
  });

  it("EE-04 a host that comes up later is reached by the next call, and nothing is left of the first try", async () => {
    const sshArgs = [...options("/").sshArgs!];
    sshArgs[3] = String(await freePort());
    const env = new SshEnvironment({ ...options("/"), sshArgs });
    const own = () => readdirSync(tmpdir()).filter((name) => /^lathe-ssh-(?!tree)/.test(name));
    const before = own();
    await expect(env.initialize()).rejects.toMatchObject({ code: "unavailable" });
    expect(own()).toEqual(before);
    sshArgs[3] = server.options("/").sshArgs![3]!;
    await env.initialize();
    expect(env.osVersion()).toMatch(/^Linux \d/);
    await env.cleanup();
  });

  it("EE-04 EH-03 what runs over there ends when the host dies by SIGKILL", async () => {
    const args = [await bundleOf("./remote-kill-host.ts", import.meta.url), JSON.stringify({ ssh: options("/") })];
    const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let pids = "";
    host.stdout.on("data", (chunk: Buffer) => {
      pids += chunk.toString();
    });
    await until(() => pids.split("\n").length === 4);
    const running = pids.trim().split("\n").map(Number);
    expect(running.map(isAlive)).toEqual([true, true, true]);
    host.kill("SIGKILL");
    await until(() => !running.some(isAlive));
  });
});
