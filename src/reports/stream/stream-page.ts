import { type Figure, isDefined } from '../../engine/core/figures.js';
import type { DetailedScores } from '../../engine/core/training/detailed-scores.js';
import type { Scores } from '../../engine/core/training/training-step.js';
import { grouped } from '../../engine/core/wording/numbers.js';
import { evaluationStyle } from '../evaluation/evaluation-style.js';
import { fileName, points as percentText } from '../figures.js';
import { html, type Markup, scrollable } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { baseStyle } from '../page/style.js';
import { studyStyle } from '../study/plot-drawing.js';
import type { ShownLine, ShownMark, ShownPlot } from '../study/shown-study.js';
import { plotFigure } from '../study/study-page.js';
import type { StreamCourse, StreamPoint } from './stream-course.js';

/** The part of a course that is shown. */
type ShownCourse = Pick<StreamCourse, 'points' | 'marks' | 'left'>;

/** Maximum number of label lines in the drawing; the table has all of them. */
const mostLabels = 8;

/**
 * Returns the scores of a stream over time as a self-contained HTML page without a script. Equal courses give equal
 * bytes.
 *
 * @param name of the pipeline
 * @example
 * const course = { points: [], marks: [], left: 0 };
 * streamPage('A & B', course).includes('<h1>Scores of A &amp; B over time</h1>') // => true
 */
export function streamPage(name: string, course: ShownCourse): string {
  const title = `Scores of ${fileName(name)} over time`;
  const { head, tail } = pageFrame({ title, style: baseStyle + evaluationStyle + studyStyle });
  const last = course.points.at(-1);
  const sections: [id: string, name: string, content: Markup][] =
    last === undefined
      ? []
      : [
          ['summary', 'Summary', summary(last)],
          ['scores', 'Scores', plotFigure(scorePlot(course))],
          ['baselines', 'Unseen words and baselines', plotFigure(baselinePlot(course))],
          ['labels', 'Labels', html`${plotFigure(labelPlot(course, last))}${labelTable(last)}`],
        ];
  if (course.marks.length > 0) sections.push(['events', 'Events', eventList(course)]);
  if (last !== undefined) sections.push(['figures', 'All figures', figureTable(course)]);
  const links = sections.map(([id, heading]) => html`<li><a href="#${id}">${heading}</a></li>`);
  const nav = html`<nav class="noprint" aria-label="Sections"><ul>${links}</ul></nav>
`;
  const said =
    last === undefined
      ? 'The run ended before its first report: see evaluate.report.'
      : `Each sentence was tagged and scored before it was learned from: ${grouped(course.points[0]!.sentences)} to ${grouped(last.sentences)} sentences.`;
  return `${head}${
    html`<header>
<h1>${title}</h1>
<p class="soft">${said}</p>
${sections.length === 0 ? '' : nav}</header>
<main>
${sections.map(
  ([id, heading, content]) => html`<section id="${id}" aria-labelledby="${id}-h">
<h2 id="${id}-h">${heading}</h2>
${content}</section>
`,
)}</main>
<footer><p>Written by tagstream run. Scores are percentages. “Recently” counts a sentence half as much after each half-life.</p></footer>
`.text
  }${tail}`;
}

function summary({ sentences, all, recent, details }: StreamPoint): Markup {
  const between = ([low, high]: readonly [Figure, Figure]) =>
    low === null ? '' : `95 %: ${percentText(low)} to ${percentText(high)}`;
  const figures: [string, string, string][] = [
    ['sentences', grouped(sentences), ''],
    ['accuracy, recently', percentText(recent.accuracy), between(details.accuracy)],
    ['accuracy, in all', percentText(all.accuracy), ''],
    ...(recent.f1 === undefined || details.f1 === undefined
      ? []
      : ([['F1, recently', percentText(recent.f1), between(details.f1)]] as [
          [string, string, string],
        ])),
    ...(all.f1 === undefined
      ? []
      : ([['F1, in all', percentText(all.f1), '']] as [[string, string, string]])),
  ];
  return html`<dl class="figures">
${figures.map(
  ([name, value, more]) => html`<div><dt>${name}</dt><dd>${value}<small>${more}</small></dd></div>
`,
)}</dl>
`;
}

const sentencesAxis = { title: 'sentences', digits: 0, log: false };
const scoreAxis = (title: string) => ({ title, digits: 2, log: false });

function line(
  course: ShownCourse,
  name: string,
  scoreOf: (point: StreamPoint) => Figure | undefined,
): ShownLine {
  const points = course.points.flatMap(point => {
    const y = scoreOf(point);
    return isDefined(y) ? [{ name, x: point.sentences, y }] : [];
  });
  return { name, points };
}

