// dist/cli.js: answers --version at once, and otherwise runs the command out of its packs. Compiled again on every start, so it
// only gets the start pack going; everything else of the launcher is in there (runtime.ts), compiled once a machine.

import { loadScript } from "./load-script.ts";
import type { StartPack } from "./runtime.ts";

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-v")) {
  process.stdout.write(`${LATHE_VERSION}\n`);
} else {
  const { env, version, arch } = process;
  const home = env["LATHE_HOME"] || `${env["HOME"] || process.getBuiltinModule("node:os").homedir()}/.lathe`;
  // A pack's name carries the hash of its content, so a cache never meets another source. A command has caches of its
  // own: it uses little of the start pack, and taking in what a run uses would cost it time.
  const command = LATHE_COMMANDS.includes(` ${process.argv[2] ?? ""} `) ? `${process.argv[2]}/` : "";
  const cacheRoot = `${home}/cache/code/`;
  const caches = `${cacheRoot}${LATHE_VERSION}-${version}-${arch}/${command}`;
  const packs = `${__dirname}/packs/`;
  const start = loadScript(packs + LATHE_START_PACK, `${caches}${LATHE_START_PACK}.bin`);
  const [runtime, units] = start.script.runInThisContext() as StartPack;
  const module = { exports: {} as typeof import("./runtime.ts") };
  runtime(module, require);
  module.exports.runCommand(
    { name: LATHE_START_PACK, units, ...start },
    { packs, cacheRoot, caches, isRun: command === "" },
  );
}
