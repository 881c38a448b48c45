import type { Span } from '../../core/sentence/span.js';
import type { ScoredSentence } from '../../metrics/evaluation/evaluation.js';
import { spansOf } from '../../text/tags/spans.js';
import type { LabelPalette } from '../label-palette.js';
import { markedSpan, percentText } from '../marked-span.js';
import { html, type Markup, type Piece } from '../page/html.js';

/** A sentence whose wrong tokens have both tags beside them. */
export function tokenErrors({ tokens, gold, tags, marginals }: ScoredSentence): Markup {
  const words = tokens.map((token, t) => {
    if (tags[t] === gold![t]) return html`${token} `;
    const chance = marginals?.[t];
    const title =
      chance === undefined
        ? `tagged ${tags[t]}, gold ${gold![t]}`
        : `tagged ${tags[t]} with probability ${percentText(chance)}, gold ${gold![t]}`;
    return html`<span class="wrong" title="${title}">${token}<span class="vh"> tagged </span><s>${tags[t]}</s><span class="vh"> gold </span><b>${gold![t]}</b></span> `;
  });
  return html`<div>${words}</div>`;
}

/** A sentence twice, with its gold spans and with those of the model; what differs stands out. */
export function spanErrors(sentence: ScoredSentence, palette: LabelPalette): Markup {
  const { tokens, gold, tags } = sentence;
  const right = spansOf(gold!);
  const found = sentence.spans ?? spansOf(tags);
  return html`<dl class="rows"><dt>gold</dt><dd>${row(tokens, right, found, 'missed', palette)}</dd><dt>model</dt><dd>${row(tokens, found, right, 'spurious', palette)}</dd></dl>`;
}

function row(
  tokens: readonly string[],
  spans: readonly Span[],
  others: readonly Span[],
  wrong: 'missed' | 'spurious',
  palette: LabelPalette,
): Piece {
  const pieces: Piece[] = [];
  let at = 0;
  for (const span of spans) {
    const { label, start, end } = span;
    if (start > at) pieces.push(`${tokens.slice(at, start).join(' ')} `);
    const same = others.some(
      other => other.start === start && other.end === end && other.label === label,
    );
    const classes = same ? ' fine' : ` ${wrong}`;
    const [sign, word] = wrong === 'missed' ? ['?', 'missed'] : ['✗', 'wrong'];
    const note = same
      ? undefined
      : html`<span class="note" aria-hidden="true">${sign}</span><span class="vh"> ${word} </span>`;
    const content = tokens.slice(start, end).join(' ');
    pieces.push(markedSpan({ span, colour: palette.of(label), content, classes, note }), ' ');
    at = end;
  }
  pieces.push(tokens.slice(at).join(' '));
  return pieces;
}
