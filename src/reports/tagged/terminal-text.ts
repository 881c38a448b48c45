import type { TaggedDocument } from '../../engine/core/sentence/tagged-document.js';
import { spellOut } from '../../engine/text/visible.js';
import { LabelPalette } from '../label-palette.js';
import { percentText } from '../marked-span.js';
import { type RecordPiece, recordPieces } from './record-pieces.js';

/** Backgrounds from the 256-colour palette in the order of label colours: light ones first, then deeper ones. */
const backgrounds = [
  ...[217, 153, 157, 183, 229, 159, 218, 192, 189, 223, 158, 117],
  ...[209, 111, 114, 176, 179, 80, 211, 185, 141, 215, 79, 74],
];

const [reset, dim, undim, bold] = ['\x1b[0m', '\x1b[2m', '\x1b[22m', '\x1b[1m'];

/**
 * Formats tagged records for reading: spans are coloured, or in brackets with their label; if the tags mark no spans,
 * each word is followed by its tag. A blank line ends a record. Control characters become U+FFFD.
 *
 * @example
 * const text = new TerminalText({ colour: false, labels: [] });
 * const spans = [{ label: 'PER', start: 0, end: 1 }];
 * text.write({ document: {}, tokens: ['Ben', 'ran'], tags: ['B-PER', 'O'], spans }) // => '[Ben PER] ran\n\n'
 */
export class TerminalText {
  readonly #colour: boolean;
  readonly #palette: LabelPalette;

  /** @param options.labels span labels, if known */
  constructor({ colour, labels }: { colour: boolean; labels: readonly string[] }) {
    this.#colour = colour;
    this.#palette = new LabelPalette(labels);
  }

  /** Returns a record as text, with the blank line that ends it. */
  write(tagged: TaggedDocument): string {
    const { id } = tagged.document;
    const name = id === undefined ? '' : `${this.#dimmed(printable(id))}  `;
    const pieces = recordPieces(tagged);
    const text = pieces.map((piece, i) => {
      // A tag would run into a word that follows directly.
      const apart = piece.kind === 'word' && pieces[i - 1]?.kind === 'word';
      return `${apart ? ' ' : ''}${this.#piece(piece)}`;
    });
    return `${name}${text.join('')}\n\n`;
  }

  #piece(piece: RecordPiece): string {
    const text = printable(piece.text);
    if (piece.kind === 'text') return text;
    if (piece.kind === 'word') return `${text}${this.#dimmed(`/${printable(piece.tag)}`)}`;
    const { label, probability } = piece.span;
    const chance = probability === undefined ? '' : ` ${percentText(probability)}`;
    const name = `${printable(label)}${chance}`;
    if (!this.#colour) return `[${text} ${name}]`;
    const start = `\x1b[30;48;5;${backgrounds[this.#palette.of(label)]}m`;
    // Line by line: otherwise the background would extend to the end of the line.
    const lines = text.split('\n').map((line, i, { length }) => {
      const end = i === length - 1 ? ` ${bold}${name} ` : '';
      return `${start} ${line}${end}${reset}`;
    });
    return lines.join('\n');
  }

  #dimmed(text: string): string {
    return this.#colour ? `${dim}${text}${undim}` : text;
  }
}

/** Replaces characters that could control a terminal. */
function printable(text: string): string {
  return spellOut(text, character => (/[\n\t]/.test(character) ? character : '\ufffd'));
}
