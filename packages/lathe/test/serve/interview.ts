// An interview as a model script: it asks each question, then proposes a specification until it is accepted.

import { type RecordedRequest, turn } from "@lathe/testkit";

export const WISH = "/skill:deep-interview a wall";
export const SPEC = ["## Goal", "", "A wall of **stone**.", "", "- 2 m high", "- 9 m long"];

export const interviewOf =
  (questions: readonly string[]) =>
  ({ view: { messages } }: RecordedRequest) => {
    const said = messages.flatMap(({ text, results }) => [text, ...results.map((one) => one.text)]).join("\n");
    if (/accepted the specification/.test(said)) return turn.text("It is **written**.");
    if (/rejected the specification/.test(said)) return turn.text("Stopped.");
    const question = questions[said.match(/The user answered:/g)?.length ?? 0];
    const args =
      question === undefined
        ? { op: "spec", title: "A wall", text: [...SPEC, ...(said.match(/wants changes: .*/g) ?? [])].join("\n") }
        : { op: "ask", question, options: [{ label: "red" }, { label: "blue", description: "like the sea" }] };
    return turn.calls([{ name: "interview", args: args as never }]);
  };
