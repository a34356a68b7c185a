// Converts call ids of any vendor to the alphabet that Anthropic and Bedrock accept. A pure function of the id, so a
// call and its result still match wherever they are in the history.

import { callIdOf } from "../common/ids.ts";

const accepted = /^[a-zA-Z0-9_-]{1,64}$/;

export function safeToolId(id: string): string {
  if (accepted.test(id)) return id;
  const call = callIdOf(id);
  if (accepted.test(call)) return call;
  return `${call.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 48)}_${checksum(call)}`;
}

function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
