// dist/cli.js: answers --version at once, and otherwise runs the command out of its packs. Compiled again on every start, so it
// only gets the start pack going; everything else of the launcher is in there (runtime.ts), compiled once a machine.

import { codeCaches } from "./code-caches.ts";
import { loadScript } from "./load-script.ts";
import type { StartPack } from "./runtime.ts";

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-v")) {
  process.stdout.write(`${LATHE_VERSION}\n`);
} else {
  // Taking in what a run uses would cost a command time.
  const command = LATHE_COMMANDS.includes(` ${process.argv[2] ?? ""} `) ? `${process.argv[2]}/` : "";
  const { cacheRoot, caches } = codeCaches(command);
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
