/**
 * The error in what a program wrote to stderr before it ended, without the stack trace and the banner that Node.js
 * adds.
 */
export function lastErrorLine(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:at |Node\.js v\d|\^+$|[{}]$)/.test(line));
  const said = lines.findLast((line) => /^(?:Uncaught )?\w*(?:Error|Exception)\b.*:/.test(line)) ?? lines.at(-1) ?? "";
  return said.slice(0, 300);
}
