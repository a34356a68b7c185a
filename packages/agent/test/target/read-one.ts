// Reads one path with the tool `read`, as a session would: judged, then executed. Prints what the model would see.

import { readTool } from "../../src/tools/builtin/read/index.ts";
import { toolBench } from "../call-tool.ts";

const bench = await toolBench();
console.log(await bench.text(readTool, { path: process.argv[2] as string }, async () => {}));
await bench.close();
