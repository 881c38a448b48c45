import type { Iteration } from '../../engine/core/training/trainer.js';
import { grouped } from '../../engine/core/wording/numbers.js';
import type { PassRecord } from '../../engine/models/learning/training-history.js';
import { evaluationStyle } from '../evaluation/evaluation-style.js';
import { fileName, points } from '../figures.js';
import { html, type Markup, scrollable, warningList } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { baseStyle } from '../page/style.js';
import { studyStyle } from '../study/plot-drawing.js';
import type { ShownPlot } from '../study/shown-study.js';
import { plotFigure } from '../study/study-page.js';

/** Displayed data of a pass, or of an iteration of a batch optimizer. */
export interface ShownPass extends PassRecord {
  readonly iteration?: Pick<Iteration, 'objective' | 'active'> | undefined;
}

/** A figure of passes: its heading, its text, and its place in a drawing. */
interface Figure {
  readonly title: string;
  readonly digits: number;
  /** Drawing that shows the figure as a line; absent: only the table has it. */
  readonly plot?: string;
  of(pass: ShownPass): number | undefined;
}

const figures: readonly Figure[] = [
  { title: 'loss per token', digits: 4, plot: 'Loss per token', of: ({ loss }) => loss },
  { title: 'objective', digits: 3, plot: 'Objective', of: ({ iteration }) => iteration?.objective },
  { title: 'weights', digits: 0, of: ({ iteration }) => iteration?.active },
  { title: 'mistakes', digits: 0, plot: 'Mistakes', of: ({ margin }) => margin?.mistakes },
  {
    ...{ title: 'smallest margin', digits: 3, plot: 'Smallest margin of a sentence' },
    of: ({ margin }) => margin?.smallest,
  },
  {
    title: 'accuracy',
    digits: 2,
    plot: 'Held-out scores',
    of: ({ scores }) => scores?.accuracy ?? undefined,
  },
  { title: 'F1', digits: 2, plot: 'Held-out scores', of: ({ scores }) => scores?.f1 ?? undefined },
  {
    title: 'rank loss',
    digits: 3,
    plot: 'Held-out rank loss',
    of: ({ scores }) => scores?.rank?.mean ?? undefined,
  },
];

/**
 * Returns a training's passes as a self-contained HTML page without a script: losses, mistakes, margins and held-out
 * scores, drawn and as a table. Equal passes give equal bytes.
 *
 * @param name of the pipeline
 * @param warnings about the data and the scores
 * @example
 * const page = trainingPage('A & B', [{ pass: 1, loss: 0.5 }]);
 * [page.includes('<h1>Training of A &amp; B</h1>'), page.includes('mistakes</th>')] // => [true, false]
 */
export function trainingPage(
  name: string,
  passes: readonly ShownPass[],
  warnings: readonly string[] = [],
): string {
  const title = `Training of ${fileName(name)}`;
  const { head, tail } = pageFrame({ title, style: baseStyle + evaluationStyle + studyStyle });
  const count = `${grouped(passes.length)} ${passes.length === 1 ? 'pass' : 'passes'}.`;
  const said = passes.length === 0 ? 'The run ended before its first pass did.' : count;
  return `${head}${
    html`<header>
<h1>${title}</h1>
<p class="soft">${said}</p>
${warningList(warnings)}</header>
<main>
${passes.length === 0 ? '' : passesSection(passes)}</main>
<footer><p>Written by tagstream train. Scores are percentages. A margin is the difference of scores that the loss keeps between gold tags and others; mistakes are sentences in which others win.</p></footer>
`.text
  }${tail}`;
}

function passesSection(passes: readonly ShownPass[]): Markup {
  const present = figures.filter(figure => passes.some(pass => figure.of(pass) !== undefined));
  const plots = [...new Set(present.flatMap(({ plot }) => plot ?? []))];
  const rows = passes.map(
    pass => html`<tr><th scope="row">${grouped(pass.pass)}</th>${present.map(figure => html`<td>${textOf(figure, pass)}</td>`)}</tr>
`,
  );
  return html`<section id="passes" aria-labelledby="passes-h">
<h2 id="passes-h">Passes</h2>
${plots.map(title => plotFigure(plotOf(title, present, passes)))}
${scrollable(
  'Passes',
  html`<table class="figures">
<thead><tr><th scope="col">pass</th>${present.map(figure => html`<th scope="col">${figure.title}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table>`,
)}
</section>
`;
}

function textOf({ of, digits }: Figure, pass: ShownPass): string {
  const value = of(pass);
  if (value === undefined) return '';
  return digits === 0 ? grouped(value) : digits === 2 ? points(value) : value.toFixed(digits);
}

function plotOf(
  title: string,
  present: readonly Figure[],
  passes: readonly ShownPass[],
): ShownPlot {
  const drawn = present.filter(({ plot }) => plot === title);
  return {
    title,
    x: { title: 'pass', digits: 0, log: false },
    y: {
      title: drawn.length === 1 ? drawn[0]!.title : 'score',
      digits: drawn[0]!.digits,
      log: false,
    },
    lines: drawn.map(figure => ({
      name: figure.title,
      points: passes.flatMap(pass => {
        const y = figure.of(pass);
        return y === undefined ? [] : [{ name: figure.title, x: pass.pass, y }];
      }),
    })),
  };
}
