// What skills, commands and servers of the user cost at the start: the same run with and without them, side by side.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bench } from "../../../scripts/bench-types.ts";
import { modelServer } from "./model-server.ts";

const CLI = process.env["BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const MCP_SERVER = fileURLToPath(new URL("../test/mcp/rogue-server.mjs", import.meta.url));
const RUN = [CLI, "--model", "openai/gpt-5.2", "-p", "hello"];
const ROUNDS = 20;
const SKILLS = 40;
const COMMANDS = 20;
const SERVERS = 5;

type Files = Readonly<Record<string, string>>;

function home(files: Files): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-files-")));
  mkdirSync(join(dir, "project/.git"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

/** As people have them: half in Lathe's folder, half in another agent's. */
function skillsAndCommands(): Files {
  const files: Record<string, string> = {};
  const text = "Do this, then that, and check the result.\n".repeat(40);
  for (let i = 0; i < SKILLS; i++) {
    const folder = i % 2 ? ".claude" : ".lathe";
    files[`${folder}/skills/skill-${i}/SKILL.md`] =
      `---\nname: skill-${i}\ndescription: Use this when the work is about subject ${i}\n---\n${text}`;
  }
  for (let i = 0; i < COMMANDS; i++) {
    const folder = i % 2 ? ".claude" : ".lathe";
    files[`${folder}/commands/command-${i}.md`] =
      `---\ndescription: Does job ${i}\n---\nDo job ${i} with $ARGUMENTS.\n`;
  }
  return files;
}

function mcpServers(): Files {
  const all = Array.from({ length: SERVERS }, (_, i) => [
    `server${i}`,
    { command: process.execPath, args: [MCP_SERVER] },
  ]);
  return { ".lathe/mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(all) }) };
}

const startOver = (what: string, files: () => Files): Bench => ({
  name: `start to first request with ${what} over the same without`,
  async run() {
    const server = await modelServer();
    const start = async (dir: string): Promise<number> => {
      const env = {
        PATH: process.env["PATH"] ?? "",
        HOME: dir,
        LATHE_HOME: join(dir, ".lathe"),
        OPENAI_API_KEY: "k",
        OPENAI_BASE_URL: server.url,
      };
      const arrived = server.next();
      const begun = performance.now();
      const child = spawn(process.execPath, RUN, { cwd: join(dir, "project"), env, stdio: "ignore" });
      const closed = once(child, "close");
      await arrived;
      const took = performance.now() - begun;
      await closed;
      return took;
    };
    const [many, none] = [home(files()), home({})];
    // Write the code cache, and learn what the servers offer.
    await start(many);
    await start(none);
    let best = { many: Number.POSITIVE_INFINITY, none: Number.POSITIVE_INFINITY };
    for (let i = 0; i < ROUNDS; i++)
      best = { many: Math.min(best.many, await start(many)), none: Math.min(best.none, await start(none)) };
    server.close();
    return {
      value: best.many / best.none,
      unit: "x",
      budget: 1.3,
      note: `${best.many.toFixed(1)} ms against ${best.none.toFixed(1)} ms`,
    };
  },
});

export const benches: Bench[] = [
  startOver(`${SKILLS} skills and ${COMMANDS} commands`, skillsAndCommands),
  startOver(`${SERVERS} known MCP servers`, mcpServers),
  startOver(`${SKILLS} skills, ${COMMANDS} commands and ${SERVERS} known MCP servers`, () => ({
    ...skillsAndCommands(),
    ...mcpServers(),
  })),
];
