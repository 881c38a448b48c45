import type { Span } from '../../engine/core/sentence/sentence.js';
import type { TaggedDocument } from '../../engine/core/sentence/tagged-document.js';

/** A piece of a tagged record, in the order of display. */
export type RecordPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'span'; readonly text: string; readonly span: Span }
  | {
      readonly kind: 'word';
      readonly text: string;
      readonly tag: string;
      readonly probability: number | undefined;
    };

/**
 * Returns a tagged record as pieces: its own text if it has one, else its tokens separated by blanks, one line per
 * sentence. Each span is a piece; if the tags mark none, each word is one.
 *
 * @example
 * const tagged = { document: {}, tokens: ['Go', 'on'], tags: ['B-X', 'O'], spans: [{ label: 'X', start: 0, end: 1 }] };
 * recordPieces(tagged).map(({ kind, text }) => `${kind}:${text}`) // => ['span:Go', 'text: ', 'text:on']
 */
export function recordPieces(tagged: TaggedDocument): RecordPiece[] {
  const { tokens, tags, spans, marginals } = tagged;
  const gap = gapsOf(tagged);
  const pieces: RecordPiece[] = [];
  const addGap = (t: number) => {
    const text = gap(t);
    if (text !== '') pieces.push({ kind: 'text', text });
  };
  let next = 0;
  for (let t = 0; t < tokens.length; ) {
    addGap(t);
    const span = spans?.[next];
    if (span !== undefined && span.start === t) {
      let text = tokens[t]!;
      for (let i = t + 1; i < span.end; i += 1) text += gap(i) + tokens[i]!;
      pieces.push({ kind: 'span', text, span });
      next += 1;
      t = span.end;
    } else {
      const [text, tag] = [tokens[t]!, tags[t]!];
      if (spans !== undefined) pieces.push({ kind: 'text', text });
      else pieces.push({ kind: 'word', text, tag, probability: marginals?.[t] });
      t += 1;
    }
  }
  addGap(tokens.length);
  return pieces;
}

/** Returns the text before each token and after the last one. */
function gapsOf({ document, tokens, offsets, sentences }: TaggedDocument): (t: number) => string {
  const { text } = document;
  if (text !== undefined && offsets !== undefined) {
    return t => {
      const from = t === 0 ? 0 : offsets[t - 1]![1];
      const to = t === tokens.length ? text.length : offsets[t]![0];
      const gap = text.slice(from, to);
      // White space at the ends of a record is meaningless.
      return t === 0 ? gap.trimStart() : t === tokens.length ? gap.trimEnd() : gap;
    };
  }
  const starts = new Set(sentences?.map(([start]) => start));
  return t => (t === 0 || t === tokens.length ? '' : starts.has(t) ? '\n' : ' ');
}
