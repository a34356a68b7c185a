// Moves and versions of a workflow's state (G-105).

import { expect, it } from "vitest";
import { initialState, moveState, readWorkflow, STOPPED, type WorkflowDefinition, workflowFact } from "./workflow.ts";

const FIRST: WorkflowDefinition = {
  ...{ name: "wall", version: 1, arguments: "<wish>", description: "builds", start: "open", ends: ["built"] },
  states: ["open", "built"],
  moves: [{ from: "open", to: "built", needs: "stones" }],
};
const THIRD: WorkflowDefinition = {
  ...FIRST,
  version: 3,
  states: ["asking", "built"],
  start: "asking",
  moves: [{ from: "asking", to: "built", needs: "stones" }],
  upgrades: {
    1: ({ state, data }) => ({ state: state === "open" ? "asking" : state, data }),
    2: ({ state, data }) => ({ state, data: { ...data, stones: 0 } }),
  },
};
const old = { ...initialState(FIRST, { wish: "a wall" }), gate: { key: "c1" } };

it("G-105 a move that the workflow does not have is refused by name, and one from an end says that it has ended", () => {
  const end = moveState(FIRST, old, "built");
  expect(end).toMatchObject({ state: "built", data: { wish: "a wall" } });
  expect(() => moveState(FIRST, old, "asking")).toThrow(
    "The workflow wall cannot go from open to asking: from there it goes to built.",
  );
  expect(() => moveState(FIRST, end, "open")).toThrow("cannot go from built to open: it has ended.");
});

it("G-105 a state of an earlier version is read as the present one has it, with its gate; what has no way is refused", () => {
  const read = readWorkflow(workflowFact(old), { wall: THIRD });
  expect(read).toEqual({ ...old, version: 3, state: "asking", data: { wish: "a wall", stones: 0 } });
  expect(moveState(THIRD, read ?? old, "built")).toMatchObject({ version: 3, state: "built" });
  expect(readWorkflow(workflowFact({ ...old, state: STOPPED }), { wall: THIRD })).toBeUndefined();
  const gap = { ...THIRD, upgrades: { 1: THIRD.upgrades?.[1] as never } };
  for (const [fact, definition, version] of [
    [old, gap, 1],
    [{ ...old, version: 4 }, THIRD, 4],
    [{ ...old, version: "2" as never }, THIRD, 2],
    [{ ...old, version: 0.5 }, THIRD, 0.5],
  ] as const)
    expect(() => readWorkflow(workflowFact(fact), { wall: definition })).toThrow(
      `This session is in version ${version} of the workflow wall; this Lathe knows version 3. Use the Lathe that began it`,
    );
});
