// `npm start`: at a terminal the command itself; without one, the practice run on the sample project.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";

await buildIfStale();
const cli = fileURLToPath(new URL("../packages/lathe/dist/cli.js", import.meta.url));
const args = process.argv.slice(2);
const chosen = args.length > 0 ? args : process.stdin.isTTY && process.stdout.isTTY ? [] : ["demo"];
process.exit(spawnSync(process.execPath, [cli, ...chosen], { stdio: "inherit" }).status ?? 1);
