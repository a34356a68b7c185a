// Rules that the model was given because it began to break them. Each is given once per branch.

import type { SessionLog } from "./facades.ts";

export function rulesInjected(core: SessionLog, names: readonly string[]): void {
  const { id } = core.append({ type: "ttsr_injection", injectedRules: names });
  core.emit("ttsr_triggered", { rules: names, entry_id: id });
}
