// Loaded into the children of a server by --require: a file `.die` in the folder of the session says at which lines of its journal processes
// die: the first number is for the first process, and so on.

const { readFileSync, writeFileSync } = require("node:fs");

let told = [];
try {
  told = readFileSync(".die", "utf8").split(" ").filter(Boolean);
} catch {
  // This one lives.
}
const [line, ...others] = told;
if (line !== undefined) {
  writeFileSync(".die", others.join(" "));
  process.env.DIE_LINE = line;
  require("../die-at-line.cjs");
}
