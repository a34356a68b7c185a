// A long list with only the rows around the visible ones in the document. What the user is reading stays in place when
// rows are inserted above or change their height; at the end of the list, the view stays at the end.

import { Component, type ComponentChild, createRef, type VNode } from "preact";
import { Heights } from "./heights.ts";

export interface ListRow {
  readonly key: string;
}

export interface VirtualListProps<Row extends ListRow> {
  readonly rows: readonly Row[];
  readonly draw: (row: Row) => VNode;
  readonly label: string;
  readonly isBusy: boolean;
  /** How many rows still have to be loaded before the first one. */
  readonly missing: number;
  /** Called when the user scrolls near the first row. */
  readonly onTop: () => void;
}

interface ListState {
  readonly first: number;
  readonly last: number;
  readonly isAtEnd: boolean;
}

const EXPECTED_HEIGHT = 72;
/** Pixels drawn beyond the visible area. */
const AROUND = 800;
const NEAR_END = 48;

export class VirtualList<Row extends ListRow> extends Component<VirtualListProps<Row>, ListState> {
  override state: ListState = { first: 0, last: 0, isAtEnd: true };
  readonly #box = createRef<HTMLElement>();
  readonly #heights = new Heights(EXPECTED_HEIGHT);
  readonly #measured = new Map<string, number>();
  #rows: readonly Row[] = [];
  #sizes: ResizeObserver | undefined;
  /** The row at the upper edge, and how far it extends above it. */
  #anchor: { readonly key: string; readonly above: number } | undefined;
  #isAtEnd = true;

  override componentDidMount(): void {
    this.#sizes = new ResizeObserver(() => this.#settle());
    if (this.#box.current) this.#sizes.observe(this.#box.current);
    this.#box.current?.addEventListener("toggle", this.#hold, { capture: true });
    this.#settle();
  }
  override componentDidUpdate(): void {
    this.#settle();
  }
  override componentWillUnmount(): void {
    this.#sizes?.disconnect();
  }

  render(): ComponentChild {
    const { rows, draw, label, isBusy, missing } = this.props;
    this.#take(rows);
    const { first, last } = this.#range();
    const below = this.#heights.total - this.#heights.start(last);
    return (
      <div class="list">
        <section
          class="list-box"
          ref={this.#box}
          onScroll={this.#scrolled}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
          tabIndex={0}
          role="feed"
          aria-label={label}
          aria-busy={isBusy}
        >
          <div style={{ height: `${this.#heights.start(first)}px` }} />
          {rows.slice(first, last).map((row, at) => (
            <article
              key={row.key}
              data-row={first + at}
              class="list-row"
              aria-posinset={missing + first + at + 1}
              aria-setsize={missing + rows.length}
            >
              {draw(row)}
            </article>
          ))}
          <div style={{ height: `${below}px` }} />
        </section>
        {!this.state.isAtEnd && (
          <button type="button" class="to-end" onClick={this.toEnd}>
            Jump to the end
          </button>
        )}
      </div>
    );
  }

  readonly toEnd = (): void => {
    this.#isAtEnd = true;
    this.#settle();
  };

  /** Takes new rows; heights are kept by key. */
  #take(rows: readonly Row[]): void {
    if (rows === this.#rows) return;
    const isSame =
      rows.length === this.#rows.length &&
      rows[0]?.key === this.#rows[0]?.key &&
      rows.at(-1)?.key === this.#rows.at(-1)?.key;
    this.#rows = rows;
    if (!isSame) this.#heights.replace(rows.map(({ key }) => this.#measured.get(key) ?? EXPECTED_HEIGHT));
  }

  /** The rows to draw for the position that the box will scroll to. */
  #range(): { readonly first: number; readonly last: number } {
    const size = this.#box.current?.clientHeight ?? globalThis.innerHeight;
    const top = this.#isAtEnd ? Math.max(0, this.#heights.total - size) : this.#anchorTop();
    const first = this.#heights.rowAt(top - AROUND);
    const last = Math.min(this.#rows.length, this.#heights.rowAt(top + size + AROUND) + 1);
    return { first, last };
  }

  #anchorTop(): number {
    const at = this.#rows.findIndex(({ key }) => key === this.#anchor?.key);
    return at < 0 ? (this.#box.current?.scrollTop ?? 0) : this.#heights.start(at) + (this.#anchor?.above ?? 0);
  }

  /** Measures what was drawn and restores the scroll position. */
  #settle(): void {
    const box = this.#box.current;
    if (!box) return;
    let isMoved = false;
    for (const row of box.querySelectorAll<HTMLElement>(":scope > .list-row")) {
      const at = Number(row.dataset["row"]);
      const key = this.#rows[at]?.key;
      if (key === undefined) continue;
      this.#sizes?.observe(row);
      const { height } = row.getBoundingClientRect();
      this.#measured.set(key, height);
      if (Math.abs(this.#heights.set(at, height)) > 0.5) isMoved = true;
    }
    if (isMoved) this.forceUpdate();
    const place = this.#isAtEnd ? box.scrollHeight - box.clientHeight : this.#anchorTop();
    if (Math.abs(box.scrollTop - place) > 1) box.scrollTop = place;
    this.#remember(box);
  }

  /** What the user opens grows downwards, even at the end of the list. */
  readonly #hold = (): void => {
    this.#isAtEnd = false;
    this.#settle();
  };

  readonly #scrolled = (): void => {
    const box = this.#box.current;
    if (!box) return;
    this.#isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
    this.#remember(box);
    if (box.scrollTop < 2 * AROUND && this.props.missing > 0) this.props.onTop();
  };

  #remember(box: HTMLElement): void {
    const at = this.#heights.rowAt(box.scrollTop);
    const key = this.#rows[at]?.key;
    this.#anchor = key === undefined ? undefined : { key, above: box.scrollTop - this.#heights.start(at) };
    const { first, last } = this.#range();
    const { state } = this;
    if (state.first !== first || state.last !== last || state.isAtEnd !== this.#isAtEnd)
      this.setState({ first, last, isAtEnd: this.#isAtEnd });
  }
}
