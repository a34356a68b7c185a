// Compares expected bytes as a whole. Vitest would compare them one by one, which takes a second for a picture.
import { expect } from "vitest";

expect.addEqualityTesters([
  (a: unknown, b: unknown) =>
    a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor
      ? Buffer.compare(a, b) === 0
      : undefined,
]);
