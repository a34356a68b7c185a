// The units of the command: one function per source file, text file or package. A unit runs when something of it is first
// used, not when it is imported, so that a start pays for what it does and for nothing else.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, transform } from "esbuild";
import { withDirectExports, withDirectImports } from "./definitions.mjs";

const TARGET = { target: "node20.19", platform: "node" };

/**
 * Every unit that can be reached from an entry file, by key: the file's path or the package's name. `needs` are the keys it
 * may use at any time, `later` those behind an `import()`.
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
    { ...unit, id: ids.get(key), code: await finish(unit, key, ids) },
  ]);
  return new Map(await Promise.all(finished));
}

async function makeUnit(key, options) {
  if (key.endsWith(".md")) return textUnit(key);
  return key.endsWith(".ts") ? sourceUnit(key, options) : packageUnit(key);
}

function textUnit(key) {
  return { code: `module.exports={default:${JSON.stringify(readFileSync(key, "utf8"))}};`, needs: [], later: [] };
}

async function sourceUnit(path, { indexes, external, define }) {
  const source = withDirectExports(withDirectImports(readFileSync(path, "utf8"), path, indexes), path);
  const { code } = await transform(source, { ...TARGET, loader: "ts", format: "cjs", define, sourcefile: path });
  const keyOf = (specifier) => indexes[specifier] ?? keyFor(specifier, path, external);
  const needs = new Set();
  const later = new Set();
  let body = code.slice(code.indexOf("module.exports = __toCommonJS("));
  body = body.slice(body.indexOf("\n") + 1).replace(/\/\/ Annotate the CommonJS[\s\S]*$/, "");
  body = withExports(body, exportsOf(code, path));
  const imports = /^(?:var (\w+) = (?:__toESM\()?)?require\("([^"]+)"\)\)?;\n/gm;
  const used = [];
  body = body.replace(imports, (_, local, specifier) => {
    const key = keyOf(specifier);
    if (local === undefined) return ""; // for its types
    if (key !== undefined) needs.add(key);
    used.push([local, `(__unit(${JSON.stringify(key ?? specifier)}))`]); // in brackets, for the sake of `new`
    return "";
  });
  // Each use asks for the unit anew, so that it runs no sooner.
  for (const [local, unit] of used) {
    const use = new RegExp(`(?<![\\w$])(?<!(?<!\\.\\.)\\.)${local}(?=\\.)`, "g"); // not a property, but after a spread
    body = body.replaceAll(use, () => unit);
    if (local.startsWith("import_") && new RegExp(`\\b${local}\\b`).test(body))
      throw new Error(`${path}: ${local} is used as a value`);
  }
  body = body.replace(/\bimport\("([^"]+)"\)/g, (_, specifier) => {
    const key = keyOf(specifier);
    if (key !== undefined) later.add(key);
    return `__later(${JSON.stringify(key ?? specifier)})`;
  });
  return { code: body, needs: [...needs], later: [...later] };
}

/** The key of what a specifier means; undefined for what node itself has to load. */
function keyFor(specifier, from, external) {
  if (specifier.startsWith("node:") || external.includes(specifier)) return undefined;
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  return specifier;
}

function exportsOf(code, path) {
  const list = /__export\(\w+_exports, \{([\s\S]*?)\n\}\);/.exec(code)?.[1] ?? "";
  return list
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name, value] = /^\s*"?(\w+)"?: \(\) => (.+?),?$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`${path}: an export that the bundler does not understand: ${line}`);
      return { name, value };
    });
}

/**
 * One object with all names from the beginning: properties that are added one by one are slow. Functions are there at once, for
 * units that need each other; the rest when the file has run.
 */
function withExports(body, exported) {
  const isFunction = ({ value }) => new RegExp(`^(?:async )?function\\*? ${value}\\(`, "m").test(body);
  const isPassedOn = ({ value }) => value.startsWith("import_");
  const member = (one) => {
    if (isPassedOn(one)) return `get ${one.name}(){return ${one.value}}`;
    return `${one.name}:${isFunction(one) ? one.value : "void 0"}`;
  };
  const late = exported.filter((one) => !isPassedOn(one) && !isFunction(one));
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
  return { code: `var require=__unit;${outputFiles[0].text}`, needs: [], later: [] };
}

/** A package of ours has its own copy of what is another version elsewhere. */
function folderWith(name) {
  const packages = join(import.meta.dirname, "..", "..", "packages");
  const folder = /^(?:@[^/]+\/)?[^/]+/.exec(name)[0];
  const own = readdirSync(packages).find((one) => existsSync(join(packages, one, "node_modules", folder)));
  return own === undefined ? import.meta.dirname : join(packages, own);
}

/** `__unit("<key>")` becomes `__unit(<id>)`, and the whole a function. */
async function finish({ code }, key, ids) {
  const numbered = code.replace(/\b(__unit|__later)\("([^"]+)"\)/g, (call, name, wanted) =>
    ids.has(wanted) ? `${name}(${ids.get(wanted)})` : call,
  );
  const wrapped = `__made=function(module,__unit,__later,__fileUrl){${numbered}\n}`;
  const { code: small } = await transform(wrapped, { ...TARGET, loader: "js", minify: true, sourcefile: key });
  // The launcher reads packs as latin1. What the bundler has left as it was stands in patterns and templates, where an
  // escape means the same.
  const ascii = small.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return ascii
    .trim()
    .replace(/^__made=/, "")
    .replace(/;$/, "");
}
