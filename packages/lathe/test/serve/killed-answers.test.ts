// Server and session are killed as soon as an answer is confirmed: the user is not asked again.

import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import type { DoorFrame } from "../../src/doors/serve/client.ts";
import { KilledServing } from "./killed-serving.ts";

const option = (label: string) => ({ label });
const QUESTIONS = [
  { id: "colour", question: "Which colour?", options: [option("red"), option("blue")] },
  { id: "size", question: "Which size?", options: [option("small"), option("large")] },
];

/** Asks both at once, and says what it was told. */
function script({ view }: RecordedRequest): Turn {
  const [result] = view.messages.flatMap(({ results }) => results);
  return result
    ? turn.text(`Told: ${result.text}`)
    : turn.calls([{ name: "ask_user", args: { questions: QUESTIONS } }]);
}

type Question = Extract<DoorFrame, { kind: "question" }>["question"];

async function asked(serving: KilledServing): Promise<Question> {
  for await (const frame of serving.client.follow(serving.id)) {
    if (frame.kind === "question") return frame.question;
    if (frame.kind === "snapshot" && frame.snapshot.questions[0]) return frame.snapshot.questions[0];
  }
  throw new Error("The stream ended.");
}

it("M1 an answer that was confirmed survives server and session; the questions that are left are asked again", async () => {
  const serving = await KilledServing.with(script);
  try {
    await serving.client.command(serving.id, "prompt", { message: "ask me" });
    const first = await asked(serving);
    expect(first.title).toBe("Which colour?");
    expect(await serving.client.answer(serving.id, first.id, { value: "blue" })).toEqual({ status: "accepted" });
    await serving.kill();
    await serving.startAgain();
    const second = await asked(serving);
    expect(second.title).toBe("Which size?");
    await serving.client.answer(serving.id, second.id, { value: "large" });
    await expect
      .poll(() => serving.client.command(serving.id, "get_last_assistant_text"))
      .toMatchObject({ text: expect.stringMatching(/blue[\s\S]*large/) });
    await serving.stop();
    await expect.poll(() => serving.processes(), { timeout: 20_000 }).toEqual([]);
  } finally {
    await serving.remove();
  }
});
