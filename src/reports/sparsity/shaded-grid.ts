import { visible } from '../../text/visible.js';
import { html, type Markup } from '../page/html.js';

/** A table that is drawn as shaded cells. */
export interface ShadedGrid {
  readonly title: string;
  /** What rows and columns are. */
  readonly rowAxis: string;
  readonly columnAxis: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Class of a cell, one of `shades`; undefined where it stays empty. */
  readonly shade: (row: number, column: number) => string | undefined;
  /** What the classes mean, in the order of the legend. */
  readonly shades: readonly { readonly name: string; readonly meaning: string }[];
  /** A sentence below the title. */
  readonly summary: string;
}

/** A drawing and the room that it takes. */
export interface Drawing {
  readonly markup: Markup;
  readonly width: number;
  readonly height: number;
}

const longest = 28;
const letter = 6.2;
const head = 66;

/**
 * A grid of cells, those of one shade in one path, with a name for each row and column that has room, as
 * SVG with its upper left corner at (0, `top`). Cost O(cells).
 */
export function shadedGrid(grid: ShadedGrid, top: number): Drawing {
  const { rows, columns, shades } = grid;
  const [rowNames, columnNames] = [rows.map(short), columns.map(short)];
  const cell = cellSize(Math.max(rows.length, columns.length));
  const left = 34 + letter * Math.max(4, ...rowNames.map(name => name.length));
  const above = 30 + letter * Math.max(4, ...columnNames.map(name => name.length));
  const [x, y] = [left, top + head + above];
  const [right, bottom] = [x + cell * columns.length, y + cell * rows.length];
  const every = Math.max(1, Math.ceil(11 / cell));
  const rowTexts = rowNames.map((name, i) =>
    i % every > 0
      ? undefined
      : html`<text x="${x - 6}" y="${y + cell * (i + 0.5) + 3.5}" text-anchor="end">${name}</text>
`,
  );
  const columnTexts = columnNames.map((name, i) => {
    const at = x + cell * (i + 0.5) + 3.5;
    return i % every > 0
      ? undefined
      : html`<text transform="translate(${at} ${y - 6}) rotate(-90)">${name}</text>
`;
  });
  const paths = shades.map(({ name, meaning }) => {
    const steps: string[] = [];
    for (let row = 0; row < rows.length; row += 1) {
      for (let column = 0; column < columns.length; column += 1) {
        if (grid.shade(row, column) !== name) continue;
        steps.push(`M${x + cell * column} ${y + cell * row}h${cell}v${cell}h-${cell}z`);
      }
    }
    return steps.length === 0
      ? undefined
      : html`<path class="${name}" d="${steps.join('')}"><title>${meaning}</title></path>
`;
  });
  const legend = shades.map(
    ({ name, meaning }, i) =>
      html`<rect class="${name}" x="8" y="${bottom + 18 + 18 * i}" width="12" height="12"/><text x="28" y="${bottom + 28 + 18 * i}">${meaning}</text>
`,
  );
  const markup = html`<g>
<text class="title" x="8" y="${top + 20}">${grid.title}</text>
<text x="8" y="${top + 40}">${grid.summary}</text>
<text class="axis" x="${x}" y="${top + head}">${grid.columnAxis}</text>
<text class="axis" transform="translate(18 ${bottom}) rotate(-90)">${grid.rowAxis}</text>
<rect class="field" x="${x}" y="${y}" width="${right - x}" height="${bottom - y}"/>
${paths}${rowTexts}${columnTexts}${legend}</g>
`;
  const texts = [grid.title, grid.summary, ...shades.map(({ meaning }) => meaning)];
  const textWidth = 40 + 7.2 * Math.max(...texts.map(text => text.length));
  return {
    markup,
    width: Math.ceil(Math.max(right + 16, textWidth)),
    height: Math.ceil(bottom + 30 + 18 * shades.length - top),
  };
}

/** Cells are smaller the more there are. */
function cellSize(count: number): number {
  return count <= 30 ? 16 : count <= 80 ? 10 : 5;
}

function short(name: string): string {
  const letters = Array.from(visible(name));
  return letters.length <= longest
    ? letters.join('')
    : `${letters.slice(0, longest - 1).join('')}…`;
}
