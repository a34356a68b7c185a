// One random session at a screen: text streams in, is committed, 20 cards run side by side, the window changes its size; every frame is checked.

import type { Row, Span } from "../src/rows/row.ts";
import { graphemes, shorten } from "../src/rows/width.ts";
import { row, rowText, rowWidth, wrap } from "../src/rows/wrap.ts";
import type { LiveView } from "../src/screen/screen.ts";
import type { Emulator } from "./emulator.ts";
import { byteLimit, checkFrame, LIVE_MARK } from "./invariants.ts";
import { stage } from "./kit.ts";
import { pictureLine } from "./picture-emulator.ts";

export interface RunFigures {
  frames: number;
  pictures: number;
  bytes: number;
  remains: boolean;
}

/** Small, fast, and the same everywhere: a run is named by its seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const WORDS = [
  "the",
  "model",
  "reads",
  "世界",
  "a_long_identifier_of_the_code_base",
  "файл",
  "naïve",
  "🚀",
  "한글",
  "x",
  "=>",
  "0123456789",
];

/**
 * A window of xterm.js that becomes lower drops rows below the cursor, but only as many as there are no empty ones below the region. The screen does not
 * ask where the region is, so when such a row would also be broken by the new width, it takes the smaller number of rows for its own.
 */
function mayLeaveRemains({ rows, cursor }: LiveView, old: Emulator, columns: number, height: number): boolean {
  if (height >= old.rows || columns >= old.columns) return false;
  return rows.slice((cursor?.row ?? 0) + 1).some((one) => rowWidth(one) > columns);
}

