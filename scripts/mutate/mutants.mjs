// Small wrong changes of a source file. All of them are built into one instrumented text, in which `__m(<number>)`
// tells whether a change is active, so a file is compiled once, and a run chooses its mutant by number.
import { parseSync } from "oxc-parser";

const OTHER_OPERATORS = new Map([
  ["===", ["!=="]],
  ["!==", ["==="]],
  ["<", ["<=", ">="]],
  ["<=", ["<", ">"]],
  [">", [">=", "<="]],
  [">=", [">", "<"]],
  ["-", ["+"]],
  ["*", ["/"]],
]);
const OTHER_METHOD = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["findLast", "find"],
]);

/**
 * `{ start, end, kind, text, line }` of every change; `kind` is "expression" or "statement", `text` the replacement.
 */
export function mutantsOf(file, source) {
  const program = parseSource(file, source);
  const found = [];
  const lineOf = (offset) => source.slice(0, offset).split("\n").length;
  const add = ({ start, end }, text, kind = "expression") =>
    found.push({ start, end, kind, text, line: lineOf(start) });
  const slice = ({ start, end }) => source.slice(start, end);

  visit(program, (node) => {
    switch (node.type) {
      case "IfStatement":
      case "ConditionalExpression":
        add(node.test, "true");
        add(node.test, "false");
        break;
      case "WhileStatement":
        add(node.test, "false");
        break;
      case "BinaryExpression":
        for (const operator of operatorsFor(node)) add(node, `${slice(node.left)} ${operator} ${slice(node.right)}`);
        break;
      case "LogicalExpression":
        if (node.operator === "??") add(node, slice(node.left));
        else add(node, `${slice(node.left)} ${node.operator === "&&" ? "||" : "&&"} ${slice(node.right)}`);
        break;
      case "UnaryExpression":
        if (node.operator === "!") add(node, slice(node.argument));
        break;
      case "Literal":
        if (typeof node.value === "boolean") add(node, String(!node.value));
        break;
      case "CallExpression":
        for (const text of callsFor(node, slice)) add(node, text);
        break;
      case "ExpressionStatement":
        if (!node.directive && node.expression.callee?.type !== "Super") add(node, "", "statement");
        break;
      case "ThrowStatement":
        add(node, "", "statement");
        break;
      case "ReturnStatement":
        if (node.argument === null) add(node, "", "statement");
        break;
    }
  });
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

export function parseSource(file, source) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0].message}\n${errors[0].codeframe ?? ""}`);
  return program;
}

function operatorsFor({ operator, left, right }) {
  const isText = ({ type, value }) => type === "TemplateLiteral" || typeof value === "string";
  if (operator === "+") return isText(left) || isText(right) ? [] : ["-"];
  return OTHER_OPERATORS.get(operator) ?? [];
}

function callsFor({ callee, arguments: args }, slice) {
  if (callee.type !== "MemberExpression" || callee.computed) return [];
  const { name } = callee.property;
  const list = `(${args.map(slice).join(", ")})`;
  if (name === "filter") return [slice(callee.object)];
  const other = OTHER_METHOD.get(name);
  return other === undefined ? [] : [`${slice(callee.object)}.${other}${list}`];
}

/** Every node that exists at run time; types are skipped. */
function visit(node, see) {
  if (node.type.startsWith("TS")) {
    if (node.expression) visit(node.expression, see); // `x as T`, `x!`, `x satisfies T`
    return;
  }
  see(node);
  for (const [key, value] of Object.entries(node)) {
    if (key === "parent" || (key === "key" && !node.computed)) continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string" && typeof child.start === "number") visit(child, see);
  }
}

/**
 * The source with all its mutants, numbered from `first`.
 * @param header the code that defines `__m`, on one line
 */
export function instrument(source, mutants, first, header) {
  const groups = [];
  for (const [index, mutant] of mutants.entries()) {
    const last = groups.at(-1);
    const numbered = { ...mutant, number: first + index };
    if (last?.start === mutant.start && last.end === mutant.end && last.kind === mutant.kind)
      last.mutants.push(numbered);
    else groups.push({ ...mutant, mutants: [numbered] });
  }
  const render = (start, end, inner) => {
    let text = "";
    let at = start;
    for (let i = 0; i < inner.length; ) {
      const group = inner[i];
      const nested = inner.slice(i + 1).filter((other) => other.end <= group.end);
      text += source.slice(at, group.start) + wrap(group, render(group.start, group.end, nested));
      at = group.end;
      i += 1 + nested.length;
    }
    return text + source.slice(at, end);
  };
  return header + render(0, source.length, groups);
}

function wrap({ kind, mutants }, original) {
  if (kind === "statement") return `if (__m(${mutants[0].number})) {} else { ${original} }`;
  const choices = mutants.map(({ number, text }) => `__m(${number}) ? (${text}) : `);
  return `(${choices.join("")}(${original}))`;
}
