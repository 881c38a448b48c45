import uPlot from 'uplot';
import type { RejectedSample } from '../../../../engine/core/run-status.js';
import { type Reason, reasonFor } from '../../../../formats/bad-records/reasons.js';
import { hues } from '../../../../reports/label-palette.js';
import type { DashboardStart, DashboardUpdate } from '../dashboard.js';
import type { Sample } from '../run-history.js';
import {
  markText,
  type Panel,
  panels,
  type SeriesValues,
  seriesOf,
  shownFigure,
} from './panels.js';

// The program of the dashboard: listens to a run's events, and shows its figures.

const byId = (id: string) => document.getElementById(id)!;
const made = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = '',
  className = '',
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
};

/** Maximum number of samples in a chart; the server keeps as many. */
const most = 1200;

let run = '';
let shownRejected = '';
let samples: Sample[] = [];
const charts = new Map<string, { chart: uPlot; section: HTMLElement; names: string }>();

function start({ run: own, samples: all, ...update }: DashboardStart): void {
  if (own !== run) {
    for (const { section, chart } of charts.values()) {
      chart.destroy();
      section.remove();
    }
    charts.clear();
    shownRejected = '';
    byId('rejected').querySelector('div')!.replaceChildren();
  }
  run = own;
  samples = [...all];
  show(update);
}

function next(update: DashboardUpdate): void {
  if (update.sample !== undefined) samples.push(update.sample);
  if (samples.length > most) samples = samples.filter((_, i) => i % 2 === 0);
  show(update);
}

function show({ state, rejected }: DashboardUpdate): void {
  showState(state);
  const last = samples.at(-1);
  if (last === undefined) return;
  const [first] = samples;
  byId('facts').textContent = `${shownFigure('duration', (last.at - first!.at) / 1000)} watched`;
  for (const panel of panels) showPanel(panel);
  showLabels(last);
  showRejected(rejected, last);
}

function showState(state: string): void {
  const pill = byId('state');
  // Screen readers read a status aloud when it changes.
  if (pill.textContent !== state) pill.textContent = state;
  pill.className = /^(?:running|ended|starting|draining|connection lost)/.test(state)
    ? state.replace('connection ', '')
    : 'stalled';
}

function showPanel(panel: Panel): void {
  const series = seriesOf(panel, samples);
  if (series.length === 0) return;
  const names = series.map(({ name }) => name).join('\n');
  let drawn = charts.get(panel.title);
  if (drawn !== undefined && drawn.names !== names) {
    drawn.chart.destroy();
    drawn.section.remove();
    drawn = undefined;
  }
  if (drawn === undefined) {
    drawn = draw(panel, series, names);
    charts.set(panel.title, drawn);
  }
  const begin = samples[0]!.at;
  const times = samples.map(({ at }) => (at - begin) / 1000);
  drawn.chart.setData([times, ...series.map(({ values }) => values)] as uPlot.AlignedData);
  for (const [i, { values }] of series.entries()) {
    const cell = drawn.section.querySelectorAll('dd')[i]!;
    cell.textContent = shownFigure(panel.unit, values.at(-1));
  }
}

function draw(panel: Panel, series: readonly SeriesValues[], names: string) {
  const section = made('section');
  const title = made('h2', panel.title);
  const list = made('dl');
  const box = made('div', '', 'chart');
  box.setAttribute('aria-hidden', 'true');
  for (const [i, { name, key }] of series.entries()) {
    const row = made('div');
    const term = made('dt', name, `c${i % hues.length}`);
    const value = made('dd');
    value.dataset.figure = key;
    row.append(term, value);
    list.append(row);
  }
  section.append(title, list, box);
  // In the order of the panels, not of arrival.
  const order = panels.indexOf(panel);
  section.style.order = String(order);
  byId('panels').append(section);
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--grid'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  const chart = new uPlot(
    {
      width: Math.max(120, section.clientWidth - 34),
      height: 140,
      legend: { show: false },
      scales: { x: { time: false } },
      cursor: { drag: { x: true, y: false } },
      series: [
        {},
        ...series.map(({ name }, i) => ({
          label: name,
          stroke: `oklch(${colour('--tag').replace(/ [^ ]*$/, '')} .12 ${hues[i % hues.length]})`,
          width: 1.5,
          points: { show: false },
          spanGaps: true,
        })),
      ],
      axes: [
        { ...axis, size: 24, values: (_, ticks) => ticks.map(tick => markText('duration', tick)) },
        { ...axis, size: 64, values: (_, ticks) => ticks.map(tick => markText(panel.unit, tick)) },
      ],
    },
    [[], ...series.map(() => [])] as unknown as uPlot.AlignedData,
    box,
  );
  return { chart, section, names };
}

