// A model that runs the command written after `run:` on a line of the prompt, and answers "noted" to everything else.

import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";

export function runsCommands({ view }: RecordedRequest): Turn {
  const last = view.messages.at(-1);
  const [, command] = /run:(.*)/.exec(last?.text ?? "") ?? [];
  return command !== undefined && last?.results.length === 0
    ? turn.calls([{ name: "shell", id: "s", args: { command } }])
    : turn.text("noted");
}
