// The sessions of the server's folders, newest first, with a search.

import { visibleLine } from "@lathe/tui/text";
import type { LatheClient, SessionRow } from "lathe/client";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { problemOf } from "../../base/problem.ts";
import { useAnswer } from "../../base/use-answer.ts";
import { countText, timeSince } from "../../text/numbers.ts";
import type { Me } from "../me.ts";
import { addressOf } from "../place.ts";
import { NewSession } from "./new-session.tsx";

const PAGE = 50;
/** Other clients change sessions while the page is open. */
const REFRESH_MS = 10_000;
const TYPING_MS = 200;

interface Found {
  readonly sessions: readonly SessionRow[];
  readonly more: boolean;
}

interface SessionListProps {
  readonly client: LatheClient;
  readonly me: Me;
  readonly onSignOut: () => void;
}

export function SessionList({ client, me, onSignOut }: SessionListProps): VNode {
  const [search, setSearch] = useState("");
  const [isStarting, setStarting] = useState(false);
  const { found, problem, readMore } = useSessions(client, search);
  const { answer: roots = [] } = useAnswer(() => client.roots(), [client]);
  // A server that shares only a terminal's session has no folders to start others in.
  const canStart = me.scopes.includes("prompt") && roots.length > 0;
  useEffect(() => {
    document.title = "Sessions · Lathe";
  }, []);
  return (
    <div class="page">
      <header class="bar">
        <h1>Sessions</h1>
        <span class="grow" />
        <button type="button" class="quiet" onClick={onSignOut}>
          Sign out
        </button>
        {canStart && (
          <button type="button" class="primary" onClick={() => setStarting(true)}>
            New session
          </button>
        )}
      </header>
      <main class="column">
        {isStarting && <NewSession client={client} roots={roots} onCancel={() => setStarting(false)} />}
        <label class="search">
          <span class="unseen">Search sessions</span>
          <input
            type="search"
            placeholder="Search sessions"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </label>
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <p class="unseen" role="status">
          {found ? `${countText(found.sessions.length, "session")} shown` : "Loading"}
        </p>
        {found?.sessions.length === 0 && (
          <p class="empty">{search === "" ? "There are no sessions yet." : "No session matches these words."}</p>
        )}
        <ul class="sessions">
          {found?.sessions.map((row) => (
            <SessionLine key={row.id} row={row} />
          ))}
        </ul>
        {found?.more && (
          <button type="button" onClick={readMore}>
            Show more
          </button>
        )}
      </main>
    </div>
  );
}

function SessionLine({ row }: { readonly row: SessionRow }): VNode {
  const { id, title, cwd, updatedAt, live, busy, questions } = row;
  const state = questions > 0 ? countText(questions, "question") : busy ? "working" : live ? "open" : undefined;
  return (
    <li>
      <a href={addressOf(id)}>
        <span class="title">{visibleLine(title) || "Untitled session"}</span>
        {state !== undefined && (
          <span class={questions > 0 ? "badge asks" : busy ? "badge busy" : "badge"}>{state}</span>
        )}
        <span class="meta">
          <span class="path">{visibleLine(cwd)}</span>
          <time dateTime={updatedAt}>{timeSince(updatedAt, Date.now())}</time>
        </span>
      </a>
    </li>
  );
}

function useSessions(client: LatheClient, search: string) {
  const [found, setFound] = useState<Found>();
  const [problem, setProblem] = useState<string>();
  const pages = useRef(1);
  useEffect(() => {
    pages.current = 1;
    let isCurrent = true;
    const read = async (): Promise<void> => {
      try {
        const next = await readPages(client, search, pages.current);
        if (isCurrent) setFound(next);
        if (isCurrent) setProblem(undefined);
      } catch (error) {
        if (isCurrent) setProblem(problemOf(error));
      }
    };
    const first = setTimeout(read, search === "" ? 0 : TYPING_MS);
    const again = setInterval(() => document.visibilityState === "visible" && read(), REFRESH_MS);
    return () => {
      isCurrent = false;
      clearTimeout(first);
      clearInterval(again);
    };
  }, [client, search]);
  const readMore = async (): Promise<void> => {
    pages.current++;
    setFound(await readPages(client, search, pages.current));
  };
  return { found, problem, readMore };
}

async function readPages(client: LatheClient, search: string, pages: number): Promise<Found> {
  let found: Found = { sessions: [], more: true };
  for (let page = 0; page < pages && found.more; page++) {
    const after = found.sessions.at(-1)?.id;
    const next = await client.sessions({
      limit: PAGE,
      ...(search === "" ? {} : { search }),
      ...(after === undefined ? {} : { after }),
    });
    found = { sessions: [...found.sessions, ...next.sessions], more: next.more };
  }
  return found;
}
