import type { ContentTable } from './content-table.js';
import type { PlannedTemplate } from './extraction-plan.js';
import type { FingerprintList } from './fingerprint-list.js';
import { finished } from './finished.js';

const loStart = 0x3c6ef372;
const hiStart = 0x1b873593;

/**
 * Templates as flat arrays of integers: for each the hash of its leading text, then its pieces, an atom
 * with an offset or the hash of a text.
 *
 * The fingerprint of a feature mixes the hashes of its pieces in order, one 32-bit lane each for lo and
 * hi, and ends with murmur3's finaliser across the lanes.
 */
export class TemplateProgram {
  readonly #templates: readonly PlannedTemplate[];
  readonly #loStart: Int32Array;
  readonly #hiStart: Int32Array;
  /** Pieces of template `k` are `[ends[k - 1], ends[k])`. */
  readonly #ends: Int32Array;
  /** For each piece its atom, or -1 for text. */
  readonly #atoms: Int32Array;
  readonly #offsets: Int32Array;
  readonly #lo: Int32Array;
  readonly #hi: Int32Array;
  /** 1 for a template whose places are absolute, or whose feature has a value. */
  readonly #special: Uint8Array;

  constructor(templates: readonly PlannedTemplate[]) {
    this.#templates = templates;
    const leads = templates.map(({ pieces }) => (pieces[0]?.atom === -1 ? pieces[0] : undefined));
    this.#loStart = Int32Array.from(leads, lead => (lead ? mixLo(loStart, lead.lo) : loStart));
    this.#hiStart = Int32Array.from(leads, lead => (lead ? mixHi(hiStart, lead.hi) : hiStart));
    const rest = templates.map(({ pieces }, k) => (leads[k] ? pieces.slice(1) : pieces));
    let end = 0;
    this.#ends = Int32Array.from(rest, pieces => {
      end += pieces.length;
      return end;
    });
    const all = rest.flat();
    this.#atoms = Int32Array.from(all, piece => piece.atom);
    this.#offsets = Int32Array.from(all, piece => piece.offset);
    this.#lo = Int32Array.from(all, piece => piece.lo);
    this.#hi = Int32Array.from(all, piece => piece.hi);
    this.#special = Uint8Array.from(templates, ({ pieces, real }) =>
      real !== undefined || pieces.some(piece => piece.absolute) ? 1 : 0,
    );
  }

  get isEmpty(): boolean {
    return this.#templates.length === 0;
  }

  /**
   * Appends the fingerprints of all active features of a sentence, in token order and then in that of
   * the templates; `ends[t]` becomes the length of the list after token `t`.
   *
   * @param special makes the feature of a template with absolute places or a value
   */
  run(
    length: number,
    table: ContentTable,
    list: FingerprintList,
    ends: Uint32Array,
    special: (template: PlannedTemplate, t: number) => void,
  ): void {
    const count = this.#templates.length;
    list.length = 0;
    list.reserve(length * count);
    const { lo: contentLo, hi: contentHi, present, stride, margin } = table;
    const { lo: listLo, hi: listHi, values } = list;
    const atoms = this.#atoms;
    const offsets = this.#offsets;
    const textLo = this.#lo;
    const textHi = this.#hi;
    for (let t = 0; t < length; t += 1) {
      const here = margin + t;
      let piece = 0;
      for (let k = 0; k < count; k += 1) {
        const end = this.#ends[k]!;
        if (this.#special[k] === 1) {
          special(this.#templates[k]!, t);
          piece = end;
          continue;
        }
        let lo = this.#loStart[k]!;
        let hi = this.#hiStart[k]!;
        let active = 1;
        for (; piece < end; piece += 1) {
          const atom = atoms[piece]!;
          if (atom >= 0) {
            const at = atom * stride + here + offsets[piece]!;
            active &= present[at]!;
            lo = mixLo(lo, contentLo[at]!);
            hi = mixHi(hi, contentHi[at]!);
          } else {
            lo = mixLo(lo, textLo[piece]!);
            hi = mixHi(hi, textHi[piece]!);
          }
        }
        if (active === 0) continue;
        lo = finished(lo ^ Math.imul(hi, 0x9e3779b1));
        const n = list.length;
        listLo[n] = lo;
        listHi[n] = finished(hi ^ Math.imul(lo, 0x85ebca77));
        values[n] = 1;
        list.length = n + 1;
      }
      ends[t] = list.length;
    }
  }
}

function mixLo(lane: number, content: number): number {
  const x = Math.imul(lane ^ content, 0x9e3779b1);
  return (x << 15) | (x >>> 17);
}

function mixHi(lane: number, content: number): number {
  const x = Math.imul(lane ^ content, 0x85ebca77);
  return (x << 13) | (x >>> 19);
}

/** The same fingerprint from the hashes of all pieces, one by one; slow, for special templates. */
export function fingerprintOf(pieces: readonly { lo: number; hi: number }[]): {
  lo: number;
  hi: number;
} {
  let lo = loStart;
  let hi = hiStart;
  for (const piece of pieces) {
    lo = mixLo(lo, piece.lo);
    hi = mixHi(hi, piece.hi);
  }
  lo = finished(lo ^ Math.imul(hi, 0x9e3779b1));
  return { lo, hi: finished(hi ^ Math.imul(lo, 0x85ebca77)) };
}
