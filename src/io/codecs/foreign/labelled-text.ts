import type { Document, Range } from '../../../core/sentence/document.js';
import type { TextSpan } from '../../../core/sentence/text-span.js';
import { detectScheme } from '../../../text/tags/detect-scheme.js';
import { spansOf } from '../../../text/tags/spans.js';
import { isSpanScheme } from '../../../text/tags/tag-scheme.js';
import { requireTokens } from '../require-tokens.js';
import { tagCell } from '../tag-cells.js';

/** A text with labelled spans, as annotation tools exchange it; all offsets are UTF-16 units. */
export interface LabelledText {
  readonly id?: string;
  readonly text: string;
  /** Places of the tokens, where they are known. */
  readonly tokens?: readonly Range[] | undefined;
  /** Absent where the text is not labelled. */
  readonly spans?: readonly TextSpan[] | undefined;
}

/**
 * A document as a labelled text. Where it has no text, this is its tokens with a blank between; where its tags mark no
 * spans, as parts of speech, each token but those tagged `O` is one.
 *
 * @param marksSpans whether the tags of its data set mark spans; judged by its own if absent
 * @throws TagstreamError `wrong-shape` if it has neither text nor tokens, or tags that are known in part
 * @example
 * labelledText({ tokens: ['New', 'York'], tags: ['B-LOC', 'I-LOC'] })
 * // => ({ text: 'New York', tokens: [[0, 3], [4, 8]], spans: [{ start: 0, end: 8, label: 'LOC' }] })
 */
export function labelledText(document: Document, marksSpans?: boolean): LabelledText {
  const { id, tokens } = document;
  const own = id === undefined ? {} : { id };
  if (tokens === undefined && document.text !== undefined) {
    const { text, spans } = document;
    return { ...own, text, ...(spans === undefined ? {} : { spans }) };
  }
  const { text, offsets } = placed(document);
  const tags = document.tags ?? document.partialTags?.map(tag => tagCell(tag, {}));
  const spans = tags === undefined ? document.spans : textSpans(tags, offsets, marksSpans);
  return { ...own, text, tokens: offsets, ...(spans === undefined ? {} : { spans }) };
}

function placed(document: Document): { text: string; offsets: readonly Range[] } {
  const { text, offsets } = document;
  if (text !== undefined && offsets !== undefined) return { text, offsets };
  const tokens = document.tokens ?? requireTokens(document, 'text with spans');
  const found: Range[] = [];
  let at = 0;
  for (const token of tokens) {
    found.push([at, at + token.length]);
    at += token.length + 1;
  }
  return { text: tokens.join(' '), offsets: found };
}

function textSpans(
  tags: readonly string[],
  offsets: readonly Range[],
  marksSpans = tags.every(tag => tag === 'O') || isSpanScheme(detectScheme(new Set(tags))),
): TextSpan[] {
  const spans = marksSpans
    ? spansOf(tags)
    : tags.flatMap((label, t) => (label === 'O' ? [] : [{ label, start: t, end: t + 1 }]));
  return spans.map(({ label, start, end }) => ({
    start: offsets[start]![0],
    end: offsets[end - 1]![1],
    label,
  }));
}
