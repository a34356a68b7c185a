// A function must fit on one and a half screens: more than 80 lines is refused in the sources of the packages. Data is
// exempt.
import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { DATA } from "./file-size.mjs";
import { projectFiles } from "./files.mjs";

const LIMIT = 80;

export function checkFunctionSizes(root) {
  return projectFiles(root, /^packages\/[^/]+\/src\/.*\.tsx?$/)
    .filter((file) => !DATA.test(file) && !file.endsWith(".test.ts"))
    .flatMap((file) => longFunctions(file, readFileSync(`${root}/${file}`, "utf8")));
}

/** One line for each function that is too long. */
export function longFunctions(file, text) {
  const problems = [];
  const check = (node) => {
    const lines = text.slice(node.start, node.end).split("\n").length;
    if (lines <= LIMIT) return;
    const line = text.slice(0, node.start).split("\n").length;
    const name = node.id?.name ?? "a function";
    problems.push(`${file}:${line}: ${name} has ${lines} lines, the limit is ${LIMIT}: split it by concept`);
  };
  const visitor = new Visitor({
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  });
  visitor.visit(parseSync(file, text).program);
  return problems;
}
