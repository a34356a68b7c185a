// Decides which file a unit goes into. The start pack holds what a plain run uses before its first request, the answer
// pack what it uses from then to its end, the rest pack what it may use as well. What a run with skills, commands,
// rules and servers uses in addition is the files pack, with its own rest. Every other place that loads code later has
// one pack with everything that start and rest lack; packages that several of them need are separate packs, so that
// each is installed once.
import { createHash } from "node:crypto";
import { basename, isAbsolute } from "node:path";

/**
 * Packs as `{ name, code, keys }`, the start pack first.
 * @param runtimeFor the code that runs units, given the packs to search for missing units, and the pack to load for a
 * unit that comes later
 * @param used ids of units that a `plain` start uses, one with `files`, and a plain run once it is `answered`; all
 * units if absent
 */
export async function makePacks(units, startEntries, runtimeFor, used) {
  const loadedLater = [...new Set([...units.values()].flatMap((unit) => unit.later))].sort();
  const isUsed = (key) => used === undefined || used.plain.has(units.get(key).id);
  // What a plain run loads later but still before its first request belongs to the start.
  const start = closure(units, [...startEntries, ...(used ? loadedLater.filter(isUsed) : [])]);
  const unused = [...start].filter((key) => !isUsed(key));
  const isForAnswer = (key) => used?.answered.has(units.get(key).id) ?? false;
  const packs = [
    ["answer", unused.filter(isForAnswer)],
    ["rest", unused.filter((key) => !isForAnswer(key))],
  ].map(([stem, keys]) => pack(stem, keys, inPack(units, keys)));
  const fallbacks = packs.map(({ name }) => name);
  const entries = {};
  const later = loadedLater.filter((key) => !start.has(key));
  const isForFiles = (key) => used?.files.has(units.get(key).id) ?? false;
  const withFiles = later.filter(isForFiles);
  if (withFiles.length > 0) {
    const all = [...closure(units, withFiles)].filter((key) => !start.has(key));
    const first = [...all, ...unused].filter(isForFiles);
    const others = all.filter((key) => !isForFiles(key));
    const made = pack("files", first, inPack(units, first));
    const madeRest = pack("files-rest", others, inPack(units, others));
    packs.push(made, madeRest);
    fallbacks.push(madeRest.name);
    for (const key of withFiles) entries[units.get(key).id] = made.name;
  }
  const missingFor = new Map(
    later
      .filter((key) => !isForFiles(key))
      .map((key) => [key, [...closure(units, [key])].filter((one) => !start.has(one))]),
  );
  const shared = packagesOfSeveral([...missingFor.values()]);
  for (const key of shared) {
    const made = pack(key.replaceAll("/", "-"), [key], inPack(units, [key]));
    packs.push(made);
    entries[units.get(key).id] = made.name;
  }
  for (const [key, reached] of missingFor) {
    const missing = reached.filter((one) => one === key || !shared.has(one));
    const made = pack(basename(key).replace(/\.\w+$/, ""), missing, inPack(units, missing));
    if (!packs.some(({ name }) => name === made.name)) packs.push(made);
    entries[units.get(key).id] = made.name;
  }
  const keys = [...start].filter(isUsed);
  const runtime = `function(module,require){${await runtimeFor(fallbacks, entries)}}`;
  return [pack("start", keys, `[${runtime},${inPack(units, keys)}]`), ...packs];
}

/** Packages are identified by name, source files by path. */
function packagesOfSeveral(lists) {
  const counts = new Map();
  for (const key of lists.flat()) if (!isAbsolute(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > 1).map(([key]) => key));
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

/** Returns a unit by its id: of hundreds, a start creates only those it asks for. */
function inPack(units, keys) {
  const members = [...keys].map((key) => units.get(key)).sort((a, b) => a.id - b.id);
  return `(function(id){switch(id){\n${members.map(({ id, code }) => `case ${id}:return ${code}`).join(";\n")}}})`;
}

// V8 recognizes a stale cache only by the length of the source, so every name contains a hash of the content.
function pack(stem, keys, code) {
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 8);
  return { name: `${stem}-${hash}.js`, code, keys: [...keys] };
}
