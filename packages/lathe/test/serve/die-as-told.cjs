// Loaded into the children of a server by NODE_OPTIONS: a file `.die` in the folder of the session says at which line of its journal who
// dies: `4` the session's process, `4s` its server, `4b` both. The first word is for the first process, and so on.

const { readFileSync, writeFileSync } = require("node:fs");

let told = [];
try {
  // The processes that a session starts work in its folder, too.
  if (process.argv.includes("rpc")) told = readFileSync(".die", "utf8").split(" ").filter(Boolean);
} catch {
  // This one lives.
}
const [word, ...others] = told;
if (word !== undefined) {
  writeFileSync(".die", others.join(" "));
  process.env.DIE_LINE = String(Number.parseInt(word, 10));
  process.env.DIE_WHO = { s: "parent", b: "both" }[word.at(-1)] ?? "self";
  require("../die-at-line.cjs");
}
