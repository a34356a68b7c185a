// Runs a cell and a debugged program through our own code, on another machine or in a container, and then waits to be
// killed. The argument is the environment, as JSON.

import { ContainerEnvironment, type ContainerOptions, SshEnvironment, type SshOptions } from "@lathe/agent/world";
import { Kernels } from "../src/additions/eval/kernels.ts";
import { bench } from "./debug-kit.ts";

const { ssh, container } = JSON.parse(process.argv[2] ?? "{}") as { ssh?: SshOptions; container?: ContainerOptions };
const env = ssh ? new SshEnvironment(ssh) : new ContainerEnvironment(container!);
const folder = env.workingDirectory();
const code = "import subprocess\nsubprocess.Popen(['sleep', '300'])\nopen('ready', 'w').close()\nwhile True: pass";
const host = {
  env,
  signal: new AbortController().signal,
  print: (bytes: Buffer) => void process.stderr.write(bytes),
  show: () => {},
  status: () => {},
  answer: async () => null,
};
void new Kernels({ isTrusted: () => true }).run({ language: "py", code, timeoutMs: 600_000, reset: false }, host);
while (!(await env.fileExists(`${folder}/ready`))) await new Promise((resolve) => setTimeout(resolve, 20));
await env.writeFile(`${folder}/loop.cjs`, "setInterval(() => {}, 5);\n");
const at = bench("/nowhere", env);
await at.say({ action: "launch", program: `${folder}/loop.cjs` });
await at.run({ action: "continue", timeoutMs: 500 });
console.log("ready");
