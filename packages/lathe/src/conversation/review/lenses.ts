// The ways to look at a change. Each is given to a reviewer of its own.

import correctness from "./lenses/correctness.md";
import security from "./lenses/security.md";
import simplicity from "./lenses/simplicity.md";
import tests from "./lenses/tests.md";

export interface Lens {
  readonly name: string;
  readonly assignment: string;
}

/** In this order: of findings that are alike the first one's stays. */
export const LENSES: readonly Lens[] = [
  { name: "correctness", assignment: correctness },
  { name: "security", assignment: security },
  { name: "tests", assignment: tests },
  { name: "simplicity", assignment: simplicity },
];
