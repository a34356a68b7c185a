// Loaded into the command by NODE_OPTIONS: sends SIGKILL to its own process at one exact write, which no timer could hit.
// DIE_BEFORE=<text>: before the first write that holds the text. DIE_WITHIN=<text>: after the first 40 bytes of it.

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const { DIE_BEFORE, DIE_WITHIN } = process.env;
const { writeSync } = fs;

fs.writeSync = (fd, data, ...rest) => {
  const bytes = Buffer.from(data);
  const at = bytes.indexOf(DIE_BEFORE ?? DIE_WITHIN ?? "\0");
  if (at === -1) return writeSync(fd, data, ...rest);
  if (DIE_WITHIN !== undefined) writeSync(fd, bytes.subarray(0, at + 40));
  process.kill(process.pid, "SIGKILL");
  // The signal may take a moment; nothing more may be written.
  for (;;);
};
syncBuiltinESMExports();
