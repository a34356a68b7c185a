import { expect, it } from "vitest";
import { readAgentFile } from "./agent-file.ts";
import { bundledDescriptions } from "./agent-labels.ts";
import { bundledAgents } from "./agents.ts";

it("SA-05 T-READ-3 read-summarize: false is read from the file", () => {
  const read = (more: object) =>
    readAgentFile("a", { frontmatter: { description: "d", ...more }, body: "Prompt.", folder: "" }, "a.md");
  expect(read({ "read-summarize": false })).toMatchObject({ summarizesReads: false });
  expect(read({})).not.toHaveProperty("summarizesReads");
});

it("SA-05 what a start tells the model of the bundled agents is what their files say", () => {
  const whole = bundledAgents().map(({ name, description }) => ({ name, description }));
  expect(bundledDescriptions()).toEqual(whole);
});
