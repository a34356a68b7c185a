import { expect, it } from "vitest";
import { bundledAgents } from "./agents.ts";
import { bundledDescriptions } from "./described.ts";

it("SA-05 what a start tells the model of the bundled agents is what their files say", () => {
  const whole = bundledAgents().map(({ name, description }) => ({ name, description }));
  expect(bundledDescriptions()).toEqual(whole);
});
