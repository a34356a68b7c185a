// How a server's tools are called in the model's list: `mcp__server__tool`. Vendors take 64 characters and few signs.

const LONGEST = 64;
export const PREFIX = "mcp__";

export const toolName = (server: string, tool: string): string => fitName(`${PREFIX}${server}__${tool}`);
/** The same for a slash command. */
export const promptName = (server: string, prompt: string): string => `${PREFIX}${plain(server)}__${plain(prompt)}`;

const plain = (name: string): string => name.replace(/[^\w-]/g, "_");

/** What is cut or replaced is told apart by a hash of the whole. */
function fitName(name: string): string {
  const allowed = plain(name);
  if (allowed === name && name.length <= LONGEST) return name;
  return `${allowed.slice(0, LONGEST - 9)}_${shortHash(name)}`;
}

/** FNV-1a: names are no secrets, and a start should not load node:crypto for them. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
