// Checks that links between our pages lead to an existing file and heading.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { projectFiles } from "./files.mjs";

const LINK = /!?\[[^\]]*\]\(([^)\s]+)\)/g;

export function checkLinks(root) {
  return projectFiles(root, /\.md$/)
    .filter((file) => !file.includes("/fixtures/") && !file.includes("/src/"))
    .flatMap((file) => brokenLinks(root, file));
}

function brokenLinks(root, file) {
  const problems = [];
  for (const link of linksOf(readFileSync(join(root, file), "utf8"))) {
    const [path = "", heading] = link.split("#");
    const target = path === "" ? join(root, file) : join(root, dirname(file), path);
    if (relative(root, target).startsWith("..") || !existsSync(target)) problems.push(`${file}: ${link} is not there`);
    else if (heading !== undefined && !headingsOf(target).has(heading))
      problems.push(`${file}: ${link}, but there is no such heading`);
  }
  return problems;
}

/** Relative links of a page, outside code. */
export function linksOf(text) {
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(LINK)].map(([, link]) => link).filter((link) => !/^[a-z]+:/.test(link));
}

/** Anchors as GitHub generates them. */
function headingsOf(file) {
  if (statSync(file).isDirectory()) return new Set();
  const text = readFileSync(file, "utf8").replace(/^ *```[\s\S]*?^ *```/gm, "");
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
