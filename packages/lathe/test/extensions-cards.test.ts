// What a tool of an extension shows of its result: a short form, and more on request.

import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { Transcript } from "../src/hosts/interactive/transcript/transcript.ts";
import { project } from "./project-kit.ts";
import { contextOf, grid } from "./transcript/kit.ts";

const TOOL = `export default () => ({ name: "weather", description: "The weather.", parameters: { type: "object" },
  execute: () => "sunny, 20 degrees",
  renderResult: ({ content }, { expanded }) => expanded ? ["in full:", content[0].text] : "in brief: sunny" });`;

it("EX-05 renderResult is asked for a brief and for an expanded form, each is shown where it belongs, also when the session is resumed", async () => {
  await using p = await project({ "home/.lathe/tools/weather.ts": TOOL });
  await p.say("go", turn.calls([{ name: "weather", args: {} }]), turn.text("ok"));
  const shown = (expanded: boolean): string => {
    const transcript = new Transcript({ thinking: "folded", expanded, now: () => 0, onChange: () => {} });
    for (const event of p.events) transcript.event(event);
    const context = contextOf(80);
    return grid([...transcript.takeFinished(context), ...transcript.render(context)], 80);
  };
  expect(shown(false)).toContain("in brief: sunny");
  expect(shown(false)).not.toContain("in full:");
  expect(shown(true)).toMatch(/in full:\n +sunny, 20 degrees/);
  expect(shown(true)).not.toContain("in brief");
  await p.reopen();
  const resumed = new Transcript({ thinking: "folded", expanded: false, now: () => 0, onChange: () => {} });
  expect(grid(resumed.past(p.talk.session, contextOf(80)).flat(), 80)).toContain("in brief: sunny");
});

it("EX-03 a message of an extension's kind looks the same when its session is resumed; where nobody renders it, its text is shown", async () => {
  await using p = await project({});
  await p.say("go", turn.text("ok"));
  await p.talk.session.journal.append({
    type: "custom_message",
    customType: "report",
    content: "three failures",
    display: true,
    attribution: "agent",
  });
  const past = (entryLines?: (kind: string, text: string) => readonly string[] | undefined): string => {
    const options = { thinking: "folded", expanded: false, now: () => 0, onChange: () => {} } as const;
    const transcript = new Transcript({ ...options, ...(entryLines ? { entryLines } : {}) });
    return grid(transcript.past(p.talk.session, contextOf(80)).flat(), 80);
  };
  expect(past((kind, text) => (kind === "report" ? ["Report:", text.toUpperCase()] : undefined))).toMatch(
    /Report:[\s\S]*THREE FAILURES/,
  );
  expect(past()).toContain("three failures");
});
