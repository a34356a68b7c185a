// How much of each tool's output the model sees, unless the session's configuration says otherwise.

export type TruncationMode = "head_tail" | "tail" | "head";

export interface OutputLimit {
  readonly chars: number;
  readonly mode: TruncationMode;
  /** No line limit when absent. */
  readonly lines?: number;
}

const OTHER: OutputLimit = { chars: 30_000, mode: "head_tail" };

const TABLE: Readonly<Record<string, OutputLimit>> = {
  read_file: { chars: 50_000, mode: "head_tail" },
  read_many_files: { chars: 50_000, mode: "head_tail" },
  shell: { chars: 30_000, mode: "head_tail", lines: 256 },
  grep: { chars: 20_000, mode: "tail", lines: 200 },
  glob: { chars: 20_000, mode: "tail", lines: 500 },
  list_dir: { chars: 20_000, mode: "tail", lines: 500 },
  edit_file: { chars: 10_000, mode: "tail" },
  apply_patch: { chars: 10_000, mode: "tail" },
  write_file: { chars: 1_000, mode: "tail" },
  spawn_agent: { chars: 20_000, mode: "head_tail" },
  wait: { chars: 20_000, mode: "head_tail" },
};

export interface LimitOverrides {
  readonly toolOutputLimits: Readonly<Record<string, number>>;
  readonly toolLineLimits: Readonly<Record<string, number>>;
  readonly toolOutputModes: Readonly<Record<string, TruncationMode>>;
}

export function outputLimit(tool: string, overrides?: Partial<LimitOverrides>): OutputLimit {
  const base = Object.hasOwn(TABLE, tool) ? TABLE[tool]! : OTHER;
  const lines = overrides?.toolLineLimits?.[tool] ?? base.lines;
  return {
    chars: overrides?.toolOutputLimits?.[tool] ?? base.chars,
    mode: overrides?.toolOutputModes?.[tool] ?? base.mode,
    ...(lines === undefined ? {} : { lines }),
  };
}
