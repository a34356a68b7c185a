// A host that opens a view, changes many files in it and lands them, to be killed in between. Arguments: root, store.

import { land } from "../../src/files/isolate/land.ts";
import { openView } from "../../src/files/isolate/open-view.ts";

const [root, store] = process.argv.slice(2) as [string, string];
const request = { root, store, host: { baseEnv: process.env }, signal: new AbortController().signal };
const view = await openView({ ...request, kind: "overlay", id: "child" });
await view.env.execCommand(
  'for i in $(seq 0 149); do echo new > "f$i.txt"; done; rm old*; mkdir d; echo d > d/d; ln -s f1.txt link; sleep 600 &',
  60_000,
);
const delta = await view.delta();
console.log("landing");
await land({ ...request, id: "child", deltas: [delta], mode: "patch" });
console.log("landed");
setInterval(() => {}, 1 << 30);
