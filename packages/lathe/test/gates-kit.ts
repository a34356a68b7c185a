// A model that conducts an interview, shared by the tests of gates and of workflows without a host.

import { type RecordedRequest, turn } from "@lathe/testkit";

export const interview = (args: object) => turn.calls([{ name: "interview", args: args as never }]);
export const COLOURS = [{ label: "red" }, { label: "blue", description: "like the sea" }];
/** Asks for a colour, then proposes a specification until it is accepted. */
export const asksAndProposes = ({ view: { messages } }: RecordedRequest) => {
  const said = messages.flatMap(({ text, results }) => [text, ...results.map((one) => one.text)]);
  const all = said.join("\n");
  if (!/The user answered/.test(all)) return interview({ op: "ask", question: "Which colour?", options: COLOURS });
  if (/accepted the specification/.test(all)) return turn.text("Written.");
  if (/rejected the specification/.test(all)) return turn.text("Rejected.");
  return interview({
    op: "spec",
    title: "A wall",
    text: `## Goal\nA wall. Version ${all.match(/wants changes/g)?.length ?? 0}.`,
  });
};
export const WISH = "/skill:deep-interview a wall";
