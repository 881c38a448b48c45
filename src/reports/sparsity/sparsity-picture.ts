import { percent } from '../../engine/core/figures.js';
import type {
  FeaturesPattern,
  SparsityPattern,
} from '../../engine/models/inspection/sparsity-pattern.js';
import { visible } from '../../engine/text/visible.js';
import { html, type Markup } from '../page/html.js';

const style = `text{font:11px system-ui,sans-serif;fill:#1b1f27}.title{font-size:15px;font-weight:650}
.axis{font-weight:650}.page{fill:#fff}.field{fill:#f1f3f6;stroke:#8a93a3}
.p1{fill:#b5cdf5}.p2{fill:#6a9be8}.p3{fill:#2a62c9}.p4{fill:#0b2f78}
.n1{fill:#f7c3b0}.n2{fill:#e98a68}.n3{fill:#c64a22}.n4{fill:#7a2108}
@media(prefers-color-scheme:dark){text{fill:#e7eaf0}.page{fill:#121418}.field{fill:#22262e;stroke:#667085}
.p1{fill:#1f3c6e}.p2{fill:#2f62b8}.p3{fill:#6a9df0}.p4{fill:#cfe0ff}
.n1{fill:#5e2a1a}.n2{fill:#a8482a}.n3{fill:#ee8a66}.n4{fill:#ffd9cb}}`;

/** Upper ends of the four shades, as shares of the largest value. */
const steps = [0.1, 0.3, 0.6, 1];

/**
 * Draws the nonzero weights of a model, as a standalone SVG file: the transitions, by sign and size; transitions
 * conditioned on observations, by their number of observations; and each template's features by label, one by one if
 * there are few. Names from the model are escaped. Cost O(labels^2 + templates * labels).
 *
 * @param name of the model, for the title
 */
export function sparsityPicture(name: string, pattern: SparsityPattern): string {
  const grids: ShadedGrid[] = [];
  if (pattern.hasTransitions) grids.push(transitionGrid(pattern));
  if (pattern.observations.all > 0) grids.push(conditionedGrid(pattern));
  for (const features of pattern.features) grids.push(featureGrid(pattern.labels, features));
  const counted = pattern.templates.filter(({ labels }) => labels.length > 0);
  if (counted.length > 0) grids.push(templateGrid({ ...pattern, templates: counted }));
  const drawings: Drawing[] = [];
  let height = 8;
  for (const grid of grids) {
    const drawing = shadedGrid(grid, height);
    drawings.push(drawing);
    height += drawing.height + 16;
  }
  const notes = notesOf(pattern, counted.length);
  const width = Math.max(
    360,
    ...drawings.map(drawing => drawing.width),
    ...notes.map(note => 24 + 7.2 * note.length),
  );
  const lines = notes.map(
    (note, i) => html`<text x="8" y="${height + 14 + 16 * i}">${note}</text>
`,
  );
  const total = height + 16 * notes.length + 8;
  const picture: Markup = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}" role="img" aria-labelledby="sparsity">
