// Lines with their numbers, as the read tools show them.

export function numberLines(lines: readonly string[], first: number): string {
  const width = String(first + lines.length - 1).length;
  return lines.map((line, i) => `${String(first + i).padStart(width)} | ${line}`).join("\n");
}
