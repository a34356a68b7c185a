// Nothing of the machine it was written on belongs into the repository.
import { readFileSync } from "node:fs";
import { projectFiles } from "./files.mjs";

const REGISTRY = /registry\.npmjs/;
const TRACES = [/\/work\//, REGISTRY, /deb\.debian/, /"resolved": "https?:/];

/** The product reads the pages of npm there; a machine's settings would name it anywhere else. */
const EXEMPT = new Map([["packages/agent/src/files/web/sites/npm.ts", REGISTRY]]);

export function checkTraces(root) {
  const problems = [];
  for (const file of projectFiles(root, /\.(ts|mjs|js|json|md|sh|yml|yaml)$|^\.ci\/|^\.npmrc$/)) {
    if (file === "scripts/check/traces.mjs") continue;
    const text = readFileSync(`${root}/${file}`, "utf8");
    for (const trace of TRACES)
      if (trace.test(text) && EXEMPT.get(file) !== trace) problems.push(`${file} contains ${trace.source}`);
  }
  return problems;
}
