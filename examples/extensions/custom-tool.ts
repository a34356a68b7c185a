// A tool for the model: facts about the repository, from real git.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  lathe.registerTool({
    name: "repo_stats",
    label: "Repository",
    description: "Counts the commits and authors of the repository, optionally since a date.",
    parameters: {
      type: "object",
      properties: { since: { type: "string", description: "a date, such as 2024-01-01" } },
    },
    tier: "read",
    async execute({ input, context, onUpdate }) {
      const since = input["since"] === undefined ? [] : [`--since=${String(input["since"])}`];
      onUpdate("reading the log\n");
      const { stdout, stderr, code } = await context.exec("git", ["log", "--format=%an", ...since]);
      if (code !== 0) throw new Error(stderr.trim());
      const authors = stdout.trim().split("\n").filter(Boolean);
      return {
        content: [{ type: "text", text: `${authors.length} commits by ${new Set(authors).size} authors` }],
        details: { commits: authors.length },
      };
    },
    renderCall: (input) => (input["since"] === undefined ? "all history" : `since ${String(input["since"])}`),
    renderResult: ({ details }) => `${(details as { commits?: number }).commits ?? "?"} commits`,
  });
}
