// The part of an unfinished line that is worth showing: an incomplete mark looks like an error, so it waits until it is
// complete.

const MARK_ONLY = /^[ >]*(?:[-*+#`~|=_:]+|\d{1,9}[.)]?)? *$/;
/** A fence shows nothing by itself, and the columns of a table are only known when the row is complete. */
const WHOLE_LINE = /^[ >]*(?:```|~~~|\|)/;
/** The address of a complete link is not shown, so do not show it before either. */
const OPEN_LINK = /(?<!!)\[([^\][]+)\]\([^()\s]*$/;

export function previewOf(partial: string, isVerbatim: boolean): string {
  const whole = withoutHalves(partial);
  if (isVerbatim) return /^ *[`~]+$/.test(whole) ? "" : whole;
  if (MARK_ONLY.test(partial) || WHOLE_LINE.test(partial)) return "";
  const ticks = whole.split("`").length - 1;
  if (ticks % 2 === 1) return `${whole.replace(/`$/, "")}${whole.endsWith("`") ? "" : "`"}`;
  return closeMarks(whole.replace(OPEN_LINK, "$1"));
}

function closeMarks(whole: string): string {
  const outsideCode = whole.replace(/`[^`]*`/g, "");
  if ((outsideCode.split("**").length - 1) % 2 === 0) return whole.replace(/(?<=\s)\*{1,2}$/, "");
  return /\*\*$/.test(whole) ? whole.slice(0, -2) : `${whole.replace(/\*$/, "").trimEnd()}**`;
}

/** Removes half a line break or half a character at the end. */
const withoutHalves = (text: string): string => text.replace(/[\r\ud800-\udbff]$/, "");