<title id="sparsity">Weights of ${name} that are not zero</title>
<style>${style}</style>
<rect class="page" width="${width}" height="${total}"/>
${drawings.map(({ markup }) => markup)}${lines}</svg>
`;
  return picture.text;
}

function transitionGrid({ labels, transitions }: SparsityPattern): ShadedGrid {
  const size = labels.length;
  const active = countActive(transitions);
  return {
    title: 'Transitions',
    rowAxis: 'from',
    columnAxis: 'to',
    rows: labels,
    columns: labels,
    summary: shareOf(active, size * size, 'transitions have a weight'),
    ...weightShades(transitions, size),
  };
}

/** Returns the shades of a table of weights, by sign and size. */
function weightShades(
  weights: Float64Array,
  columns: number,
): Pick<ShadedGrid, 'shade' | 'shades'> {
  const most = weights.reduce((sum, weight) => Math.max(sum, Math.abs(weight)), 0);
  const meaning = (sign: string, i: number) =>
    `${sign} 0, up to ${(steps[i]! * most).toPrecision(3)} away`;
  return {
    shade(row, column) {
      const weight = weights[row * columns + column]!;
      return weight === 0
        ? undefined
        : `${weight > 0 ? 'p' : 'n'}${level(Math.abs(weight) / most)}`;
    },
    shades: [
      ...steps.map((_, i) => ({ name: `p${i + 1}`, meaning: meaning('above', i) })),
      ...steps.map((_, i) => ({ name: `n${i + 1}`, meaning: meaning('below', i) })),
    ],
  };
}

/** Returns the shades of a table of counts. */
function countShades(
  counts: Float64Array,
  columns: number,
  what: string,
): Pick<ShadedGrid, 'shade' | 'shades'> {
  const most = Math.max(1, ...counts);
  return {
    shade(row, column) {
      const count = counts[row * columns + column]!;
      return count === 0 ? undefined : `p${level(count / most)}`;
    },
    shades: steps.map((step, i) => ({
      name: `p${i + 1}`,
      meaning: `up to ${Math.max(1, Math.floor(step * most))} ${what}`,
    })),
  };
}

function countActive(numbers: Float64Array): number {
  return numbers.reduce((sum, number) => sum + (number === 0 ? 0 : 1), 0);
}

function featureGrid(
  labels: readonly string[],
  { kind, names, values }: FeaturesPattern,
): ShadedGrid {
  const size = labels.length;
  const isState = kind === 'state';
  const active = isState ? countActive(values) : values.reduce((sum, count) => sum + count, 0);
  const all = names.length * size * (isState ? 1 : size);
  return {
    title: isState
      ? 'Weights by feature and label'
      : 'Transitions by feature and the label they lead to',
    rowAxis: 'feature',
    columnAxis: 'label',
    rows: names,
    columns: labels,
    summary: shareOf(active, all, 'weights of these features are not 0'),
    ...(isState ? weightShades(values, size) : countShades(values, size, 'transitions')),
  };
}

function conditionedGrid({ labels, conditioned, observations }: SparsityPattern): ShadedGrid {
  const size = labels.length;
  const active = conditioned.reduce((sum, count) => sum + count, 0);
  const all = size * size * observations.all;
  return {
    title: 'Transitions conditioned on an observation',
    rowAxis: 'from',
    columnAxis: 'to',
    rows: labels,
    columns: labels,
    summary: `${shareOf(active, all, 'have a weight')}, at ${observations.active} of ${observations.all} observations`,
    ...countShades(conditioned, size, 'observations'),
  };
}

function templateGrid({ labels, templates }: SparsityPattern): ShadedGrid {
  // A feature on transitions also has a weight for each previous label.
  const allOf = (row: number) =>
    templates[row]!.met * (templates[row]!.kind === 'edge' ? labels.length : 1);
  const active = templates.reduce(
    (sum, { labels: own }) => sum + own.reduce((a, b) => a + b, 0),
    0,
  );
  const all = templates.reduce((sum, _, row) => sum + allOf(row) * labels.length, 0);
  return {
    title: 'Features by template and label',
    rowAxis: 'template',
    columnAxis: 'label',
    rows: templates.map(({ template }) => template),
    columns: labels,
    summary: shareOf(active, all, 'weights of features met in training are not 0'),
    shade(row, column) {
      const count = templates[row]!.labels[column] ?? 0;
      return count === 0 ? undefined : `p${level(count / Math.max(1, allOf(row)))}`;
    },
    shades: steps.map((step, i) => ({
      name: `p${i + 1}`,
      meaning: `up to ${100 * step} % of the template's features`,
    })),
  };
}

function notesOf({ hasTransitions, templates }: SparsityPattern, counted: number): string[] {
  const notes: string[] = [];
  if (!hasTransitions) notes.push('The model has no transitions.');
  if (templates.length > counted) {
    notes.push('Its file does not say which label the features of its templates have weights for.');
  }
  return notes;
}

/** Returns the shade number of a share of the largest value. */
function level(share: number): number {
  const found = steps.findIndex(step => share <= step);
  return found < 0 ? steps.length : found + 1;
}

function shareOf(active: number, all: number, what: string): string {
  return `${active} of ${all} ${what} (${percent(active, all)?.toPrecision(3) ?? '-'} %)`;
}

/** A table that is drawn as shaded cells. */
interface ShadedGrid {
  readonly title: string;
  /** Headings of rows and columns. */
  readonly rowAxis: string;
  readonly columnAxis: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Returns the class of a cell, one of `shades`; undefined if the cell stays empty. */
  readonly shade: (row: number, column: number) => string | undefined;
  /** Meanings of the classes, in the order of the legend. */
  readonly shades: readonly { readonly name: string; readonly meaning: string }[];
  /** A sentence below the title. */
  readonly summary: string;
}

/** A drawing and its size. */
interface Drawing {
  readonly markup: Markup;
  readonly width: number;
  readonly height: number;
}

const longest = 28;
const letter = 6.2;
const head = 66;

/**
 * Draws a grid of cells, with one path per shade and the names of rows and columns if they fit, as SVG with its upper
 * left corner at (0, `top`). Cost O(cells).
 */
function shadedGrid(grid: ShadedGrid, top: number): Drawing {
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

/** Returns the size of cells: the more cells, the smaller. */
function cellSize(count: number): number {
  return count <= 30 ? 16 : count <= 80 ? 10 : 5;
}

function short(name: string): string {
  const letters = Array.from(visible(name));
  return letters.length <= longest
    ? letters.join('')
    : `${letters.slice(0, longest - 1).join('')}…`;
}
