import { TagstreamError } from '../../../core/errors.js';
import type { Range } from '../../../core/sentence/document.js';
import type { TextSpan } from '../../../core/sentence/text-span.js';
import { tagsOfScheme } from '../../../text/tags/convert-tags.js';
import { withoutOverlaps } from '../../../text/tags/tags-of-spans.js';
import type { Line } from '../../lines/line-splitter.js';
import type { DocumentDraft } from '../codec.js';
import { type LeftOutSpans, leftOutSpans } from '../foreign/placed-spans.js';
import type { WebannoFormat } from './webanno-options.js';
import { cellLabels, ownCells, unescaped } from './webanno-rows.js';

/** What rows of a sentence say. */
interface Rows {
  readonly tokens: string[];
  readonly places: Range[];
  /** Labels of each token; those of its parts count as its own. */
  readonly labels: { readonly label: string; readonly key: string | undefined }[][];
  /** Labels of parts of tokens. */
  parts: number;
}

/**
 * The sentence of some lines: text, tokens with their places in it, and tags.
 *
 * @throws TagstreamError `wrong-shape`
 */
export function readSentence(lines: readonly Line[], options: WebannoFormat): DocumentDraft {
  const rows: Rows = { tokens: [], places: [], labels: [], parts: 0 };
  const texts: string[] = [];
  for (const line of lines) {
    if (line.text.startsWith('#')) {
      if (line.text.startsWith('#Text=')) texts.push(unescaped(line.text.slice('#Text='.length)));
    } else {
      addRow(rows, line, options);
    }
  }
  const { tokens, places } = rows;
  const draft: DocumentDraft = { tokens };
  const text = texts.join('\n');
  const first = places[0]?.[0] ?? 0;
  const offsets = places.map(([start, end]): Range => [start - first, end - first]);
  const fits = offsets.every(([start, end], t) => text.slice(start, end) === tokens[t]);
  if (fits) Object.assign(draft, { text, offsets });
  draft.tags = options.spans ? spanTags(rows, options) : tokenTags(rows);
  return draft;
}

function addRow(rows: Rows, line: Line, { column, overlaps }: WebannoFormat): void {
  const cells = line.text.split('\t');
  const [, , part] = /^(\d+)-\d+(?:\.(\d+))?$/.exec(cells[0]!) ?? [];
  const place = /^(\d+)-(\d+)$/.exec(cells[1] ?? '');
  const cell = cells[ownCells - 1 + column];
  if (!/^\d+-\d+(?:\.\d+)?$/.test(cells[0]!) || place === null || cell === undefined) {
    throw new TagstreamError(
      'wrong-shape',
      `a row that is not ID, PLACE, TOKEN and ${column} more`,
      {
        place: { line: line.number },
        fix: 'write it as 1-1, a tab, 0-4, a tab, Acme, and a column for each feature, or name another column',
      },
    );
  }
  const found = cellLabels(cell);
  if (part === undefined) {
    rows.tokens.push(unescaped(cells[2]!));
    rows.places.push([Number(place[1]), Number(place[2])]);
    rows.labels.push([...found]);
    return;
  }
  if (found.length === 0) return;
  if (overlaps === 'reject' || rows.labels.length === 0) {
    throw new TagstreamError('wrong-shape', `a label of a part of a token, ${cells[0]}`, {
      place: { line: line.number },
      fix: 'label the token, or set overlaps to longest or first in the source: the token is labelled',
    });
  }
  rows.parts += 1;
  rows.labels.at(-1)!.push(...found);
}

function spanTags({ labels }: Rows, { overlaps }: WebannoFormat): string[] {
  const spans: TextSpan[] = [];
  const open = new Map<string, number>();
  for (const [t, found] of labels.entries()) {
    for (const { label, key } of found) {
      const at = key === undefined ? undefined : open.get(`${key} ${label}`);
      if (at !== undefined) {
        spans[at] = { ...spans[at]!, end: t + 1 };
        continue;
      }
      if (key !== undefined) open.set(`${key} ${label}`, spans.length);
      spans.push({ start: t, end: t + 1, label });
    }
  }
  const named = spans.filter(({ label }) => label !== '');
  const kept = withoutOverlaps(named, [], overlaps === 'reject' ? 'first' : overlaps);
  if (kept.length < named.length && overlaps === 'reject') {
    throw new TagstreamError('wrong-shape', 'spans overlap', {
      fix: 'keep one of them, as a token has one tag, or set overlaps to longest or first in the source',
    });
  }
  const count = named.length - kept.length;
  if (count > 0) leftOutSpans.publish({ count, why: 'overlap' } satisfies LeftOutSpans);
  return tagsOfScheme(kept, labels.length, 'BIO');
}

function tokenTags({ labels }: Rows): string[] {
  return labels.map(([first]) => first?.label || '_');
}
