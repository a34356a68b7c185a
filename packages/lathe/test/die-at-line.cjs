// Loaded into the command by NODE_OPTIONS: sends SIGKILL to its own process at the DIE_LINE-th line that it writes to a journal: before it,
// or with DIE_MOMENT=after behind it. DIE_WHO=parent: to the process that has started it instead; =both: to both. DIE_COUNT names a file
// that gets the number of lines when the process ends by itself.

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const { DIE_LINE, DIE_MOMENT, DIE_COUNT, DIE_WHO = "self" } = process.env;
const { writeSync, writeFileSync } = fs;
/** Later it may be another process. */
const parent = process.ppid;
let lines = 0;

const die = () => {
  if (DIE_WHO !== "self") process.kill(parent, "SIGKILL");
  if (DIE_WHO === "parent") return;
  process.kill(process.pid, "SIGKILL");
  // The signal may take a moment; nothing more may be written.
  for (;;);
};
fs.writeSync = (fd, data, ...rest) => {
  if (!Buffer.from(data).toString("latin1").startsWith('{"type":"')) return writeSync(fd, data, ...rest);
  lines += 1;
  const isIt = lines === Number(DIE_LINE);
  if (isIt && DIE_MOMENT !== "after") die();
  const written = writeSync(fd, data, ...rest);
  if (isIt && DIE_MOMENT === "after") die();
  return written;
};
syncBuiltinESMExports();
if (DIE_COUNT !== undefined) process.once("exit", () => writeFileSync(DIE_COUNT, String(lines)));
