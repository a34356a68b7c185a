// A host with a daemon, a two-way process and a command on the far side of ssh, waiting to be killed. Prints their pids.

import { SshEnvironment, type SshOptions } from "../src/world/env/ssh.ts";
import { byteLines } from "../src/world/process/byte-lines.ts";

const { ssh } = JSON.parse(process.argv[2]!) as { ssh: SshOptions };
const env = new SshEnvironment({ ...ssh, baseEnv: process.env });
const daemon = await env.execCommand("setsid sleep 300 >/dev/null 2>&1 & echo $!", 20_000);
const server = await env.startProcess(["sh", "-c", "echo $$; trap '' HUP; cat; exec sleep 300"]);
const line = await byteLines(server.stdout).next();
env.startCommand("echo $$; exec sleep 300", {
  onOutput: (chunk) => process.stdout.write(`${chunk}${daemon.stdout}${line.value}\n`),
});
setInterval(() => {}, 1 << 30);
