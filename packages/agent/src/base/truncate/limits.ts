// How much of a tool's output the model sees: what the tool declares, unless the session's configuration overrides it.

/** Which part of a long output is kept. */
export type TruncationMode = "head_tail" | "tail" | "head";

/** How much of an output the model sees. */
export interface OutputLimit {
  readonly chars: number;
  readonly mode: TruncationMode;
  /** No line limit if absent. */
  readonly lines?: number | undefined;
}

const DEFAULT: OutputLimit = { chars: 30_000, mode: "head_tail" };

/** Limits by tool name that override what the tools declare. */
export interface LimitOverrides {
  readonly toolOutputLimits: Readonly<Record<string, number>>;
  readonly toolLineLimits: Readonly<Record<string, number>>;
  readonly toolOutputModes: Readonly<Record<string, TruncationMode>>;
}

/** The limit for a tool: what it declares, unless overridden. */
export function outputLimit(
  tool: { readonly name: string; readonly output?: OutputLimit | undefined },
  overrides: Partial<LimitOverrides> = {},
): OutputLimit {
  const { chars, mode, lines } = tool.output ?? DEFAULT;
  const lineLimit = ownValue(overrides.toolLineLimits, tool.name) ?? lines;
  return {
    chars: ownValue(overrides.toolOutputLimits, tool.name) ?? chars,
    mode: ownValue(overrides.toolOutputModes, tool.name) ?? mode,
    ...(lineLimit === undefined ? {} : { lines: lineLimit }),
  };
}

/** The name comes from the model and must not reach inherited properties. */
function ownValue<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table && Object.hasOwn(table, name) ? table[name] : undefined;
}
