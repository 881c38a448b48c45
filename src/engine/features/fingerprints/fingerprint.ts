/**
 * A 64-bit hash of text, fed piece by piece: two 32-bit lanes over UTF-8 bytes.
 *
 * Each lane multiplies and rotates with constants of its own, and ends with murmur3's finaliser.
 * The fields are reused for each hash, so nothing is allocated: `start`, feed, `finish`, read `lo`
 * and `hi`. The hash does not depend on the process, the machine or the order, and is not resistant
 * to deliberate collisions.
 */
export class Fingerprint {
  lo = 0;
  hi = 0;

  start(): void {
    this.lo = 0x2545f491;
    this.hi = 0x6c078965;
  }

  /** Feeds one byte. */
  byte(value: number): void {
    const lo = Math.imul(this.lo ^ value, 0x9e3779b1);
    const hi = Math.imul(this.hi ^ value, 0x85ebca77);
    this.lo = (lo << 13) | (lo >>> 19);
    this.hi = (hi << 11) | (hi >>> 21);
  }

  /** Feeds a 32-bit word. */
  word(value: number): void {
    let lo = Math.imul(this.lo ^ value, 0x9e3779b1);
    let hi = Math.imul(this.hi ^ value, 0x85ebca77);
    lo ^= lo >>> 15;
    hi ^= hi >>> 13;
    this.lo = Math.imul(lo, 0x2c1b3c6d);
    this.hi = Math.imul(hi, 0x297a2d39);
  }

  /** Feeds the UTF-8 bytes of `text[from, to)`; a lone surrogate counts as U+FFFD. */
  text(text: string, from = 0, to = text.length): void {
    for (let i = from; i < to; i += 1) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) {
        this.byte(unit);
        continue;
      }
      const point = text.codePointAt(i)!;
      if (point > 0xffff) {
        this.byte(0xf0 | (point >>> 18));
        this.byte(0x80 | ((point >>> 12) & 0x3f));
        this.byte(0x80 | ((point >>> 6) & 0x3f));
        this.byte(0x80 | (point & 0x3f));
        i += 1;
      } else if (unit < 0x800) {
        this.byte(0xc0 | (unit >>> 6));
        this.byte(0x80 | (unit & 0x3f));
      } else {
        const whole = unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit;
        this.byte(0xe0 | (whole >>> 12));
        this.byte(0x80 | ((whole >>> 6) & 0x3f));
        this.byte(0x80 | (whole & 0x3f));
      }
    }
  }

  finish(): void {
    this.lo = finished(this.lo ^ Math.imul(this.hi, 0x9e3779b1));
    this.hi = finished(this.hi ^ Math.imul(this.lo, 0x85ebca77));
  }
}

/** Applies murmur3's finaliser to a 32-bit hash, after which each bit depends on all bits. */
export function finished(word: number): number {
  let x = word ^ (word >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return x ^ (x >>> 16);
}

/** Records the text that would be hashed, from which a feature name is built. */
export class TextRecorder extends Fingerprint {
  recorded = '';

  override start(): void {
    this.recorded = '';
  }

  override byte(value: number): void {
    this.recorded += String.fromCharCode(value);
  }

  /** Feeds a word as one character; used by shapes. */
  override word(value: number): void {
    this.recorded += String.fromCodePoint(value);
  }

  override text(text: string, from = 0, to = text.length): void {
    this.recorded += text.slice(from, to);
  }
}
