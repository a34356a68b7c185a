// Loaded into the command by NODE_OPTIONS: holds it at one exact change of a file, so that a signal reaches it there. The first change that
// matches PAUSE_AT creates the file PAUSED and waits until it is gone; a process that is killed meanwhile changes nothing more.

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const { existsSync, writeFileSync } = fs;
const { PAUSE_AT, PAUSED } = process.env;
const wanted = new RegExp(PAUSE_AT);
const cell = new Int32Array(new SharedArrayBuffer(4));
let isOver = false;

function pause(what) {
  if (isOver || !wanted.test(what)) return;
  isOver = true;
  writeFileSync(PAUSED, "");
  while (existsSync(PAUSED)) Atomics.wait(cell, 0, 0, 10);
}

for (const name of ["renameSync", "unlinkSync", "linkSync", "writeSync"]) {
  const original = fs[name];
  fs[name] = (...args) => {
    pause(name === "writeSync" ? `write ${Buffer.from(args[1])}` : `${name} ${args.join(" ")}`);
    return original(...args);
  };
}
syncBuiltinESMExports();
