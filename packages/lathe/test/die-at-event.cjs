// Loaded into the command by NODE_OPTIONS: sends SIGKILL to its own process at the DIE_LINE-th line that it writes to an event journal of a
// coordinator: before it, or with DIE_MOMENT=after behind it, or with DIE_MOMENT=torn in its middle.

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const { DIE_LINE, DIE_MOMENT } = process.env;
const { writeSync } = fs;
let lines = 0;

const die = () => {
  process.kill(process.pid, "SIGKILL");
  // The signal may take a moment; nothing more may be written.
  for (;;);
};
/** What is written at once may be several lines: a kill comes between them as well. */
fs.writeSync = (fd, data, ...rest) => {
  const text = Buffer.from(data).toString("utf8");
  if (!text.startsWith('{"schema_version":')) return writeSync(fd, data, ...rest);
  const count = text.split("\n").length - 1;
  const isIt = lines < Number(DIE_LINE) && lines + count >= Number(DIE_LINE);
  if (!isIt) {
    lines += count;
    return writeSync(fd, data, ...rest);
  }
  const whole = text.split("\n").slice(0, Number(DIE_LINE) - lines);
  const last = whole.pop();
  const part = DIE_MOMENT === "after" ? `${last}\n` : DIE_MOMENT === "torn" ? last.slice(0, last.length / 2) : "";
  const written = Buffer.from(whole.map((line) => `${line}\n`).join("") + part);
  const [offset = 0, , position = null] = rest;
  if (written.length > 0) writeSync(fd, written, offset, written.length, position);
  die();
};
syncBuiltinESMExports();
