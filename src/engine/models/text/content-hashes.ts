import { Fingerprint } from '../../features/fingerprints/fingerprint.js';
import {
  type CharacterColumn,
  type ColumnWindow,
  feedChunk,
} from '../../text/characters/character-columns.js';
import { type CharacterText, outside } from '../../text/characters/character-text.js';

const bmp = 0x10000;

/**
 * Hashes the values of character columns exactly as templates hash their text, without allocating
 * strings.
 */
export class ContentHashes {
  /** Hash halves lo and hi of each code point of the BMP seen so far, and whether it was seen. */
  readonly #points = new Int32Array(2 * bmp);
  readonly #known = new Uint8Array(bmp);
  readonly #hash = new Fingerprint();
  lo = 0;
  hi = 0;

  /** Looks up or computes the hash of a code point. */
  point(point: number): void {
    if (point >= bmp) {
      this.#hashPoint(point);
      return;
    }
    if (this.#known[point] === 0) {
      this.#hashPoint(point);
      this.#points[2 * point] = this.lo;
      this.#points[2 * point + 1] = this.hi;
      this.#known[point] = 1;
      return;
    }
    this.lo = this.#points[2 * point]!;
    this.hi = this.#points[2 * point + 1]!;
  }

  /**
   * Writes the hash halves of a column's values at some places of a text to `lo` and `hi`, from `to` on; one call instead of
   * `point` for each.
   */
  points(
    { offset, pointOf }: ColumnWindow,
    values: ArrayLike<number>,
    { length, places }: { readonly length: number; readonly places: Int32Array },
    { lo, hi, to }: { readonly lo: Int32Array; readonly hi: Int32Array; readonly to: number },
  ): void {
    const known = this.#known;
    const points = this.#points;
    for (let i = 0; i < places.length; i += 1) {
      const at = places[i]! + offset;
      const point = at < 0 || at >= length ? outside : pointOf(values[at]!);
      if (point < bmp && known[point] === 1) {
        lo[to + i] = points[2 * point]!;
        hi[to + i] = points[2 * point + 1]!;
        continue;
      }
      this.point(point);
      lo[to + i] = this.lo;
      hi[to + i] = this.hi;
    }
  }

  /** Looks up or computes the hash of a chunk or its shape. */
  chunk(text: CharacterText, chunk: number, kind: CharacterColumn['kind']): void {
    const hash = this.#hash;
    hash.start();
    feedChunk(text, chunk, kind, point => feedPoint(hash, point));
    hash.finish();
    this.lo = hash.lo;
    this.hi = hash.hi;
  }

  #hashPoint(point: number): void {
    const hash = this.#hash;
    hash.start();
    feedPoint(hash, point);
    hash.finish();
    this.lo = hash.lo;
    this.hi = hash.hi;
  }
}

/**
 * Feeds the UTF-8 bytes of a code point to a hash; a lone surrogate counts as U+FFFD, as in a text.
 */
function feedPoint(hash: Fingerprint, given: number): void {
  const point = given >= 0xd800 && given <= 0xdfff ? 0xfffd : given;
  if (point < 0x80) hash.byte(point);
  else if (point < 0x800) {
    hash.byte(0xc0 | (point >>> 6));
    hash.byte(0x80 | (point & 0x3f));
  } else if (point < bmp) {
    hash.byte(0xe0 | (point >>> 12));
    hash.byte(0x80 | ((point >>> 6) & 0x3f));
    hash.byte(0x80 | (point & 0x3f));
  } else {
    hash.byte(0xf0 | (point >>> 18));
    hash.byte(0x80 | ((point >>> 12) & 0x3f));
    hash.byte(0x80 | ((point >>> 6) & 0x3f));
    hash.byte(0x80 | (point & 0x3f));
  }
}
