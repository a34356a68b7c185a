// The output of a program as readable text: without colours, cursor movements, and overwritten states of a progress
// line. A model would have to pay for them, and some providers refuse a zero byte. People who watch get the raw output.

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

/** A line that is overwritten less often may be text with unusual line ends. */
const FEWEST_STATES = 4;

/**
 * The output of a command as text: without colours and cursor moves, and with only the last state of an overwritten
 * line.
 */
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
