// A host that starts every kill situation through our own code, as a command and as a two-way process, and then waits
// to be killed. Argument: prefix of the pid files.

import { LocalEnvironment } from "../src/world/env/local.ts";
import { KILL_PRELUDE, KILL_SITUATIONS } from "./kill-situations.ts";

const prefix = process.argv[2]!;
const owner = `host-${process.pid}`;
const env = new LocalEnvironment({ cwd: "/", baseEnv: process.env, owner });
KILL_SITUATIONS.forEach(({ command }, i) => {
  void env.execCommand(KILL_PRELUDE + command, 0, { env: { PIDS: `${prefix}-${i}` } });
  void env.startProcess(["bash", "-c", KILL_PRELUDE + command], { env: { PIDS: `${prefix}-two-way-${i}` } });
});
console.log(owner);
setInterval(() => {}, 1 << 30);
