// Ids of child agents are names that people and models can tell apart. Each is also the name of the child's journal, so
// it is a safe file name and unique regardless of case.

import { ToolFailure } from "../../contract/tool.ts";

const ADJECTIVES = (
  "Able Agile Amber Azure Bold Brave Bright Brisk Calm Candid Clear Clever Copper Crisp Curious Deft Eager Early Exact Fair Fleet " +
  "Frank Fresh Gentle Glad Golden Grand Hardy Honest Humble Keen Kind Lively Loyal Lucid Lunar Mellow Merry Mild Modest Neat Nimble " +
  "Noble Patient Plain Polite Prompt Proud Quick Quiet Rapid Ready Robust Royal Sharp Silent Silver Simple Sleek Smart Solar Solid " +
  "Steady Still Sturdy Subtle Sunny Swift Tidy True Upbeat Vivid Warm Wise Witty Young"
).split(" ");
const NOUNS = (
  "Acorn Anchor Badger Beacon Birch Bison Breeze Bridge Brook Canyon Cedar Cliff Cloud Comet Compass Coral Crane Delta Dune Eagle " +
  "Ember Falcon Fern Finch Fjord Forest Garnet Glacier Grove Harbor Hawk Hazel Heron Island Jasper Juniper Lagoon Lantern Lark Ledge " +
  "Lotus Lynx Maple Marten Meadow Mesa Meteor Moss Nebula Oasis Orchid Osprey Otter Panda Pebble Pine Planet Prairie Quartz Raven " +
  "Reef Ridge River Robin Sparrow Spruce Summit Thicket Tiger Tulip Tundra Valley Walnut Willow Wolf Zephyr"
).split(" ");

/** Long enough for a sentence squeezed into two words; even nested names stay below the limit of file systems. */
const LONGEST_NAME = 48;
const LONGEST_ID = 200;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
/** Words that have another meaning among agents. */
const TAKEN = new Set(["main", "all"]);

/** Why a name cannot be used; undefined if it can. */
export function nameProblem(name: string): string | undefined {
  if (name.length > LONGEST_NAME) return `the id ${name.slice(0, 20)}… is longer than ${LONGEST_NAME} characters`;
  if (!NAME.test(name)) return `the id ${JSON.stringify(name)} may contain only letters, digits, "_" and "-"`;
  return TAKEN.has(name.toLowerCase()) ? `the id ${name} is reserved` : undefined;
}

/** The names of the children of one parent. */
export class Names {
  readonly #parent: string | undefined;
  readonly #random: () => number;
  readonly #used = new Set<string>();

  constructor(parent: string | undefined, random: () => number) {
    this.#parent = parent;
    this.#random = random;
  }

  /** Reserves a name that an earlier process used. */
  use(agentId: string): void {
    this.#used.add(agentId.toLowerCase());
  }

  /** Returns the wished name, or a similar one that is free. */
  give(wished?: string): string {
    const base = this.#qualifyName(wished ?? this.#pick());
    if (base.length > LONGEST_ID)
      throw new ToolFailure("Agents are nested too deep to be named. Give the task a short id, or do it yourself.");
    let agentId = base;
    for (let n = 2; this.#used.has(agentId.toLowerCase()); n++) agentId = `${base}-${n}`;
    this.use(agentId);
    return agentId;
  }

  #qualifyName(name: string): string {
    return this.#parent === undefined ? name : `${this.#parent}.${name}`;
  }

  #pick(): string {
    const of = (words: readonly string[]): string => words[Math.floor(this.#random() * words.length)] as string;
    // A few tries keep most names free of numbers.
    for (let tries = 0; tries < 8; tries++) {
      const name = of(ADJECTIVES) + of(NOUNS);
      if (!this.#used.has(this.#qualifyName(name).toLowerCase())) return name;
    }
    return of(ADJECTIVES) + of(NOUNS);
  }
}
