// A host that works in a view that is kept, to be killed. Arguments: root, store, kind, command.

import { openView } from "../../src/isolate/open-view.ts";
import type { ViewKind } from "../../src/isolate/types.ts";

const [root, store, kind, command] = process.argv.slice(2) as [string, string, ViewKind, string];
const request = { root, store, host: { baseEnv: process.env }, signal: new AbortController().signal };
const view = await openView({ ...request, kind, id: "run", isKept: true });
await view.env.execCommand(command, 60_000);
console.log("ready");
setInterval(() => {}, 1 << 30);