function showLabels({ figures }: Sample): void {
  const labels = Object.entries(figures).flatMap(([name, f1]) => {
    const label = /^tagstream_progressive_label_f1\{(.*)\}$/s.exec(name)?.[1];
    return label === undefined ? [] : [[label, f1] as const];
  });
  byId('labels').hidden = labels.length === 0;
  const cells = labels.flatMap(([label, f1]) => {
    const meter = made('meter');
    meter.value = f1;
    meter.setAttribute('aria-label', label);
    return [made('span', label), meter, made('span', shownFigure('percent', f1))];
  });
  byId('labels')
    .querySelector('.bars')!
    .replaceChildren(...cells);
}

function showRejected(rejected: readonly RejectedSample[], { figures }: Sample): void {
  const text = JSON.stringify(rejected);
  const codes = [...new Set(rejected.map(({ code }) => code))];
  byId('rejected').hidden = codes.length === 0;
  for (const code of codes) {
    const count = document.querySelector(`[data-code="${code}"]`);
    const value = figures[`tagstream_bad_records_total{${code}}`];
    if (count !== null) count.textContent = shownFigure('count', value);
  }
  // The table stays unchanged while it is being read.
  if (text === shownRejected || document.querySelector('#rejected details[open]') !== null) return;
  shownRejected = text;
  const blocks = codes.map(code => {
    const details = made('details');
    const summary = made('summary', `${code}: `);
    const count = made('b', shownFigure('count', figures[`tagstream_bad_records_total{${code}}`]));
    count.dataset.code = code;
    summary.append(count);
    details.append(summary);
    const reason = reasonFor(code);
    if (reason !== undefined) details.append(shownReason(reason));
    for (const { message, fix, raw } of rejected.filter(each => each.code === code)) {
      details.append(made('p', message), made('pre', raw));
      if (fix !== undefined) details.append(made('p', `Fix: ${fix}`, 'soft'));
    }
    details.append(
      made(
        'p',
        `What happens to such records: --on-bad ${code}=skip, fail, dead-letter or pass.`,
        'soft',
      ),
    );
    return details;
  });
  byId('rejected')
    .querySelector('div')!
    .replaceChildren(...blocks);
}

/** Returns the text of the page of reasons, because this page works offline. */
function shownReason({ meaning, fix }: Reason): HTMLElement {
  const box = made('div', '', 'reason');
  const todo = made('p');
  todo.append(made('b', 'What to do: '), fix);
  box.append(made('p', meaning), todo);
  return box;
}

const events = new EventSource('dashboard/events');
const on = <Update>(name: string, show: (update: Update) => void) =>
  events.addEventListener(name, event => show(JSON.parse((event as MessageEvent<string>).data)));
on('start', start);
on('sample', next);
on('end', next);
let isOver = false;
events.addEventListener('end', () => {
  isOver = true;
});
events.addEventListener('start', () => {
  isOver = false;
});
// Event sources reconnect automatically: the run may be restarted.
events.onerror = () => {
  if (!isOver) showState('connection lost');
};
addEventListener('resize', () => {
  for (const { chart, section } of charts.values()) {
    chart.setSize({ width: Math.max(120, section.clientWidth - 34), height: 140 });
  }
});
