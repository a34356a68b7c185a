// The same as a print run in plain Node, in a process of its own: `plain-run.mjs <url> <tool>` asks until the model calls nothing.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { plainRounds } from "../../agent/bench/plain-agent.ts";

function runShell(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", () => resolve(output));
  });
}

const text = await plainRounds(process.argv[2]!, process.cwd(), Number.POSITIVE_INFINITY, (input, folder) =>
  input["command"] === undefined ? readFile(join(folder, input["file_path"]!), "utf8") : runShell(input["command"]),
);
process.stdout.write(`${text}\n`);
