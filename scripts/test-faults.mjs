// Tries every fault in every mode and compares the outcomes with the tables of docs/reliability.md; `--write` updates
// them. Other arguments are passed to vitest; with a selection of tests, the tables are left alone.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const rowsFile = `${root}/.cache/fault-rows.jsonl`;
const page = `${root}/docs/reliability.md`;
const writes = process.argv.includes("--write");
const passedOn = process.argv.slice(2).filter((word) => word !== "--write");

mkdirSync(`${root}/.cache`, { recursive: true });
rmSync(rowsFile, { force: true });
const run = spawnSync(process.execPath, [`${root}/scripts/test.mjs`, "packages/lathe/test/faults", ...passedOn], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, LATHE_FAULTS: "all", LATHE_FAULT_ROWS: rowsFile },
});
if (run.status !== 0 || passedOn.length > 0) process.exit(run.status ?? 1);

const text = readFileSync(page, "utf8");
const made = withTables(
  text,
  readFileSync(rowsFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line)),
);
if (writes) writeFileSync(page, made);
else if (made !== text) {
  console.error("The tables of docs/reliability.md are out of date. Write them with: npm run test:faults -- --write");
  process.exit(1);
}

function withTables(text, rows) {
  const tables = { server: serverTable, killed: killedTable, headless: headlessTable, machine: machineTable };
  return Object.entries(tables).reduce((page, [name, render]) => {
    const [begin, end] = [`<!-- faults: ${name} -->\n`, "<!-- end -->"];
    const from = page.indexOf(begin) + begin.length;
    const chosen = rows.filter(({ table }) => table === name);
    return `${page.slice(0, from)}${render(chosen)}${page.slice(page.indexOf(end, from))}`;
  }, text);
}

function serverTable(rows) {
  const end = (how) =>
    ({ answer: "the answer", "provider error": "provider error (3)", failed: "failure (1)" })[how] ?? "–";
  const cells = rows.map(({ fault, lasting, once, onceInLibrary, withoutScreen }) => {
    const library = onceInLibrary === undefined ? "" : `; library: ${end(onceInLibrary)}`;
    return [
      withoutScreen ? `${fault} (not tried at the terminal and in an editor)` : fault,
      end(lasting),
      `${end(once)}${library}`,
    ];
  });
  return table(["the server's fault", "while it lasts", "when it happens once"], cells);
}

/** One row per situation; endings with the same outcome share a cell. */
function killedTable(rows) {
  const situations = [...new Set(rows.map(({ situation }) => situation))];
  const cells = situations.map((situation) => {
    const of = (ending) => rows.find((row) => row.situation === situation && row.ending === ending);
    const ends = ["SIGKILL", "SIGTERM", "terminal closed"].map((ending) => `${of(ending).exit}, ${of(ending).journal}`);
    return [situation, ...ends, of("SIGKILL").next];
  });
  return table(["the agent is", "SIGKILL", "SIGTERM", "terminal closed", "next `lathe -c`"], cells);
}

function headlessTable(rows) {
  const starts = rows.filter(({ ending }) => ending === "SIGKILL");
  const cells = starts.map(({ mode, situation }) => {
    const of = (ending) =>
      rows.find((row) => row.mode === mode && row.situation === situation && row.ending === ending);
    const ends = ["SIGKILL", "SIGTERM", "SIGHUP"].map((ending) => `${of(ending).exit}, ${of(ending).journal}`);
    return [mode, situation, ...ends];
  });
  return table(["mode", "the run is", "SIGKILL", "SIGTERM", "SIGHUP"], cells);
}

/** One row per fault; modes with another result in their journal note it in their cell. */
function machineTable(rows) {
  const faults = [...new Set(rows.map(({ fault }) => fault))];
  const cells = faults.map((fault) => {
    const of = (mode) => rows.find((row) => row.fault === fault && row.mode === mode);
    const { journal } = of("print");
    const told = (mode) =>
      of(mode).journal === journal ? of(mode).outcome : `${of(mode).outcome} (${of(mode).journal})`;
    return [fault, told("print"), told("ACP"), told("serve"), journal];
  });
  return table(["fault", "exit code of print", "ACP", "serve", "last input in the journal"], cells);
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |\n`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("");
}
