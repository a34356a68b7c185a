// Writes the messages of a proposal into one text for the user to edit, and reads them back.

const HEAD = (i: number, count: number): string => `# Commit ${i} of ${count}`;

export function messagesText(messages: readonly string[]): string {
  if (messages.length === 1) return `${messages[0]}\n`;
  return `${messages.map((message, i) => `${HEAD(i + 1, messages.length)}\n${message}`).join("\n\n")}\n`;
}

/** Undefined if a header is missing or a message is empty. */
export function messagesIn(text: string, count: number): readonly string[] | undefined {
  const plain = text.replaceAll("\r\n", "\n");
  if (count === 1) return plain.trim() === "" ? undefined : [plain.trim()];
  const messages: string[] = [];
  let rest = plain;
  for (let i = count; i >= 1; i--) {
    const at = rest.lastIndexOf(`${HEAD(i, count)}\n`);
    if (at < 0 || (at > 0 && rest[at - 1] !== "\n")) return undefined;
    messages.unshift(rest.slice(at + HEAD(i, count).length + 1).trim());
    rest = rest.slice(0, at);
  }
  return rest.trim() !== "" || messages.includes("") ? undefined : messages;
}
