// Asks an agent's language server on another machine or in a container, prints the answer, and waits to be killed.

import { ContainerEnvironment, type ContainerOptions, SshEnvironment, type SshOptions } from "@lathe/agent/world";
import { LspHarness } from "./lsp-harness.ts";

// The build inserts this.
Object.assign(globalThis, { LATHE_VERSION: "test" });
const { ssh, container, server, mark } = JSON.parse(process.argv[2]!) as {
  readonly ssh?: SshOptions;
  readonly container?: ContainerOptions;
  readonly server: string;
  readonly mark: string;
};
const env = ssh ? new SshEnvironment(ssh) : new ContainerEnvironment(container!);
const row = {
  name: "xyz",
  command: process.execPath,
  args: [server, "plain", mark],
  fileTypes: [".xyz"],
  rootMarkers: ["a.xyz"],
};
const lsp = await LspHarness.open({ row, files: { "a.xyz": "one\n" } }, env);
console.log(await lsp.ask({ action: "hover", file: "a.xyz", line: 1, symbol: "one" }));
setInterval(() => {}, 1 << 30);
