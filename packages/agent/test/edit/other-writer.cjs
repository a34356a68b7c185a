// Another program that writes the same file over and over, each time with a new number in it, and looks a little later whether
// what it wrote is still there. Prints the numbers that are gone. Arguments: file, way of writing, how many times.

const fs = require("node:fs");

const [file, way, times] = process.argv.slice(2);
const aside = `${file}.theirs`;
const pause = new Int32Array(new SharedArrayBuffer(4));
const wait = (ms) => Atomics.wait(pause, 0, 0, ms);

const write = {
  truncate: (text) => fs.writeFileSync(file, text),
  update(text) {
    const fd = fs.openSync(file, "r+");
    fs.writeSync(fd, text, 0);
    fs.closeSync(fd);
  },
  rename(text) {
    fs.writeFileSync(aside, text);
    fs.renameSync(aside, file);
  },
};

const lost = [];
for (let number = 1; number <= Number(times); number++) {
  const token = `theirs ${String(number).padStart(8, "0")}`;
  write[way](`${token}\nours 0\nend\n`);
  // Longer than an edit takes to notice and to put back.
  wait(6 + Math.random() * 4);
  if (!fs.readFileSync(file, "utf8").startsWith(token)) lost.push(number);
}
process.stdout.write(JSON.stringify(lost));
