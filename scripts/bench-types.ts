/** One measured claim. Values are ratios inside one run wherever possible: these machines are noisy. */
export interface Bench {
  readonly name: string;
  run(): Promise<BenchResult>;
}

export interface BenchResult {
  readonly value: number;
  readonly unit: string;
  /** The value must not exceed this. */
  readonly budget?: number;
  readonly note?: string;
}

/** How many times as long ours takes. */
export function ratio(
  ours: number,
  other: number,
  { budget, unit }: { readonly budget: number; readonly unit: "ms" | "us" },
): BenchResult {
  const format = (time: number): string => `${time.toFixed(1)} ${unit}`;
  return { value: ours / other, unit: "x", budget, note: `${format(ours)} against ${format(other)}` };
}
