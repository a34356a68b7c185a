// `npm run bench [name…]`: runs packages/*/bench/*.ts, prints one line per claim, and exits with 1 if a budget is
// exceeded.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
await buildIfStale();
const wanted = process.argv.slice(2);

const files = readdirSync(`${root}/packages`)
  .flatMap((pkg) => list(`${root}/packages/${pkg}/bench`))
  .filter((file) => file.endsWith(".bench.ts"))
  .filter((file) => wanted.length === 0 || wanted.some((word) => relative(root, file).includes(word)));

let broken = 0;
for (const file of files) {
  // One process per file, so that the heap of one benchmark does not disturb the next.
  const env = { ...process.env };
  delete env.NODE_EXTRA_CA_CERTS;
  const run = spawnSync(
    process.execPath,
    [
      "--expose-gc",
      "--conditions=lathe-source",
      "--import",
      `${root}/scripts/source-loader.mjs`,
      `${root}/scripts/bench-file.ts`,
      file,
    ],
    { cwd: root, stdio: "inherit", env },
  );
  if (run.status !== 0) broken++;
}
process.exit(broken > 0 ? 1 : 0);

function list(folder) {
  try {
    return readdirSync(folder).map((name) => `${folder}/${name}`);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}
