// Loaded into the command for pictures: the time is what the file STILL_CLOCK says, in milliseconds, and moves only when the file is
// written. So a picture of "took 3.2s" is the same every time.

const { readFileSync } = require("node:fs");

const NOON = Date.UTC(2026, 0, 15, 12);
const passed = () => Number(readFileSync(process.env.STILL_CLOCK, "utf8"));
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [NOON + passed()] : args));
  }
  static now() {
    return NOON + passed();
  }
};
performance.now = passed;
