// The process that gets killed: runs the scenario and ends itself at the n-th journal write, or is killed from outside.

import { runScenario } from "./scenario.ts";

const [folder, serverUrl, killAt, moment] = process.argv.slice(2);
let writes = 0;
await runScenario({
  folder: folder!,
  serverUrl: serverUrl!,
  onWrite(now) {
    if (now === "before") writes += 1;
    if (writes === Number(killAt) && now === moment) process.kill(process.pid, "SIGKILL");
  },
});
process.stdout.write(`${writes}\n`);
