// The parts of a module after types were removed and imports became calls of `require`, read from the parse of
// esbuild's output. Its form is checked, so that a new version of esbuild that writes it differently causes an error
// and not a broken command.
import { parseCode, walk } from "./parse.mjs";

/**
 * - `imports`: specifiers by the local name of the import
 * - `uses`: where such a name is used, as `{ start, end, local }`
 * - `later`: each `import()` of a literal, as `{ start, end, specifier }`
 * - `exported`: own exports as `{ name, value, isFunction }`, re-exports as `{ name, local, member }`
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

/** `module.exports = __toCommonJS(…)`: esbuild generates everything before it. */
function isExportsStatement({ type, expression }) {
  return (
    type === "ExpressionStatement" &&
    expression.type === "AssignmentExpression" &&
    expression.right.type === "CallExpression" &&
    expression.right.callee.name === "__toCommonJS"
  );
}

/** `0 && (module.exports = …)`: esbuild lists the export names for node's loader. */
function isAnnotation({ type, expression }) {
  return type === "ExpressionStatement" && expression.type === "LogicalExpression" && expression.left.value === 0;
}

/** `var local = require("specifier")`, possibly inside `__toESM`, or the call alone if only types were imported. */
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
      // Only names of whole modules are chosen by the file itself; an inner scope may use such a name for something
      // else.
      if (!(parent?.type === "MemberExpression" && parent.object === node))
        throw new Error(`${path}: ${node.name} is used as a value, or something else has that name.`);
      uses.push({ start: node.start, end: node.end, local: node.name });
    });
  }
  return { uses, later };
}

/** A name after a dot, or before a colon as the name of a member. */
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
