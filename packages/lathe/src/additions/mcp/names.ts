// The names of a server's tools in the model's list: `mcp__server__tool`. Vendors allow 64 characters, and few besides
// letters and digits.

const LONGEST = 64;
export const PREFIX = "mcp__";

export const toolName = (server: string, tool: string): string => fitName(`${PREFIX}${server}__${tool}`);
/** The name of a prompt's slash command. */
export const promptName = (server: string, prompt: string): string => `${PREFIX}${plain(server)}__${plain(prompt)}`;

const plain = (name: string): string => name.replace(/[^\w-]/g, "_");

/** A hash of the whole name keeps shortened or replaced names distinct. */
function fitName(name: string): string {
  const allowed = plain(name);
  if (allowed === name && name.length <= LONGEST) return name;
  return `${allowed.slice(0, LONGEST - 9)}_${shortHash(name)}`;
}

/** FNV-1a: names are not secrets, and a start should not load node:crypto for them. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
