// The model for the samples: it supports every vendor's protocol, and its answers fit the samples.
import { type ModelServer, type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";

/** Occurs in every plain answer, but in no sample. */
export const ANSWER = "This is the scripted model";

export function startSampleModel(): Promise<ModelServer> {
  return startModelServer({ script: answerTo, cors: true });
}

/** The only bug in the sample project. */
const REPAIR = {
  file_path: "src/invoice.js",
  old_string: "amount > DISCOUNT_FROM",
  new_string: "amount >= DISCOUNT_FROM",
};

function answerTo({ view }: RecordedRequest): Turn {
  const asked = view.messages.findLast(({ role, results }) => role === "user" && results.length === 0)?.text ?? "";
  const last = view.messages.at(-1);
  const isFirst = (last?.results.length ?? 0) === 0;
  if (isFirst && view.tools.includes("weather")) return turn.calls([{ name: "weather", args: { city: "Oslo" } }]);
  if (isFirst && view.tools.includes("greeting"))
    return turn.calls([{ name: "greeting", args: { language: "German" } }]);
  // A subagent reports that it is done.
  if (!isFirst && view.tools.includes("yield")) return turn.calls([{ name: "yield", args: { output: ANSWER } }]);
  const isGreeted = last?.results.some(({ text }) => text.includes("Guten Tag!")) === true;
  if ((isFirst || isGreeted) && asked.includes("hello.txt"))
    return turn.calls([{ name: "write_file", args: { file_path: "hello.txt", content: "Hello!\n" } }]);
  if (isFirst && view.tools.includes("edit_file") && /fix the failing test|make the parser accept comments/.test(asked))
    return turn.calls([{ name: "edit_file", args: REPAIR }]);
  if (asked.includes("list the public functions")) return turn.text('{"functions": [{"name": "total"}]}');
  return turn.text(`${ANSWER}. The flaky test waits for a port; I changed nothing.`);
}

/** The environment of a user with keys. */
export function keysFor(server: ModelServer): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: "sample-key",
    ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
    OPENAI_API_KEY: "sample-key",
    OPENAI_BASE_URL: server.baseUrl("openai"),
    GEMINI_API_KEY: "sample-key",
    GEMINI_BASE_URL: server.baseUrl("gemini"),
  };
}
