// A host that takes over a view, to be killed in the middle. Argument: the store.

import { takeOver } from "../../src/files/isolate/view-folder.ts";

console.log(takeOver(process.argv[2] ?? "", "run"));
