// Guards in the forms that users bring from other agents, each with its own reason.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function write(path: string, text: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
  return path;
}

/** A plugin that finds its own files by CLAUDE_PLUGIN_ROOT, and allows everything if it does not find them. */
export function rulesPlugin(root: string, hooks: (events: object) => object = (events) => events): string {
  write(join(root, ".claude-plugin/plugin.json"), { name: "rules", version: "1.0.0" });
  write(
    join(root, "core/judge.cjs"),
    `module.exports = ({ tool_name, tool_input }) =>
      (tool_name === "Bash" && /rm -rf/.test(tool_input.command)) ||
      (["Edit", "Write"].includes(tool_name) && /\\.env$/.test(tool_input.file_path));`,
  );
  write(
    join(root, "hooks/before.cjs"),
    `let judge;
     try { judge = require(process.env.CLAUDE_PLUGIN_ROOT + "/core/judge.cjs"); }
     catch (error) { console.log(JSON.stringify({ systemMessage: "import error" })); process.exit(0); }
     const call = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
     const deny = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" }, systemMessage: "Not with these rules." };
     console.log(JSON.stringify(judge(call) ? deny : {}));`,
  );
  const command = `"${process.execPath}" $\{CLAUDE_PLUGIN_ROOT}/hooks/before.cjs`;
  const events = { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command, timeout: 10 }] }] };
  write(join(root, "hooks/hooks.json"), hooks(events));
  return root;
}

/** Like pi's `permission-gate.ts`: it asks, and refuses if no user can be asked. */
export const PI_GATE = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
  export default function (pi: ExtensionAPI) {
    pi.on("tool_call", async (event, ctx) => {
      if (event.toolName !== "bash") return undefined;
      const command = event.input.command as string;
      if (!/\\bsudo\\b/.test(command)) return undefined;
      if (!ctx.hasUI) return { block: true, reason: "Dangerous, and not confirmed" };
      const choice = await ctx.ui.select("Dangerous: " + command, ["Yes", "No"]);
      return choice === "Yes" ? undefined : { block: true, reason: "Dangerous, and not confirmed" };
    });
  }`;

/** Like pi's `protected-paths.ts`; only its API tells which agent it was written for. */
export const PI_PATHS = `export default function (pi) {
    pi.on("tool_call", async (event, ctx) => {
      if (event.toolName !== "write" && event.toolName !== "edit") return undefined;
      const path = event.input.path;
      if (!["keep/", ".git/"].some((one) => path.includes(one))) return undefined;
      if (ctx.hasUI) ctx.ui.notify("Blocked " + path, "warning");
      return { block: true, reason: "Path " + path + " is protected" };
    });
  }`;

/** A project's Cursor hooks: each event has a test for what it denies; in it, `told` is the hook's input. */
export function cursorHooks(project: string, tests: Readonly<Record<string, string>>): void {
  const cases = Object.entries(tests).map(([event, test]) => `${JSON.stringify(event)}: (told) => ${test}`);
  write(
    join(project, ".cursor/hooks/gate.cjs"),
    `const told = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
     const event = told.hook_event_name;
     require("node:fs").writeFileSync("told-" + event, JSON.stringify(told));
     const deny = { permission: "deny", user_message: "refused", agent_message: event + " says no." };
     console.log(JSON.stringify({ ${cases.join(", ")} }[event](told) ? deny : { permission: "allow" }));`,
  );
  const entry = [{ command: `"${process.execPath}" ./.cursor/hooks/gate.cjs` }];
  const hooks = Object.fromEntries(Object.keys(tests).map((event) => [event, entry]));
  write(join(project, ".cursor/hooks.json"), { version: 1, hooks });
}