export function randomRun(seed: number, steps: number, resizes = true): RunFigures {
  const random = randomOf(seed);
  const sentence = (): string =>
    Array.from({ length: 1 + random(12) }, () => WORDS[random(WORDS.length)] as string).join(" ");
  const made = stage(20 + random(100), 5 + random(40));
  const { emulator, screen, clock } = made;
  const committed: string[] = [];
  let stream = "";
  let line = 0;
  const cards = Array.from({ length: random(3) === 0 ? 20 : random(6) }, (_, index) => ({
    index,
    text: "",
    done: false,
  }));
  const footer = Array.from({ length: random(4) }, () => sentence());
  let typed = "";
  let remains: readonly string[] = [];
  let emptyRemains = 0;
  /** The live rows before a change of size after which parts of them may stay above the region: see `mayLeaveRemains`. */
  let uncertain: readonly string[] | undefined;
  /** Rows that the last frame left in the live region; undefined: all are to be written again. */
  let before: readonly string[] | undefined = [];
  let checked = 0;
  /** The next frame draws a picture: all live rows make room for it. */
  let hasPicture = false;
  const figures: RunFigures = { frames: 0, pictures: 0, bytes: 0, remains: false };

  const styled = (text: string, columns: number, fill: boolean): Row[] => {
    const middle = Math.floor(text.length / 3);
    const cut = graphemes(text).reduce((at, grapheme) => (at < middle ? at + grapheme.text.length : at), 0);
    const spans: Span[] = [
      { text: text.slice(0, cut) },
      { text: text.slice(cut), style: { color: random(256), bold: random(2) === 0 } },
    ];
    return wrap(spans, columns, fill ? { fill: 4 } : {});
  };
  const clip = (text: string, columns: number): Row => row(shorten(text, columns));
  const view = (): void => {
    const { columns } = emulator;
    const rows: Row[] = [];
    if (stream !== "")
      rows.push(...wrap([{ text: `${LIVE_MARK}${stream}` }], columns, { rest: [{ text: LIVE_MARK }] }));
    for (const card of cards) {
      if (card.done) continue;
      const one = clip(`${LIVE_MARK}card ${card.index} ${card.text}`, columns);
      rows.push(card.index % 5 === 0 ? { ...one, fill: 3 } : one);
    }
    rows.push(
      clip(`${LIVE_MARK}status ${Math.floor(clock.now() / 1000)}s of work, ${committed.length} lines`, columns),
    );
    const editor = wrap([{ text: `${LIVE_MARK}${typed}` }], columns, { rest: [{ text: LIVE_MARK }], anywhere: true });
    rows.push(...editor);
    const last = editor.at(-1) as Row;
    const width = graphemes(rowText(last)).reduce((sum, grapheme) => sum + grapheme.width, 0);
    const cursor = { row: rows.length - 1, column: Math.min(width, columns - 1) };
    rows.push(...footer.map((text) => clip(`${LIVE_MARK}${text}`, columns)));
    made.view = { rows, cursor };
  };
  const frame = (): void => {
    view();
    if (random(3) === 0) screen.paint();
    else {
      screen.requestFrame();
      clock.advance(100);
      view();
      screen.paint();
    }
    const bytes = emulator.take();
    figures.frames++;
    const live = made.view.rows.slice(-emulator.rows).map(rowText);
    const limit = byteLimit(before ?? [], committed.slice(checked), live, emulator.rows);
    const written = Buffer.byteLength(bytes);
    if (written > limit && !hasPicture)
      throw new Error(`seed ${seed}: ${written} bytes where ${limit} are enough: ${JSON.stringify(bytes)}`);
    before = live;
    hasPicture = false;
    checked = committed.length;
    figures.bytes += bytes.length;
    if (uncertain !== undefined) {
      const rows = emulator.lines().filter((text) => text.startsWith(LIVE_MARK));
      const above = rows.slice(0, -live.length);
      const isOld = (text: string): boolean =>
        remains.includes(text) || !!uncertain?.some((old) => old.startsWith(text));
      if (!above.every(isOld)) throw new Error(`seed ${seed}: rows that never were: ${JSON.stringify(above)}`);
      remains = above;
      emptyRemains = emulator.lines().filter((text) => text === "").length;
    }
    uncertain = undefined;
    checkFrame(emulator, bytes, { committed, view: made.view, remains, emptyRemains });
    screen.requestFrame();
    clock.advance(200);
    if (emulator.take() !== "") throw new Error(`seed ${seed}: a frame without a change wrote bytes`);
  };
  const commit = (rows: readonly Row[]): void => {
    screen.commit(rows);
    committed.push(...rows.map(rowText));
  };
  /** Drawn only where it fits; its line of text is there anyway. */
  const commitPicture = (columns: number, rows: number): void => {
    commit([{ ...row(`${line++} picture`), picture: Uint8Array.of(columns, rows) }]);
    if (columns > emulator.columns || rows > Math.min(20, emulator.rows - 1)) return;
    committed.push(...Array.from({ length: rows }, () => pictureLine(columns)));
    hasPicture = true;
    figures.pictures++;
  };

  frame();
  for (let step = 0; step < steps; step++) {
    switch (random(resizes ? 9 : 8)) {
      case 0:
      case 1:
        stream += `${stream === "" ? "" : " "}${sentence()}`;
        break;
      case 2:
        commit(styled(`${line++} ${stream}`, emulator.columns, random(4) === 0));
        stream = "";
        break;
      case 3:
        for (let count = random(random(5) === 0 ? 80 : 4); count > 0; count--)
          commit(styled(`${line++} ${sentence()}`, emulator.columns, false));
        break;
      case 4:
        for (const card of cards) if (random(2) === 0) card.text = sentence();
        break;
      case 5: {
        const card = cards[random(Math.max(1, cards.length))];
        if (card !== undefined) card.done = !card.done;
        if (card?.done) commit(styled(`${line++} card ${card.index} ${card.text}`, emulator.columns, true));
        break;
      }
      case 6:
        typed = random(4) === 0 ? "" : typed + (WORDS[random(WORDS.length)] as string);
        break;
      case 7:
        for (let count = random(4); count > 0; count--) {
          commitPicture(1 + random(30), 1 + random(24));
          if (random(2) === 0) commit(styled(`${line++} ${sentence()}`, emulator.columns, false));
        }
        break;
      default: {
        const columns = random(2) === 0 ? emulator.columns : 20 + random(281);
        const height = random(2) === 0 ? emulator.rows : 5 + random(56);
        if (mayLeaveRemains(made.view, emulator, columns, height)) uncertain = before;
        emulator.resize(columns, height);
        const pushedOut = emulator.scrolledLines().filter((text) => text.startsWith(LIVE_MARK));
        if (pushedOut.length > remains.length) remains = pushedOut;
        emptyRemains = Math.max(emptyRemains, emulator.emptyScrolled());
        before = undefined;
        screen.handleResize();
      }
    }
    frame();
  }
  figures.remains = remains.length > 0;
  screen.end();
  return figures;
}
