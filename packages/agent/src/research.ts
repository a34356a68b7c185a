// @lathe/agent/research: claims, their evidence, and the verdict on each (docs/workflows.md).

export { judgeClaims, readEvidence, readPlanItems } from "./research/ledger.ts";
export * from "./research/types.ts";
