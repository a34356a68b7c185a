// A real sshd on loopback, started with its own keys and configuration.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { SshOptions } from "../src/world/env/ssh.ts";
import { until } from "./alive.ts";
import { program } from "./programs.ts";

export interface Sshd {
  /** Options for an environment that works in this directory, over this server. */
  options(cwd: string): SshOptions;
  stop(): void;
}

/** `more`: further lines of its configuration. */
export async function startSshd(...more: string[]): Promise<Sshd> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-sshd-")));
  for (const key of ["host", "client"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, key)]);
  execFileSync("cp", [join(folder, "client.pub"), join(folder, "authorized")]);
  // sshd needs its privilege separation directory, which a service manager would have created.
  if (userInfo().uid === 0) mkdirSync("/run/sshd", { recursive: true });
  const port = await freePort();
  const config = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${folder}/host`,
    `AuthorizedKeysFile ${folder}/authorized`,
    `PidFile ${folder}/pid`,
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "MaxSessions 100",
    // bash reads ~/.bashrc for each command, and a developer's file may take longer than the command.
    `SetEnv HOME=${folder}`,
    ...more,
  ];
  writeFileSync(join(folder, "config"), `${config.join("\n")}\n`);
  let log = "";
  const server = spawn(program("sshd")!, ["-D", "-e", "-f", join(folder, "config")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  server.stderr!.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  await until(() => {
    if (server.exitCode !== null) throw new Error(`sshd ended: ${log}`);
    return log.includes("Server listening");
  });
  return {
    options: (cwd) => ({
      cwd,
      baseEnv: process.env,
      host: "127.0.0.1",
      sshArgs: [
        ...["-F", "none", "-p", String(port), "-i", join(folder, "client")],
        ...["-o", "StrictHostKeyChecking=no", "-o", `UserKnownHostsFile=${folder}/known`, "-o", "LogLevel=ERROR"],
      ],
    }),
    stop: () => {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
