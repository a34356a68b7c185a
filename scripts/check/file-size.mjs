// A file owns one concept: more than 400 lines is refused. Data has no limit: a table may be of any length.
import { readFileSync } from "node:fs";
import { projectFiles } from "./files.mjs";

const LIMIT = 400;
/** Recorded bytes, generated files, catalogs, and tables of test cases. */
export const DATA = /\/(?:fixtures|generated|data)\/|-cases\.ts$/;

export function checkFileSizes(root) {
  return projectFiles(root, /\.(ts|tsx|mts|mjs|js)$/)
    .filter((file) => !DATA.test(file))
    .map((file) => ({ file, lines: readFileSync(`${root}/${file}`, "utf8").split("\n").length - 1 }))
    .filter(({ lines }) => lines > LIMIT)
    .map(({ file, lines }) => `${file} has ${lines} lines, the limit is ${LIMIT}: split it by concept`);
}
