// What lists show of a message, read from the beginning of its line: parsing a whole line costs more than everything
// else a list does.

/** Longer than most prompts and answers; a longer message is parsed. */
const HEAD_BYTES = 512;
/** Text that is kept as a blob is not in the line. */
const TEXT = '"(?!blob:)((?:[^"\\\\\\x00-\\x1f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-f]{4}))*)"';
const MESSAGE = new RegExp(
  `^\\{"type":"message","id":"[^"]*","parentId":(?:null|"[^"]*"),"timestamp":"([^"\\\\]*)",(?:"summary":${TEXT},)?"message":\\{"role":"(?:(tool)"|(user|assistant)","content":\\[\\{"kind":"` +
    `(?:text","text":${TEXT}\\}\\]\\},"(?:~"|origin":"(?:input|steering|follow_up)","~"|provider")|tool_call","toolCall":\\{"id":"[^"\\\\]*","name":${TEXT},))`,
);
const SUMMARY = Buffer.from('"summary":');
const PART = Buffer.from('"kind":');

/** What a list shows of a user message, an answer or a tool result. */
export interface Glimpse {
  readonly role: "user" | "assistant" | "tool";
  readonly timestamp: string;
  /** The text, the tool that is called, or the summary of a tool result. */
  readonly text: string;
  readonly isCall: boolean;
}

/** Undefined if the beginning of the line is not enough. */
export function glimpseOf(line: Buffer): Glimpse | undefined {
  const found = MESSAGE.exec(line.toString("utf8", 0, HEAD_BYTES));
  if (!found) return undefined;
  const timestamp = found[1]!;
  const said = found[5];
  if (said !== undefined)
    return { role: found[4] as "user" | "assistant", timestamp, text: textIn(said), isCall: false };
  const called = found[6];
  if (called === undefined) {
    const summary = found[2];
    if (summary === undefined && line.includes(SUMMARY)) return undefined;
    return { role: "tool", timestamp, text: textIn(summary ?? ""), isCall: false };
  }
  // There may be more parts (calls or text) after the first.
  if (line.indexOf(PART) !== line.lastIndexOf(PART)) return undefined;
  return { role: "assistant", timestamp, text: `[${textIn(called)}]`, isCall: true };
}

const textIn = (json: string): string => (json.includes("\\") ? JSON.parse(`"${json}"`) : json);
