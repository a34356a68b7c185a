// Reads, writes and lists a thousand files at once; started with a low limit of open files. Prints how many came back.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "../src/world/env/local.ts";

const root = mkdtempSync(join(tmpdir(), "lathe-many-"));
const env = new LocalEnvironment({ cwd: root, baseEnv: {} });
const names = Array.from({ length: 1000 }, (_, n) => `d${n % 10}/f${n}`);
await Promise.all(names.map((name) => env.writeFile(name, name)));
const [texts, parts, lists] = await Promise.all([
  Promise.all(names.map((name) => env.readFile(name))),
  Promise.all(names.map((name) => env.readBytes(name, { start: 0, end: 2 }))),
  Promise.all(names.map(() => env.listDirectory(".", 1))),
]);
console.log(texts.filter((text, n) => text === names[n]).length, parts.length, lists.length);
rmSync(root, { recursive: true });
