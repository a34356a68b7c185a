// The code of the watchdog's thread, as text: it is loaded from no file. Sleeps until an extension's code runs, then asks the other
// thread for a sign of life. When none comes, it does everything itself: the other thread cannot do anything any more.

/** Places in the shared numbers: which extension runs (0: none), and the last question that was answered. */
export const CURRENT = 0;
export const ANSWERED = 1;

/** Throws away what was typed while nobody read it, which the shell would run otherwise. Then the modes of a terminal that a shell uses. */
const GIVEN_BACK =
  "stty -icanon -echo -isig min 0 time 1; dd bs=65536 count=16 >/dev/null 2>&1; stty sane; case $LC_ALL$LC_CTYPE$LANG in *UTF-8*|*utf8*) stty iutf8;; esac";

/** Synchronized output, other screen, bracketed paste, focus reports, key protocols, hidden cursor, colours: all off; then what is below. */
const RESTORED = "\\x1b[?2026l\\x1b[?1049l\\x1b[?2004l\\x1b[?1004l\\x1b[<u\\x1b[>4;0m\\x1b[?25h\\x1b[0m\\r\\n\\x1b[J";

export const watchdogSource = (): string => `
const { workerData, parentPort, receiveMessageOnPort } = require("node:worker_threads");
const fs = require("node:fs");
const { dirname } = require("node:path");
const { spawnSync } = require("node:child_process");
const { blockedMs, offFile, hasTerminal, pid } = workerData;
const cells = new Int32Array(workerData.cells);
const nobody = new Int32Array(new SharedArrayBuffer(4));
const known = new Map();
let resume = "";
let asked = 0;

for (;;) {
  Atomics.wait(cells, ${CURRENT}, 0);
  watch();
}

/** Until our question is answered while no extension runs. */
function watch() {
  for (;;) {
    parentPort.postMessage(++asked);
    const since = Date.now();
    const before = use();
    let asleep = 0;
    let inside = 0;
    let looks = 0;
    let last = 0;
    while (Atomics.load(cells, ${ANSWERED}) !== asked) {
      Atomics.wait(nobody, 0, 0, blockedMs / 20);
      const id = Atomics.load(cells, ${CURRENT});
      looks++;
      if (use().isAsleep) asleep++;
      if (id !== 0) {
        inside++;
        last = id;
      }
      const waited = Date.now() - since;
      // A chain of promises leaves and enters all the time; what blocks without an extension is not its doing.
      if (waited < blockedMs || inside < looks / 4) continue;
      // On a machine that is too busy the other thread does next to nothing, and does not sleep either. A fifth of a processor is enough
      // to tell: with half of one, a loop would run for twice the time on a machine with other work.
      const isBusy = use().ms - before.ms >= blockedMs / 5;
      if (isBusy || asleep >= looks / 2 || waited >= 6 * blockedMs) end(last);
    }
    Atomics.wait(nobody, 0, 0, blockedMs / 10);
    if (Atomics.load(cells, ${CURRENT}) === 0) return;
  }
}

/** What the other thread has used of the processor, and whether it waits for something. Unknown without /proc: then it is busy. */
function use() {
  try {
    const fields = fs.readFileSync("/proc/self/task/" + pid + "/stat", "utf8").replace(/^.*\\) /s, "").split(" ");
    return { isAsleep: fields[0] === "S" || fields[0] === "D", ms: 10 * (Number(fields[11]) + Number(fields[12])) };
  } catch {
    return { isAsleep: true, ms: 0 };
  }
}

function end(id) {
  for (let next; (next = receiveMessageOnPort(parentPort)); ) {
    const { message } = next;
    if (message.resume !== undefined) resume = message.resume;
    else known.set(message.id, message);
  }
  const { name, file } = known.get(id);
  const reason = "blocked Lathe for " + blockedMs / 1000 + " s";
  turnOff(name, file, reason);
  if (hasTerminal) {
    say(1, "${RESTORED}");
    spawnSync("sh", ["-c", "${GIVEN_BACK}"], { stdio: ["inherit", "ignore", "ignore"], timeout: 2000 });
  }
  const again = resume === "" ? "" : " To continue: lathe --resume " + resume;
  say(2, "lathe: The extension " + name + " (" + file + ") " + reason + ", so Lathe had to end. It is off now; to turn it on: lathe ext enable " + name + "." + again + "\\n");
  process.kill(pid, "SIGKILL");
}

function turnOff(name, file, reason) {
  let off = {};
  try {
    off = JSON.parse(fs.readFileSync(offFile, "utf8"));
  } catch {} // the first one
  off[file] = { name, reason };
  try {
    fs.mkdirSync(dirname(offFile), { recursive: true });
    fs.writeFileSync(offFile, JSON.stringify(off, null, 2) + "\\n");
  } catch (error) {
    say(2, "lathe: " + error.message + "\\n");
  }
}

function say(fd, text) {
  try {
    fs.writeSync(fd, text);
  } catch {} // nobody is there to read it
}
`;
