// A host that works in a view that is kept, to be killed. Arguments: root, store, kind, command, and `land` if it lands
// first.

import { land } from "../../src/files/isolate/land.ts";
import { openView } from "../../src/files/isolate/open-view.ts";
import type { ViewKind } from "../../src/files/isolate/types.ts";

const [root, store, kind, command, then] = process.argv.slice(2) as [string, string, ViewKind, string, string?];
const request = { root, store, host: { baseEnv: process.env }, signal: new AbortController().signal };
const agent = { id: "One", patches: store };
const view = await openView({ ...request, kind, id: "run", isKept: true, ...(then === undefined ? {} : { agent }) });
await view.env.execCommand(command, 60_000);
if (then === "land")
  await land({ ...request, id: "run", deltas: [await view.delta()], mode: "patch", isAllOfView: true });
console.log("ready");
setInterval(() => {}, 1 << 30);
