/** Loaded before a program, lets its clock jump at SIGUSR2: six hours forward, then twelve back, and so on. */
const hours = 3_600_000;
let offset = 0;
let next = 6 * hours;
const now = Date.now;

globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) super(now() + offset);
    else super(...given);
  }

  static now() {
    return now() + offset;
  }
};

process.on('SIGUSR2', () => {
  offset += next;
  next = next > 0 ? -12 * hours : 12 * hours;
  process.stderr.write(`the clock says ${new Date().toISOString()}\n`);
});
