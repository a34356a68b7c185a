/** One measured claim. Values are ratios inside one run wherever possible: these machines are noisy. */
export interface Bench {
  readonly name: string;
  run(): Promise<BenchResult>;
}

export interface BenchResult {
  readonly value: number;
  readonly unit: string;
  /** The value must not exceed it. */
  readonly budget?: number;
  readonly note?: string;
}
