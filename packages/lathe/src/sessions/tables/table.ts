// Formats rows as aligned columns; the last column is not padded.

export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  let text = "";
  for (const row of rows) {
    let line = "";
    row.forEach((cell, i) => {
      line += i === row.length - 1 ? cell : `${cell.padEnd(widths[i] ?? 0)}  `;
    });
    text += `${line.trimEnd()}\n`;
  }
  return text;
}
