import { expect, it } from "vitest";
import { makesLinks } from "./links.ts";

it.each([
  [{ TERM: "xterm-256color" }, "", true],
  [{ TERM: "tmux-256color", TMUX: "x", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.3a" }, "", false],
  [{ TERM: "tmux-256color", TMUX: "x", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.4" }, "", true],
  [{ TERM: "screen-256color", TMUX: "x" }, "tmux 3.5", true],
  [{ TERM: "screen-256color", TMUX: "x" }, "", false],
  [{ TERM: "screen" }, "", false],
  [{ TERM: "vt100" }, "", false],
  [{ TERM: "linux" }, "", false],
] as const)("addresses are links only where a click can follow them: %j %s", (env, name, makes) => {
  expect(makesLinks(env, name)).toBe(makes);
});
