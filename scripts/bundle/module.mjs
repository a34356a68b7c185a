// What a source is made of once its types are gone and its imports are calls of `require`: read from the parse of what esbuild gives. Its
// shape is checked, so that another version of esbuild that writes something else is an error and not a broken command.
import { parseCode, walk } from "./parse.mjs";

/**
 * - `imports`: specifiers by the local name that stands for what was imported
 * - `uses`: where such a name stands, as `{ start, end, local }`
 * - `later`: each `import()` of a text, as `{ start, end, specifier }`
 * - `exported`: `{ name, value, isFunction }` of its own, `{ name, local, member }` of what it passes on
 * - `body`: edits that leave the file's own statements
 */
export function readModule(code, path) {
  const { program } = parseCode(`${path}.cjs`, code);
  const statements = program.body;
  const begins = statements.findIndex(isExportsStatement) + 1;
  if (begins === 0) throw new Error(`${path}: the bundler finds no exports in what esbuild made of it.`);
  const own = statements.slice(begins);
  const required = own.flatMap((node) => requireOf(node) ?? []);
  const imports = new Map(
    required.flatMap(({ local, specifier }) => (local === undefined ? [] : [[local, specifier]])),
  );
  const functions = new Set(own.flatMap(({ type, id }) => (type === "FunctionDeclaration" ? [id.name] : [])));
  const { uses, later } = readUses(own, imports, path);
  return {
    imports,
    uses,
    later,
    exported: exportsIn(statements.slice(0, begins), imports, functions, path),
    body: [
      { start: 0, end: statements[begins - 1].end, text: "" },
      ...own
        .filter((node) => requireOf(node) || isAnnotation(node))
        .map(({ start, end }) => ({ start, end, text: "" })),
    ],
  };
}

/** `module.exports = __toCommonJS(…)`: everything before it is esbuild's own. */
function isExportsStatement({ type, expression }) {
  return (
    type === "ExpressionStatement" &&
    expression.type === "AssignmentExpression" &&
    expression.right.type === "CallExpression" &&
    expression.right.callee.name === "__toCommonJS"
  );
}

/** `0 && (module.exports = …)`: esbuild tells node's own loader which names there are. */
function isAnnotation({ type, expression }) {
  return type === "ExpressionStatement" && expression.type === "LogicalExpression" && expression.left.value === 0;
}

/** `var local = require("specifier")`, with `__toESM` around it, or the call alone: then only its types were wanted. */
function requireOf({ type, declarations, expression }) {
  if (type === "ExpressionStatement") return specifierOf(expression) && { specifier: specifierOf(expression) };
  if (type !== "VariableDeclaration" || declarations.length !== 1) return undefined;
  const [{ id, init }] = declarations;
  const call = init?.type === "CallExpression" && init.callee.name === "__toESM" ? init.arguments[0] : init;
  const specifier = call && specifierOf(call);
  return specifier && { local: id.name, specifier };
}

function specifierOf({ type, callee, arguments: [wanted] = [] }) {
  return type === "CallExpression" && callee.name === "require" ? wanted?.value : undefined;
}

function readUses(own, imports, path) {
  const uses = [];
  const later = [];
  for (const statement of own) {
    if (requireOf(statement)) continue;
    walk(statement, (node, parent) => {
      if (node.type === "ImportExpression" && node.source.type === "Literal")
        later.push({ start: node.start, end: node.end, specifier: node.source.value });
      if (node.type !== "Identifier" || !imports.has(node.name) || isPropertyName(node, parent)) return;
      // The only names that a file chooses itself stand for all of a module; another thing may have that name further in.
      if (!(parent?.type === "MemberExpression" && parent.object === node))
        throw new Error(`${path}: ${node.name} is used as a value, or something else has that name.`);
      uses.push({ start: node.start, end: node.end, local: node.name });
    });
  }
  return { uses, later };
}

/** A name after a dot or before a colon, of a member of a class or an object. */
function isPropertyName(node, parent) {
  if (parent === undefined || parent.computed || parent.shorthand) return false;
  if (parent.type === "MemberExpression") return parent.property === node;
  return parent.key === node;
}

/** `__export(names, { name: () => value })`. */
function exportsIn(statements, imports, functions, path) {
  const call = statements
    .map(({ expression }) => expression)
    .find((expression) => expression?.type === "CallExpression" && expression.callee.name === "__export");
  return (call?.arguments[1].properties ?? []).map(({ key, value }) => {
    const name = key.name ?? key.value;
    const { body } = value;
    if (body.type === "Identifier") return { name, value: body.name, isFunction: functions.has(body.name) };
    if (body.type === "MemberExpression" && imports.has(body.object.name) && !body.computed)
      return { name, local: body.object.name, member: body.property.name };
    throw new Error(`${path}: the bundler does not understand the export ${name}.`);
  });
}
