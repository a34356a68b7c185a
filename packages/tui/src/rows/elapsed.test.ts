import { expect, it } from "vitest";
import { elapsedTime } from "./elapsed.ts";

it("time is told in words that change once a second at most", () => {
  expect([0, 999, 42_500, 185_000, 7_800_000, 97_200_000, -5].map(elapsedTime)).toEqual([
    "0s",
    "0s",
    "42s",
    "3m 05s",
    "2h 10m",
    "1d 3h",
    "0s",
  ]);
});
