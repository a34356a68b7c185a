// A host that takes a view over, to be killed in it. Argument: the store.

import { takeOver } from "../../src/files/isolate/view-folder.ts";

console.log(takeOver(process.argv[2] ?? "", "run"));
