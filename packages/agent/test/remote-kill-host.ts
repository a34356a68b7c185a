// A host with a command and a daemon on the far side of ssh, waiting to be killed. Prints both pids.

import { SshEnvironment, type SshOptions } from "../src/env/ssh.ts";

const { ssh } = JSON.parse(process.argv[2]!) as { ssh: SshOptions };
const env = new SshEnvironment({ ...ssh, baseEnv: process.env });
const daemon = await env.execCommand("setsid sleep 300 >/dev/null 2>&1 & echo $!", 20_000);
env.startCommand("echo $$; exec sleep 300", {
  onOutput: (chunk) => process.stdout.write(chunk + daemon.stdout),
});
setInterval(() => {}, 1 << 30);
