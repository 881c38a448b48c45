import { hues } from '../label-palette.js';
import { html } from '../page/html.js';
import { lineClasses, plotDrawing, plotHeight, plotWidth } from './plot-drawing.js';
import type { ShownPlot } from './shown-study.js';
import { dashStyle } from './study-style.js';

const colours = hues.map((hue, i) => `.c${i}{--h:${hue}}`).join('');
const style = `text{font:12px system-ui,sans-serif;fill:#565e6c}.title,.name{fill:#1b1f27}.title{font-size:15px;font-weight:650}
.page{fill:#fff}.grid{stroke:#e6e9ee}.axis{stroke:#565e6c}.line{stroke:oklch(.5 .14 var(--h));stroke-width:2;fill:none}
.dot{fill:oklch(.5 .14 var(--h));stroke:#fff;stroke-width:1}${colours}${dashStyle}
@media(prefers-color-scheme:dark){text{fill:#a6aebd}.title,.name{fill:#e7eaf0}.page{fill:#121418}.grid{stroke:#2a303a}
.axis{stroke:#a6aebd}.line{stroke:oklch(.8 .12 var(--h))}.dot{fill:oklch(.8 .12 var(--h));stroke:#121418}}`;

/** Height of the title, and of a line of the key, which has so many columns. */
const [titleHeight, keyHeight, columns] = [34, 20, 3];

/** A drawing as an SVG file of its own, in light and dark, with its title and a key of its lines. Names are escaped. */
export function plotPicture(plot: ShownPlot): string {
  const { title, lines } = plot;
  const keyTop = titleHeight + plotHeight + 8;
  const height = keyTop + keyHeight * Math.ceil(lines.length / columns) + 4;
  const key = lines.map((line, i) => {
    const x = 70 + (i % columns) * 190;
    const y = keyTop + keyHeight * Math.floor(i / columns) + 6;
    return html`<line class="${lineClasses(i)}" x1="${x}" x2="${x + 32}" y1="${y}" y2="${y}"/><text class="name" x="${x + 40}" y="${y + 4}">${line.name}</text>
`;
  });
  const picture = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${plotWidth} ${height}" width="${plotWidth}" height="${height}" role="img" aria-labelledby="plot">
<title id="plot">${title}</title>
<style>${style}</style>
<rect class="page" width="${plotWidth}" height="${height}"/>
<text class="title" x="70" y="22">${title}</text>
<g transform="translate(0 ${titleHeight})">
${plotDrawing(plot)}</g>
${key}</svg>
`;
  return picture.text;
}
