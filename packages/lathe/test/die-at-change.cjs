// Loaded into the command by NODE_OPTIONS: sends SIGKILL to its own process before the DIE_AT-th change of a file that follows the
// first write of the text DIE_AFTER. Every synchronous call that changes something is one.

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

let left = Number(process.env.DIE_AT);
let isArmed = false;

const names = [
  "writeSync",
  "writeFileSync",
  "renameSync",
  "linkSync",
  "copyFileSync",
  "utimesSync",
  "rmSync",
  "unlinkSync",
  "mkdirSync",
  "rmdirSync",
  "symlinkSync",
  "chmodSync",
];
for (const name of names) {
  const original = fs[name];
  fs[name] = (...args) => {
    if (isArmed && --left === 0) {
      process.kill(process.pid, "SIGKILL");
      // The signal may take a moment; nothing more may be written.
      for (;;);
    }
    if (name === "writeSync" && String(args[1]).includes(process.env.DIE_AFTER)) isArmed = true;
    return original(...args);
  };
}
syncBuiltinESMExports();
