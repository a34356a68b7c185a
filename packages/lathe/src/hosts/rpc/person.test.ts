import { describe, expect, it } from "vitest";
import { HostGone } from "./host-requests.ts";
import { HostPerson } from "./person.ts";

interface Sent {
  readonly id: string;
  readonly method: string;
  readonly targetId?: string;
  readonly timeout?: number;
}

function person(timeoutMs: number): { person: HostPerson; sent: Sent[] } {
  const sent: Sent[] = [];
  let n = 0;
  const made = new HostPerson({ newId: () => `ui_${++n}`, send: (frame) => void sent.push(frame as Sent), timeoutMs });
  return { person: made, sent };
}

const questions = [{ id: "q", question: "Which?", options: [{ label: "A" }, { label: "B" }], multi: true }];
const never = new AbortController().signal;

describe("dialogs of a host", () => {
  it("G-09 MO-06 a dialog without an answer resolves to none when its time is up, and is closed", async () => {
    const { person: host, sent } = person(20);
    expect(await host.answer(questions, never)).toBeUndefined();
    expect(sent).toMatchObject([
      { method: "select", timeout: 20 },
      { method: "cancel", targetId: "ui_1" },
    ]);
    host.response({ type: "extension_ui_response", id: "ui_1", value: "A" });
    expect(await host.decidePlan("plan", never)).toBeUndefined();
  });

  it("G-09 several choices and own words are told apart; an answer with a wrong id is left alone", async () => {
    const { person: host } = person(0);
    const answered = host.answer(questions, never);
    host.response({ type: "extension_ui_response", id: "ui_7", value: "B" });
    host.response({ type: "extension_ui_response", id: "ui_1", value: ["A", "something else"] });
    expect(await answered).toEqual([{ id: "q", selected: ["A"], custom: "something else" }]);
  });

  it("G-09 abort and a host that goes away end a dialog", async () => {
    const { person: host, sent } = person(0);
    const controller = new AbortController();
    const aborted = host.answer(questions, controller.signal);
    controller.abort(new Error("interrupted"));
    await expect(aborted).rejects.toThrow("interrupted");
    expect(sent.at(-1)).toMatchObject({ method: "cancel", targetId: "ui_1" });
    const lost = host.decidePlan("plan", never);
    host.hostGone();
    await expect(lost).rejects.toBeInstanceOf(HostGone);
  });
});
