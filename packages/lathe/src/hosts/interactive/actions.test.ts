import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { APP_ACTIONS, HUB_ACTIONS, LIST_ACTIONS } from "./actions.ts";

it("G-110 the table of the terminal's actions in docs/keys.md is the registry", () => {
  const page = readFileSync(new URL("../../../../../docs/keys.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `app."));
  expect(rows).toEqual(
    [...APP_ACTIONS, ...LIST_ACTIONS, ...HUB_ACTIONS].map(
      ({ id, description, chords }) =>
        `| \`${id}\` | ${description} | ${chords.length === 0 ? "–" : chords.map((chord) => `\`${chord}\``).join(" ")} |`,
    ),
  );
});
