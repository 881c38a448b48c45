import { html, type Markup } from '../page/html.js';
import { lineClasses, plotDrawing, plotHeight, plotWidth } from './plot-drawing.js';
import type { ShownPlot } from './shown-study.js';

/** A drawing as a figure of a page, with a key of its lines: distinguished by colour, dashes and names of points. */
export function studyChart(plot: ShownPlot): Markup {
  const { title, x, y, lines } = plot;
  if (lines.every(({ points }) => points.length === 0)) {
    return html`<figure class="plot"><figcaption>${title}</figcaption><p class="soft">There are no points to draw.</p></figure>
`;
  }
  return html`<figure class="plot">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${plotWidth} ${plotHeight}" role="img" aria-label="${title}: ${y.title} by ${x.title}">
${plotDrawing(plot)}</svg>
<ul class="key">${lines.map((line, i) => html`<li><svg viewBox="0 0 32 12" aria-hidden="true"><line class="${lineClasses(i)}" x1="0" x2="32" y1="6" y2="6"/></svg>${line.name}</li>`)}</ul>
</figure>
`;
}
