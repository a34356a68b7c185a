// Prints one line per sample, with the full output of failures.

export class Report {
  #failed = 0;
  #ran = 0;
  readonly #notRun: string[] = [];

  ok(what: string): void {
    this.#ran++;
    console.log(`ok   ${what}`);
  }

  fail(what: string, why: string): void {
    this.#ran++;
    this.#failed++;
    console.log(`FAIL ${what}\n${why.trimEnd().replace(/^/gm, "     | ")}`);
  }

  notRun(what: string, reason: string): void {
    this.#notRun.push(`${what}: ${reason}`);
  }

  /** @returns whether everything passed */
  end(): boolean {
    for (const one of this.#notRun) console.log(`not run: ${one}`);
    console.log(`${this.#ran} samples run, ${this.#failed} failed, ${this.#notRun.length} not run`);
    return this.#failed === 0;
  }
}
