// Which file a unit goes into. The start pack holds what a plain run uses before its first request, the rest pack what it may
// use as well; every other place where code is loaded later has one pack with all that those two lack.
import { createHash } from "node:crypto";
import { basename } from "node:path";

/**
 * Packs as `{ name, code, keys }`, the start pack and the rest pack first.
 * @param runtimeFor the code that runs units, by the rest pack and by which pack to load for a unit that comes later
 * @param used ids of units that a start uses; all it may use when absent
 */
export async function makePacks(units, startEntries, runtimeFor, used) {
  const start = closure(units, startEntries);
  const isUsed = (key) => used === undefined || used.has(units.get(key).id);
  const unused = [...start].filter((key) => !isUsed(key));
  const rest = pack("rest", unused, inPack(units, unused));
  const packs = [rest];
  const entries = {};
  const later = new Set([...units.values()].flatMap((unit) => unit.later));
  for (const key of [...later].sort()) {
    if (start.has(key)) continue;
    const missing = new Set([...closure(units, [key])].filter((one) => !start.has(one)));
    const made = pack(basename(key).replace(/\.\w+$/, ""), missing, inPack(units, missing));
    if (!packs.some(({ name }) => name === made.name)) packs.push(made);
    entries[units.get(key).id] = made.name;
  }
  const keys = [...start].filter(isUsed);
  const runtime = `function(module,require){${await runtimeFor(rest, entries)}}`;
  return [pack("start", keys, `[${runtime},${inPack(units, keys)}]`), ...packs];
}

function closure(units, entries) {
  const found = new Set();
  const waiting = [...entries];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    waiting.push(...units.get(key).needs);
  }
  return found;
}

/** A function that gives a unit by its id: of hundreds, a start makes those it asks for. */
function inPack(units, keys) {
  const members = [...keys].map((key) => units.get(key)).sort((a, b) => a.id - b.id);
  return `(function(id){switch(id){\n${members.map(({ id, code }) => `case ${id}:return ${code}`).join(";\n")}}})`;
}

// V8 recognises a stale cache by the length of the source alone, so every name carries the hash of its content.
function pack(stem, keys, code) {
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 8);
  return { name: `${stem}-${hash}.js`, code, keys: [...keys] };
}
