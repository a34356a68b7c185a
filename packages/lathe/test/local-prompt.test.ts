import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { sandbox } from "./command.ts";
import { localServer } from "./local-kit.ts";

/** Of the prompt and the tools, with what the dialect puts around them. */
const MOST_TOKENS = 800;

it.each([true, false])("LS-08 minimal stays below 800 tokens (tools of the server: %s)", async (tools) => {
  const box = await sandbox();
  const server = await localServer({ kind: "llama.cpp", window: 8_192, tools, play: () => turn.text("ok") });
  try {
    const args = ["--model", server.model, "--profile", "minimal", "--no-session", "-p", "hi"];
    expect(await box.run(args, { env: server.env })).toMatchObject({ code: 0, stdout: "ok\n" });
    const { body, view } = server.server.requests.at(-1)!;
    const characters = view.system.length + (body.tools ? JSON.stringify(body.tools).length : 0);
    expect(characters / 4).toBeLessThan(MOST_TOKENS);
  } finally {
    await server.close();
    await box.remove();
  }
});
