// Makes docs/images/demo.svg: runs the demonstration in a real terminal (tmux) and draws what the terminal showed.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const COLUMNS = 100;
const ROWS = 26;
const CELL = { width: 8.4, height: 19 };

await buildIfStale();
const session = `lathe-demo-${process.pid}`;
const tmux = (...args) => execFileSync("tmux", ["-L", session, ...args], { encoding: "utf8" });
const command = `TERM=xterm-256color ${process.execPath} ${root}/packages/lathe/dist/cli.js demo; sleep 1000`;
tmux("-f", "/dev/null", "new-session", "-d", "-s", session, "-x", String(COLUMNS), "-y", String(ROWS), command);
try {
  let screen = "";
  for (let tries = 0; tries < 300 && !screen.includes("That was the practice model"); tries++) {
    execFileSync("sleep", ["0.2"]);
    screen = tmux("capture-pane", "-t", session, "-p", "-e");
  }
  const lines = screen
    .trimEnd()
    .replace(/\/tmp\/lathe-demo-\w+/g, "/tmp/lathe-demo")
    .split("\n");
  writeFileSync(`${root}/docs/images/demo.svg`, draw(["$ npm start", ...lines]));
} finally {
  tmux("kill-server");
}

function draw(lines) {
  const width = COLUMNS * CELL.width + 32;
  const height = lines.length * CELL.height + 56;
  const rows = lines.map(
    (line, i) => `<text x="16" y="${52 + i * CELL.height}" xml:space="preserve">${spans(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Terminal: the practice model fixes a failing test">
<rect width="100%" height="100%" rx="8" fill="#14171c"/>
<circle cx="20" cy="18" r="5" fill="#ff5f57"/><circle cx="38" cy="18" r="5" fill="#febc2e"/><circle cx="56" cy="18" r="5" fill="#28c840"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d7dae0">
${rows.join("\n")}
</g>
</svg>
`;
}

/** Colours of the terminal as spans. */
function spans(line) {
  const styles = {
    1: 'font-weight="bold"',
    2: 'fill="#8b93a1"',
    31: 'fill="#ff7b72"',
    32: 'fill="#7ee787"',
    33: 'fill="#e3b341"',
  };
  let style = "";
  return line
    .split(/(\x1b\[[0-9;]*m)/)
    .map((piece) => {
      const code = /^\x1b\[([0-9;]*)m$/.exec(piece)?.[1];
      if (code === undefined) return piece === "" ? "" : `<tspan ${style}>${escapeXml(piece)}</tspan>`;
      style = code
        .split(";")
        .map((part) => styles[part] ?? "")
        .filter(Boolean)
        .join(" ");
      return "";
    })
    .join("");
}

function escapeXml(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
