// Models of a provider that Lathe does not know: one behind a server that speaks a known protocol, one that is only code.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  lathe.registerProvider("example-server", {
    baseUrl: process.env["EXAMPLE_SERVER_URL"] ?? "http://127.0.0.1:8080/v1",
    api: "openai-completions",
    apiKey: "EXAMPLE_SERVER_KEY",
    models: [{ id: "small", contextWindow: 32_000 }],
  });
  lathe.registerProvider("parrot", {
    models: [{ id: "grey", name: "Grey parrot" }],
    async *stream({ messages }) {
      const last = messages.findLast(({ role }) => role === "user");
      for (const word of (last?.text ?? "").split(/(?<=\s)/)) yield word;
    },
  });
}
