// Checks that the repository contains nothing specific to a developer's machine.
import { readFileSync } from "node:fs";
import { projectFiles } from "./files.mjs";

const TRACES = [/\/work\//, /registry\.npmjs/, /deb\.debian/, /"resolved": "https?:/];

export function checkTraces(root) {
  const problems = [];
  for (const file of projectFiles(root, /\.(ts|mjs|js|json|md|sh|yml|yaml)$|^\.ci\/|^\.npmrc$/)) {
    if (file === "scripts/check/traces.mjs") continue;
    const text = readFileSync(`${root}/${file}`, "utf8");
    for (const trace of TRACES) if (trace.test(text)) problems.push(`${file} contains ${trace.source}`);
  }
  return problems;
}
