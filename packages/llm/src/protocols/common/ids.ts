// Tool call ids across vendors. In our model, a Responses call is `<call_id>|<item_id>`; other vendors' ids have no
// bar. Ids are rewritten only as a pure function of themselves, so that call and result still match.

/** The part that a vendor knows as the call's id. */
export function callIdOf(id: string): string {
  const bar = id.indexOf("|");
  return bar < 0 ? id : id.slice(0, bar);
}

export function itemIdOf(id: string): string | undefined {
  const bar = id.indexOf("|");
  return bar < 0 || bar === id.length - 1 ? undefined : id.slice(bar + 1);
}

/** A vendor's call id with at most `max` characters; a longer one becomes a digest. */
export function boundedCallId(id: string, max: number): string {
  const call = callIdOf(id);
  return call.length <= max ? call : `call_${digest(call)}${digest(`${call}#`)}`;
}

/** Exactly nine alphanumeric characters, always the same for the same id (Mistral). */
export function nineCharId(id: string): string {
  const call = callIdOf(id);
  return /^[a-zA-Z0-9]{9}$/.test(call) ? call : (digest(call) + digest(`${call}#`)).slice(0, 9);
}

/** 64 bits of FNV-1a in base 36, padded: only to tell ids apart, not for secrets. */
function digest(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193) >>> 0;
    high = Math.imul(high ^ (code + index), 0x85ebca6b) >>> 0;
  }
  return (low.toString(36) + high.toString(36)).padEnd(14, "0");
}
