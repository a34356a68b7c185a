// Child of the bench of formats: reads one member of an archive, as a session does it, and says how much memory that took.

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { CallPaths } from "../src/contract/paths/call-paths.ts";
import { zipFormat } from "../src/files/formats/archive/index.ts";
import { Parser } from "../src/files/parser/parser.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";

const [path = "", inner = ""] = process.argv.slice(2);
const env = new LocalEnvironment({ cwd: dirname(path), baseEnv: {} });
const { signal } = new AbortController();
const parser = new Parser();
const scope = { env, signal, paths: new CallPaths(env, signal), services: { vision: false, parser } };
const { size } = statSync(path);
const content = await zipFormat.read(
  { path, real: path, size, bytes: (range) => env.readBytes(path, range), scope },
  { inner, separator: ":" },
);
await parser.close();
if (content.kind !== "text") throw new Error(`no text but ${content.kind}`);
process.stdout.write(String(process.resourceUsage().maxRSS));
