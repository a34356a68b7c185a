// A model that runs what it is told to: the rest of a line behind `run:` is its command, and everything else is noted.

import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";

export function runsCommands({ view }: RecordedRequest): Turn {
  const last = view.messages.at(-1);
  const [, command] = /run:(.*)/.exec(last?.text ?? "") ?? [];
  return command !== undefined && last?.results.length === 0
    ? turn.calls([{ name: "shell", id: "s", args: { command } }])
    : turn.text("noted");
}
