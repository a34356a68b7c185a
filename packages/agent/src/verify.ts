// @lathe/agent/verify: verified work: checks, what they rest on, and the verdict (docs/verify.md).

export { deltaChanges, treeOf } from "./verify/delta-changes.ts";
export { type LandingCheck, landingCheck } from "./verify/landing-check.ts";
export { matchAny, type RestsOn, restsOn } from "./verify/rests-on.ts";
export { TreeWatch, type WatchOptions, type WorkBase, type WorkNow } from "./verify/tree-watch.ts";
export type * from "./verify/types.ts";
export { coverage, endText, shortList, verify } from "./verify/verify.ts";
