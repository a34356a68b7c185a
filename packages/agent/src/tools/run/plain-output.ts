// What a program printed, as text to read: without colours and cursor movements, and without the states of a progress line that
// were printed over. A model would pay for them, and some providers refuse a zero byte. People who watch get the raw output.

const COMMANDS = new RegExp(
  [
    String.raw`\x1b\[[0-?]*[ -/]*(?:[@-~]|$)`,
    String.raw`\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)`,
    String.raw`\x1b[ -/]+[0-~]`,
    String.raw`\x1b[0-~]`,
  ].join("|"),
  "g",
);
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** A line printed over less often may be text with odd line ends. */
const FEWEST_STATES = 4;

/** What a command printed, as text: without colours and cursor moves, and of a line that was printed over the last state. */
export function plainOutput(output: string): string {
  if (!/[\x00-\x08\x0b-\x1f\x7f]/.test(output)) return output;
  const text = output.replace(COMMANDS, "").replace(CONTROLS, "");
  if (!/\r(?!\n)/.test(text)) return text;
  return text.split("\n").map(lastState).join("\n");
}

function lastState(line: string): string {
  const ending = line.endsWith("\r") ? "\r" : "";
  const states = line
    .slice(0, line.length - ending.length)
    .split("\r")
    .filter((state) => state.trim() !== "");
  if (states.length < FEWEST_STATES) return line;
  return `${states.at(-1)} [${states.length - 1} earlier states of this line omitted]${ending}`;
}
