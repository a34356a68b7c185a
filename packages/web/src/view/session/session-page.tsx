// One session: its transcript, open questions, the composer, and the panels next to them.

import { visibleLine } from "@lathe/tui/text";
import type { LatheClient } from "lathe/client";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { problemOf } from "../../base/problem.ts";
import { useStore } from "../../base/use-store.ts";
import { pictureReader } from "../../live/read-pictures.ts";
import { Composer } from "../composer/composer.tsx";
import { StatusLine } from "../composer/status-line.tsx";
import type { Me } from "../me.ts";
import { Panel, type PanelName } from "../panels/panel.tsx";
import { addressOf } from "../place.ts";
import { QuestionDock } from "../questions/question-dock.tsx";
import { Announcer } from "./announcer.tsx";
import { SessionContext, type SessionUse } from "./session-context.ts";
import { SessionHeader } from "./session-header.tsx";
import { Transcript } from "./transcript.tsx";
import { useSessionFeed } from "./use-session-feed.ts";

interface SessionPageProps {
  readonly client: LatheClient;
  readonly id: string;
  readonly me: Me;
}

export function SessionPage({ client, id, me }: SessionPageProps): VNode {
  const feed = useSessionFeed(client, id);
  const view = useStore(feed.store);
  const [panel, setPanel] = useState<PanelName>();
  const [problem, setProblem] = useState<string>();
  const [said, announce] = useState("");
  const [draft, setDraft] = useState("");
  const composer = useRef<HTMLTextAreaElement>(null);
  const opened = useMemo(() => new Map<string, boolean>(), [id]);
  const picturesOf = useMemo(() => pictureReader(client, id), [client, id]);
  const cwd = view.state?.cwd;

  const session = useMemo<SessionUse>(() => {
    const report = (error: unknown): void => setProblem(problemOf(error));
    return {
      ...{ client, id, cwd, opened, picturesOf, report, announce },
      me: me.name,
      mayPrompt: me.scopes.includes("prompt"),
      mayAnswer: me.scopes.includes("approve"),
      fillDraft: (text) => {
        setDraft(text);
        composer.current?.focus();
      },
      command: async (name, params) => {
        setProblem(undefined);
        try {
          return { data: await feed.command(name, params) };
        } catch (error) {
          report(error);
          return undefined;
        }
      },
    };
  }, [client, id, me, feed, cwd]);

  const title = visibleLine(view.state?.title ?? "") || (view.phase === "unknown" ? "No such session" : "New session");
  useEffect(() => {
    document.title = `${view.questions.length > 0 ? "● " : ""}${title} · Lathe`;
  }, [title, view.questions.length > 0]);

  if (view.phase === "unknown") return <UnknownSession />;
  return (
    <SessionContext.Provider value={session}>
      <div class={panel === undefined ? "session" : "session with-panel"}>
        <SessionHeader view={view} title={title} panel={panel} onPanel={setPanel} />
        <main class="conversation">
          <Transcript view={view} onTop={feed.readOlder} />
          {view.phase === "closed" && <Closed problem={view.problem} onOpen={feed.reopen} />}
          {problem !== undefined && <Problem text={problem} onClose={() => setProblem(undefined)} />}
          <QuestionDock view={view} onAnswered={() => composer.current?.focus()} />
          {session.mayPrompt && <Composer view={view} text={draft} onText={setDraft} input={composer} />}
          <StatusLine view={view} onPanel={setPanel} />
        </main>
        {panel !== undefined && <Panel name={panel} view={view} onClose={() => setPanel(undefined)} />}
        <Announcer view={view} said={said} />
      </div>
    </SessionContext.Provider>
  );
}

function UnknownSession(): VNode {
  return (
    <div class="page">
      <header class="bar">
        <h1>No such session</h1>
      </header>
      <main class="column">
        <p role="alert">It was deleted, or it is in a folder that this server does not serve.</p>
        <p>
          <a href={addressOf()}>All sessions</a>
        </p>
      </main>
    </div>
  );
}

interface ClosedProps {
  readonly problem: string | undefined;
  readonly onOpen: () => void;
}

function Closed({ problem, onOpen }: ClosedProps): VNode {
  return (
    <div class="notice" role="status">
      <span>{problem ?? "This session was closed."}</span>
      <button type="button" onClick={onOpen}>
        Open again
      </button>
    </div>
  );
}

function Problem({ text, onClose }: { readonly text: string; readonly onClose: () => void }): VNode {
  return (
    <div class="problem notice" role="alert">
      <span>{text}</span>
      <button type="button" class="quiet" onClick={onClose}>
        Dismiss
      </button>
    </div>
  );
}
