import type { PlannedPiece, PlannedTemplate } from '../extraction/extraction-plan.js';
import { TemplateProgram } from '../extraction/template-program.js';
import { ContentTable } from '../fingerprints/content-table.js';
import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { PlacedIndex } from '../index/placed-index.js';
import { RowList } from '../index/row-list.js';
import type { RowsOfTexts } from './text-table.js';

/** The one piece of a template that is no text, if it has one, and nothing follows it. */
export function onlyPiece({ pieces }: PlannedTemplate): PlannedPiece | undefined {
  const [first, second, third] = pieces;
  if (first?.atom === -1) return third === undefined && second?.atom !== -1 ? second : undefined;
  return second === undefined ? first : undefined;
}

/** Finds the rows of features of templates that look at one text each, for texts of one column. */
export class TextRows implements RowsOfTexts {
  readonly count: number;
  readonly #index: PlacedIndex;
  readonly #program: TemplateProgram;
  readonly #table: ContentTable;
  readonly #list: FingerprintList;
  readonly #rows: RowList;

  /**
   * @param templates those with an `onlyPiece` in the column; wherever it is from the token, the row is the same
   * @param atoms numbers of the column's atoms, in the order in which they hash a text
   */
  constructor(templates: readonly PlannedTemplate[], atoms: readonly number[], index: PlacedIndex) {
    const { memory } = index;
    this.count = templates.length;
    this.#index = index;
    const here = templates.map(template => ({
      ...template,
      pieces: template.pieces.map(piece =>
        piece.atom < 0 ? piece : { ...piece, atom: atoms.indexOf(piece.atom), offset: 0 },
      ),
    }));
    this.#program = new TemplateProgram(here, memory);
    this.#table = new ContentTable(memory, atoms.length, 0);
    this.#list = new FingerprintList(memory);
    this.#rows = new RowList(memory);
  }

  find(contents: readonly Int32Array[]): Uint32Array {
    const { length } = contents;
    const found = new Uint32Array(length * this.count);
    if (found.length === 0) return found;
    const list = this.#list;
    const table = this.#table;
    table.open(length);
    list.open(length, this.count);
    this.#rows.open(length, list.places, true);
    const { lo, hi, stride } = table;
    for (const [t, hashes] of contents.entries()) {
      for (let i = 0; i < hashes.length; i += 2) {
        lo[(i / 2) * stride + t] = hashes[i]!;
        hi[(i / 2) * stride + t] = hashes[i + 1]!;
      }
    }
    this.#program.run(table, list);
    this.#index.findAll(list, 1, this.#rows);
    const { rows } = this.#rows.view(length);
    const places = this.#rows.takePlaces(length);
    for (const [i, place] of places.entries()) found[place] = rows[i]!;
    return found;
  }
}
