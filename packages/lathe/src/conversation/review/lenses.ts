// The aspects under which a change is reviewed. Each gets its own reviewer.

import correctness from "./lenses/correctness.md";
import security from "./lenses/security.md";
import simplicity from "./lenses/simplicity.md";
import tests from "./lenses/tests.md";

export interface Lens {
  readonly name: string;
  readonly assignment: string;
}

/** The order matters: of equal findings, the first lens's is kept. */
export const LENSES: readonly Lens[] = [
  { name: "correctness", assignment: correctness },
  { name: "security", assignment: security },
  { name: "tests", assignment: tests },
  { name: "simplicity", assignment: simplicity },
];
