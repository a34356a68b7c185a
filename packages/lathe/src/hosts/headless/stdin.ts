// Reads piped input to its end.

import type { Machine } from "../../platform/machine/machine.ts";
import { onSignals } from "../../platform/machine/signals.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import { TIME_IS_UP } from "./outcome.ts";

/**
 * After this time a hint is printed: a program that never closes our stdin would otherwise wait forever without a
 * message.
 */
const SILENCE_MS = 3000;
const HINT = "If there is nothing to read, start it with: < /dev/null";

/** All of stdin if it is piped, nothing at a terminal. A signal or the run's time limit ends the wait. */
export async function readPiped(machine: Machine, maxTimeMs?: number): Promise<Buffer> {
  return machine.isPiped === true ? readAll(machine, maxTimeMs) : Buffer.allocUnsafeSlow(0);
}

async function readAll({ stdin, stderr, deps }: Machine, maxTimeMs: number | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const giveUp = (code: typeof EXIT.interrupted | typeof EXIT.budget, why: string): void => {
    stdin.destroy(new CliError(code, why));
  };
  const signals = onSignals(() => giveUp(EXIT.interrupted, "Interrupted while reading stdin."));
  const timers = [deps.setTimer(() => stderr.write(`lathe: Still reading stdin. ${HINT}\n`), SILENCE_MS)];
  if (maxTimeMs !== undefined)
    timers.push(deps.setTimer(() => giveUp(EXIT.budget, `${TIME_IS_UP} stdin was still open. ${HINT}`), maxTimeMs));
  try {
    for await (const chunk of stdin) {
      timers[0]?.cancel();
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  } finally {
    for (const timer of timers) timer.cancel();
    signals.stopListening();
  }
}
