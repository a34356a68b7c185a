// `npm start`: runs the demo on the sample project, with or without a terminal. `npm start -- <arguments>` runs the
// command.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";

await buildIfStale();
const cli = fileURLToPath(new URL("../packages/lathe/dist/cli.js", import.meta.url));
const args = process.argv.slice(2);
const run = spawnSync(process.execPath, [cli, ...(args.length > 0 ? args : ["demo"])], { stdio: "inherit" });
process.exit(run.status ?? 1);
