// docs/progress.md has one line per contract id. An id is `done` only if the title of a test carries it, and an id that a
// test carries cannot be `missing`. `settled` means there is nothing to build; the note says why.
import { readFileSync } from "node:fs";
import { projectFiles } from "./files.mjs";

const ID =
  /\b(?:(?:CL|DM|GN|TM|TC|ER|PC|AD|CT|QK|HL|SN|RN|EV|PR|TL|PA|EE|TR|SY|SB|EH|HD|LS|MO|SA|SP|CO|CF|EX|MC|LP|IU|AU|TU|WB|A|D|G)-\d{1,3}|T-[A-Z]+-\d+)(?:-[OAG])?\b/g;
const ROW = /^\| (\S+) \| (done|partly|missing|settled) \| ?(.*?) ?\|$/;

function readProgress(root) {
  const rows = [];
  for (const line of readFileSync(`${root}/docs/progress.md`, "utf8").split("\n")) {
    const match = ROW.exec(line);
    if (match) rows.push({ id: match[1], status: match[2], note: match[3] });
  }
  return rows;
}

/** Ids in the titles of `it("...")`, `test("...")` and `describe("...")`, including template and table titles. */
function idsInTestTitles(root) {
  const ids = new Set();
  const title =
    /\b(?:it|test|describe)(?:\.[a-zA-Z]+(?:\((?:[^()]|\([^()]*\))*\))?)*\(\s*(["'`])((?:\\.|(?!\1)[\s\S])*)\1/g;
  for (const file of projectFiles(root, /\.test\.ts$/)) {
    const source = readFileSync(`${root}/${file}`, "utf8");
    for (const match of source.matchAll(title)) for (const id of match[2].match(ID) ?? []) addId(ids, id);
    for (const match of source.matchAll(/^\/\/ Titles carry: (.*)$/gm))
      for (const id of match[1].match(ID) ?? []) addId(ids, id);
  }
  return ids;
}

function addId(ids, id) {
  ids.add(id);
  ids.add(id.replace(/-[OAG]$/, ""));
}

export function checkProgress(root) {
  const rows = readProgress(root);
  const titled = idsInTestTitles(root);
  const known = new Set(rows.map((row) => row.id));
  const problems = [];
  for (const { id, status, note } of rows) {
    if (status === "done" && !titled.has(id)) problems.push(`${id} is marked done, but no test title carries it`);
    if (status === "missing" && titled.has(id)) problems.push(`${id} is marked missing, but a test title carries it`);
    if (status === "partly" && note === "") problems.push(`${id} is marked partly without saying what is missing`);
    if (status === "settled" && note === "") problems.push(`${id} is marked settled without saying how`);
  }
  for (const id of titled) {
    const base = id.replace(/-[OAG]$/, "");
    if (!known.has(id) && !known.has(base))
      problems.push(`${id} is in a test title, but has no line in docs/progress.md`);
  }
  return problems;
}
