// A file owns one concept: more than 500 lines is refused.
import { readFileSync } from "node:fs";
import { projectFiles } from "./files.mjs";

const LIMIT = 500;

export function checkFileSizes(root) {
  return projectFiles(root, /\.(ts|tsx|mts|mjs|js)$/)
    .filter((file) => !file.includes("/fixtures/") && !file.includes("/generated/"))
    .map((file) => ({ file, lines: readFileSync(`${root}/${file}`, "utf8").split("\n").length - 1 }))
    .filter(({ lines }) => lines > LIMIT)
    .map(({ file, lines }) => `${file} has ${lines} lines, the limit is ${LIMIT}: split it by concept`);
}
