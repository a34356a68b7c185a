// The line that is still coming, as it is worth showing: half a mark looks like an error, so it waits until it means something.

const MARK_ONLY = /^[ >]*(?:[-*+#`~|=_:]+|\d{1,9}[.)]?)? *$/;
/** A fence shows nothing by itself, and the columns of a table are known when its row is whole. */
const WHOLE_LINE = /^[ >]*(?:```|~~~|\|)/;
/** The address of a link is not shown once it is whole: nor before. */
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

/** Without half of a line end or of a character. */
const withoutHalves = (text: string): string => text.replace(/[\r\ud800-\udbff]$/, "");
