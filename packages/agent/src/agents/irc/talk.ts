// Detects agents that only talk: messages that answer messages, with no work in between. Each message counts one more
// than the longest chain that its sender has received since it last did something else, so rings of agents are detected
// as well as pairs.

/** How many messages in a row may answer each other. */
export const MOST_TALK = 16;

export class Talk {
  readonly #heard = new Map<string, number>();

  /** Called when the agent did something besides talking. */
  noteProgress(agent: string): void {
    this.#heard.delete(agent);
  }

  /** The length of the chain that a message of this agent would continue. */
  lengthFor(agent: string): number {
    return (this.#heard.get(agent) ?? 0) + 1;
  }

  noteMessage(from: string, to: string): void {
    this.noteLength(this.lengthFor(from), to);
  }

  /** For a message from another process, which brings the length of its chain. */
  noteLength(length: number, to: string): void {
    this.#heard.set(to, Math.max(this.#heard.get(to) ?? 0, length));
  }
}
