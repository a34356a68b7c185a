// @lathe/agent/research. Claims, their evidence, and the verdict about each (docs/workflows.md).

export { judgeClaims, readEvidence, readPlanItems } from "./research/ledger.ts";
export * from "./research/types.ts";
