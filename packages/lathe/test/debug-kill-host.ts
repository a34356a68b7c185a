// Debugs programs through our own code, and then waits to be killed. Arguments: the folder, and the programs in it.

import { LocalEnvironment } from "@lathe/agent";
import { bench, PATH } from "./debug-kit.ts";

const [folder = "", ...programs] = process.argv.slice(2);
const owner = `debug-host-${process.pid}`;
const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH, HOME: folder }, owner });
const at = bench(folder, env);
for (const name of programs) {
  await at.say({ action: "launch", program: `${folder}/${name}`, name });
  await at.run({ action: "continue", name, timeoutMs: 1000 });
}
console.log("ready");