function plot(
  course: ShownCourse,
  title: string,
  y: string,
  lines: readonly ShownLine[],
): ShownPlot {
  return { title, x: sentencesAxis, y: scoreAxis(y), lines, marks: marksOf(course) };
}

/** Returns the events within the range of the scores, by their index in the list. */
function marksOf({ marks, points }: ShownCourse): ShownMark[] {
  const [first, last] = [points[0]!.sentences, points.at(-1)!.sentences];
  return marks
    .map(({ sentences, text }, i) => ({ x: sentences, label: `${i + 1}`, name: text }))
    .filter(({ x }) => x >= first && x <= last);
}

function scorePlot(course: ShownCourse): ShownPlot {
  const spans = course.points.some(({ recent }) => recent.f1 !== undefined);
  const of = (score: 'accuracy' | 'f1', name: string) => [
    line(course, `${name}, last sentences`, ({ inWindow }) => inWindow[score]),
    line(course, `${name}, recently`, ({ recent }) => recent[score]),
    line(course, `${name}, in all`, ({ all }) => all[score]),
  ];
  const lines = [...(spans ? of('f1', 'F1') : []), ...of('accuracy', 'accuracy')];
  return plot(course, spans ? 'F1 and accuracy' : 'Accuracy', 'score', lines);
}

function baselinePlot(course: ShownCourse): ShownPlot {
  return plot(course, 'Accuracy, recently', 'accuracy', [
    line(course, 'model', ({ recent }) => recent.accuracy),
    line(course, 'model, unseen words', ({ details: { unseen } }) => unseen.accuracy),
    line(course, 'usual tag of the word', ({ details }) => details.baselines.word),
    line(course, 'tag of the token before', ({ details }) => details.baselines.last),
    line(course, 'most frequent tag', ({ details }) => details.baselines.majority),
  ]);
}

function labelPlot(course: ShownCourse, last: StreamPoint): ShownPlot {
  const names = last.details.labels.slice(0, mostLabels).map(({ label }) => label);
  const lines = names.map(name =>
    line(course, name, ({ details }) => details.labels.find(({ label }) => label === name)?.f1),
  );
  return plot(course, 'F1 of the most frequent labels, recently', 'F1', lines);
}

function labelTable({ details }: StreamPoint): Markup {
  const rows = details.labels.map(
    ({ label, precision, recall, f1 }) =>
      html`<tr><th scope="row">${label}</th><td>${percentText(precision)}</td><td>${percentText(recall)}</td><td>${percentText(f1)}</td></tr>
`,
  );
  return scrollable(
    'Scores by label, recently',
    html`<table>
<thead><tr><th scope="col">label</th><th scope="col">precision</th><th scope="col">recall</th><th scope="col">F1</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`,
  );
}

function eventList({ marks, left }: ShownCourse): Markup {
  const items = marks.map(
    ({ sentences, text }) => html`<li>After ${grouped(sentences)} sentences: ${text}</li>
`,
  );
  const more = left === 0 ? '' : html`<p class="soft">${grouped(left)} more are in the log.</p>\n`;
  return html`<p class="soft">The numbers are those of the lines in the drawings.</p>
<ol>
${items}</ol>
${more}`;
}

function figureTable({ points }: ShownCourse): Markup {
  const spans = points.some(({ all }) => all.f1 !== undefined);
  const cells = ({ accuracy, f1 }: Scores) => [accuracy, ...(spans ? [f1 ?? null] : [])];
  const baseline = ({ unseen, baselines }: DetailedScores) => [
    unseen.accuracy,
    baselines.word,
    baselines.last,
    baselines.majority,
  ];
  const heads = [
    ...['last sentences', 'recently', 'in all'].flatMap(name =>
      spans ? [`accuracy, ${name}`, `F1, ${name}`] : [`accuracy, ${name}`],
    ),
    ...['unseen words', 'usual tag', 'tag before', 'most frequent'],
  ];
  const rows = points.map(({ sentences, inWindow, recent, all, details }) => {
    const values = [...[inWindow, recent, all].flatMap(cells), ...baseline(details)];
    return html`<tr><th scope="row">${grouped(sentences)}</th>${values.map(value => html`<td>${percentText(value)}</td>`)}</tr>
`;
  });
  return scrollable(
    'All figures',
    html`<table class="figures">
<thead><tr><th scope="col">sentences</th>${heads.map(name => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table>`,
  );
}
