// The session's agents and background jobs: what they do, what they cost, and controls to message or stop them.

import { visible, visibleLine } from "@lathe/tui/text";
import type { CommandData } from "lathe/client";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Agent, SessionView } from "../../state/session.ts";
import { dollars, tokenCount } from "../../text/numbers.ts";
import { shorten } from "../../text/shorten.ts";
import { useSession } from "../session/session-context.ts";
import { Problem } from "./problem.tsx";
import { useCommand } from "./use-command.ts";

export function AgentsPanel({ view }: { readonly view: SessionView }): VNode {
  const { answer, problem } = useCommand(view, "get_jobs");
  return (
    <>
      <section aria-label="Agents">
        <h3>Agents</h3>
        {view.agents.length === 0 && <p class="hint">No agents have been started.</p>}
        {view.agents.map((agent) => (
          <AgentView key={agent.agentId} agent={agent} />
        ))}
      </section>
      <section aria-label="Jobs">
        <h3>Background jobs</h3>
        <Problem text={problem} />
        {answer?.jobs.length === 0 && <p class="hint">No jobs are running.</p>}
        {answer?.jobs.map((job) => (
          <JobView key={job.jobId} job={job} />
        ))}
      </section>
    </>
  );
}

const LONGEST = 300;

function AgentView({ agent }: { readonly agent: Agent }): VNode {
  const { command, mayPrompt } = useSession();
  const { agentId, assignment, description, status, doing, tail, cost, tokens } = agent;
  return (
    <article class="entry">
      <h4>
        <span class={`state ${status}`}>{status}</span> {visibleLine(agentId)}
      </h4>
      <p>{shorten(visibleLine(description ?? assignment), LONGEST)}</p>
      {doing !== "" && <p class="hint">{visibleLine(doing)}</p>}
      {tail.length > 0 && <pre class="output">{visible(tail.join("\n"))}</pre>}
      <p class="hint">
        {tokenCount(tokens)} tokens · {dollars(cost)}
      </p>
      {mayPrompt && (
        <AgentActions
          agentId={agentId}
          isRunning={status === "running"}
          stop={() => command("agent_stop", { agentId })}
        />
      )}
    </article>
  );
}

interface AgentActionsProps {
  readonly agentId: string;
  readonly isRunning: boolean;
  readonly stop: () => void;
}

function AgentActions({ agentId, isRunning, stop }: AgentActionsProps): VNode {
  const { command } = useSession();
  const [message, setMessage] = useState("");
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await command("agent_send", { agentId, message: message.trim() })) setMessage("");
  };
  return (
    <form class="words" onSubmit={send}>
      <input
        aria-label={`Message to ${visibleLine(agentId)}`}
        placeholder={isRunning ? "Steer this agent" : "Give it more work"}
        value={message}
        onInput={(event) => setMessage(event.currentTarget.value)}
      />
      <button type="submit" disabled={message.trim() === ""}>
        Send
      </button>
      {isRunning && (
        <button type="button" class="stop" onClick={stop}>
          Stop
        </button>
      )}
    </form>
  );
}

function JobView({ job }: { readonly job: CommandData<"get_jobs">["jobs"][number] }): VNode {
  const { command, mayPrompt } = useSession();
  const { jobId, command: line, isRunning, status, tail } = job;
  return (
    <article class="entry">
      <h4>
        <span class={`state ${isRunning ? "running" : "completed"}`}>{visibleLine(status)}</span> Job {jobId}
      </h4>
      <pre class="output">{visible(line)}</pre>
      {tail.length > 0 && <pre class="output">{visible(tail.join("\n"))}</pre>}
      {isRunning && mayPrompt && (
        <button type="button" class="stop" onClick={() => command("stop_job", { jobId })}>
          Stop
        </button>
      )}
    </article>
  );
}
