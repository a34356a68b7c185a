// dist/cli.js: answers --version at once, and otherwise runs the command from its packs. Node compiles this file again
// on every start, so it only loads the start pack; the rest of the launcher is in there (runtime.ts) and is compiled
// once per machine.

import { codeCaches } from "./code-caches.ts";
import { loadScript } from "./load-script.ts";
import type { StartPack } from "./runtime.ts";

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-v")) {
  process.stdout.write(`${LATHE_VERSION}\n`);
} else {
  // A subcommand has its own caches: loading the compiled code of everything a run uses would slow it down.
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
