// Small facts that tools keep between calls, as custom entries on the current branch.

import type { JsonValue } from "@lathe/llm";
import type { CustomEntry } from "../contract/journal.ts";
import type { SessionFacts } from "../contract/session-state.ts";
import type { SessionLog } from "./facades.ts";

export class BranchFacts implements SessionFacts {
  readonly #core: SessionLog;
  /** Latest values by kind. Undefined until the first read, and again after the branch changed. */
  #known: Map<string, JsonValue> | undefined;

  constructor(core: SessionLog) {
    this.#core = core;
  }

  read(kind: string): JsonValue | undefined {
    this.#known ??= this.#collect();
    return this.#known.get(kind);
  }

  write(kind: string, value: JsonValue, { isAnnounced = false } = {}): void {
    this.#core.append({ type: "custom", customType: kind, data: value });
    this.#known?.set(kind, value);
    if (isAnnounced) this.#core.emit("fact_changed", { kind, value });
  }

  /** Called when the leaf moved to another branch. */
  forget(): void {
    this.#known = undefined;
  }

  #collect(): Map<string, JsonValue> {
    const { journal } = this.#core;
    const known = new Map<string, JsonValue>();
    for (let id = journal.leaf; id !== null; ) {
      const meta = journal.meta(id);
      if (!meta) break;
      if (meta.type === "custom") {
        const { customType, data } = journal.entry(id) as CustomEntry;
        if (!known.has(customType)) known.set(customType, data);
      }
      id = meta.parentId;
    }
    return known;
  }
}
