// The units of the command: one function per source file, text file or package. A unit runs on the first use of one of
// its names, not on import, so that a start only pays for what it uses.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, transform } from "esbuild";
import { withDirectImports } from "./definitions.mjs";
import { readModule } from "./module.mjs";
import { applyEdits } from "./parse.mjs";

const TARGET = { target: "node20.19", platform: "node" };

/**
 * Every unit reachable from an entry file, by key: the file's path or the package's name. `needs` are the keys it may
 * use at any time, `later` those behind an `import()`.
 */
export async function collectUnits(entry, { indexes, external, define }) {
  const units = new Map();
  const waiting = [entry];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (units.has(key)) continue;
    const unit = await makeUnit(key, { indexes, external, define });
    units.set(key, unit);
    waiting.push(...unit.needs, ...unit.later);
  }
  const ids = new Map([...units.keys()].sort().map((key, id) => [key, id]));
  const finished = [...units].map(async ([key, unit]) => [
    key,
    { id: ids.get(key), needs: unit.needs, later: unit.later, code: await finish(unit, key, ids) },
  ]);
  return new Map(await Promise.all(finished));
}

async function makeUnit(key, options) {
  if (/\.(?:md|py|text)$/.test(key)) return textUnit(key);
  return key.endsWith(".ts") ? sourceUnit(key, options) : packageUnit(key);
}

function textUnit(key) {
  const code = `module.exports={default:${JSON.stringify(readFileSync(key, "utf8"))}};`;
  return { render: () => code, needs: [], later: [] };
}

async function sourceUnit(path, { indexes, external, define }) {
  const source = withDirectImports(readFileSync(path, "utf8"), path, indexes);
  const { code } = await transform(source, { ...TARGET, loader: "ts", format: "cjs", define, sourcefile: path });
  const keyOf = (specifier) => indexes[specifier] ?? keyFor(specifier, path, external);
  const { imports, uses, later, exported, body } = readModule(code, path);
  const callOf = (name, specifier, idOf) => `${name}(${JSON.stringify(idOf(keyOf(specifier)) ?? specifier)})`;
  // Each use asks for the unit again, so that it does not run earlier. The brackets are for uses after `new`.
  const unitOf = (local, idOf) => `(${callOf("__unit", imports.get(local), idOf)})`;
  const keys = (specifiers) => [...new Set(specifiers.map(keyOf))].filter((key) => key !== undefined);
  return {
    needs: keys([...imports.values()]),
    later: keys(later.map(({ specifier }) => specifier)),
    render: (idOf) => {
      const used = uses.map(({ start, end, local }) => ({ start, end, text: unitOf(local, idOf) }));
      const loaded = later.map(({ start, end, specifier }) => ({
        start,
        end,
        text: callOf("__later", specifier, idOf),
      }));
      const passedOn = ({ local, member }) => `${unitOf(local, idOf)}.${member}`;
      return withExports(applyEdits(code, [...body, ...used, ...loaded]), exported, passedOn);
    },
  };
}

/** The key of what a specifier refers to; undefined for what node itself must load. */
function keyFor(specifier, from, external) {
  if (specifier.startsWith("node:") || external.includes(specifier)) return undefined;
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  return specifier;
}

/**
 * One object with all names from the beginning, since adding properties one by one is slow. Functions exist at once,
 * for units that need each other; the rest exists when the file has run.
 */
function withExports(body, exported, passedOn) {
  const member = (one) => {
    if (one.local !== undefined) return `get ${one.name}(){return ${passedOn(one)}}`;
    return `${one.name}:${one.isFunction ? one.value : "void 0"}`;
  };
  const late = exported.filter((one) => one.local === undefined && !one.isFunction);
  const assign = ({ name, value }) => `module.exports.${name}=${value};`;
  return `module.exports={${exported.map(member).join(",")}};\n${body}\n${late.map(assign).join("")}`;
}

/** A package in one piece, as an object of its names and its default. */
async function packageUnit(name) {
  const { outputFiles } = await build({
    ...TARGET,
    stdin: {
      contents: `export * from "${name}"; import * as all from "${name}"; export default all.default;`,
      resolveDir: folderWith(name),
    },
    bundle: true,
    format: "cjs",
    write: false,
    minify: true,
    logLevel: "error",
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  });
  const code = `var require=__unit;${outputFiles[0].text}`;
  return { render: () => code, needs: [], later: [] };
}

/** A package of ours has its own copy of a dependency if another version is used elsewhere. */
function folderWith(name) {
  const packages = join(import.meta.dirname, "..", "..", "packages");
  const folder = /^(?:@[^/]+\/)?[^/]+/.exec(name)[0];
  const own = readdirSync(packages).find((one) => existsSync(join(packages, one, "node_modules", folder)));
  return own === undefined ? import.meta.dirname : join(packages, own);
}

const WRAPPED = "__made=";
const END = ";\n";

/** The unit as a function, minified. */
async function finish({ render }, key, ids) {
  const wrapped = `${WRAPPED}function(module,__unit,__later,__fileUrl){${render((wanted) => ids.get(wanted))}\n}`;
  const { code: small } = await transform(wrapped, { ...TARGET, loader: "js", minify: true, sourcefile: key });
  // The launcher reads packs as latin1, so escape other characters. Those left by the bundler are in patterns and
  // templates, where an escape means the same.
  const ascii = small.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  // Nothing else can be here: esbuild got one assignment and needs no helpers for this target.
  if (!ascii.startsWith(WRAPPED) || !ascii.endsWith(END))
    throw new Error(`${key}: esbuild made more than one statement of it.`);
  return ascii.slice(WRAPPED.length, -END.length);
}
