import cliProgress from 'cli-progress';
import { figureText } from '../../engine/core/figures.js';
import type { Log, LogFields } from '../../engine/core/log.js';
import type { Ending, Iteration } from '../../engine/core/training/trainer.js';
import type { Scores, TrainingStep } from '../../engine/core/training/training-step.js';
import { counted, grouped } from '../../engine/core/wording/numbers.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import type { RunEvents } from '../../runtime/pipeline/definition/events.js';
import { checkpointEvents } from './checkpoint-events.js';
import { formatDetails, formatEstimates, formatFigures, formatScores } from './format-scores.js';

/** Facts about the run that the report uses. */
export interface ReportOptions {
  /** Number of passes with each seed; undefined unless a corpus is read several times. */
  readonly epochs: number | undefined;
  /** Number of seeds, each with all passes, one after the other. Default 1. */
  readonly seeds?: number | undefined;
  /** Returns the number of sentences in a pass, once known. */
  readonly corpusSize: () => number | undefined;
  /** Whether to log lines only, without a progress bar even on a terminal. */
  readonly plain: boolean;
  readonly log: Log;
}

const refreshMilliseconds = 100;
/** Seconds and share of the training after which its rate says how long the rest takes. */
const leastSeconds = 1;
const leastShare = 0.001;
/** Minimum milliseconds between lines for passes: short passes are not all logged. */
const lineMilliseconds = 1000;
const withinMilliseconds = 5000;

/**
 * Logs the progress of training: on a terminal a bar with rate, loss and remaining time; elsewhere
 * one line per pass, and one every five seconds within long passes.
 */
export class TrainingReport {
  readonly events: RunEvents;
  readonly #options: ReportOptions;
  readonly #bar: cliProgress.SingleBar | undefined;
  #start = Date.now();
  /** Whether a first model, a tokenizer or columns were trained before this model. */
  #hasFirst = false;
  #firstSentence = -1;
  #hasEvicted = false;
  #lastRefresh = 0;
  #lastLine = 0;

  constructor(options: ReportOptions) {
    this.#options = options;
    if (options.epochs !== undefined && !options.plain && standardStreams().stderr.isTTY === true) {
      const format = '{bar} {percentage} % | {pass} | {rate} sentences/s | loss {loss} | {left}';
      this.#bar = new cliProgress.SingleBar({ format, hideCursor: true, barsize: 24 });
    }
    this.events = {
      onStep: step => this.#step(step),
      onProgress: (step, all, recent, decayed, details) =>
        this.#line(
          `${counted(step.sentencesSeen, 'sentence')}: ${formatFigures(recent)} recently, ${formatFigures(all)} in all  ` +
            `loss ${figureText(decayed.loss, 4)} per token recently, ${step.meanLoss.toFixed(4)} in all  ${this.#payload(step).rate} sentences/s  ${formatDetails(details)}`,
          { ...figures(step), scores: all, recent, decayed, details },
        ),
      onChampion: ({ from, to, sentences, evidence, standings }) => {
        const shown = standings.map(
          ({ name, recent }) => `${name} ${figureText(recent)}${recent === null ? '' : ' %'}`,
        );
        this.#line(
          `${to} replaces ${from} as champion from sentence ${grouped(sentences + 1)} on: recent accuracy ${shown.join(', ')}`,
          { champion: to, before: from, sentences, evidence, standings },
        );
      },
      onEstimates: ({ estimates, ...questions }) =>
        this.#line(
          `estimated from ${counted(questions.answered, 'record')} drawn at random: ${formatEstimates(estimates!)}`,
          { ...questions, estimates },
        ),
      onWarning: (code, message) => options.log.warn(message, { code }),
      onEvicted: features => {
        if (this.#hasEvicted) return;
        this.#hasEvicted = true;
        this.#line(
          `the model has reached its size limit: ${counted(features, 'feature')} ${features === 1 ? 'was' : 'were'} evicted, and more will be each time it is reached`,
          { features },
        );
      },
      onCheckpoint: (name, step) => {
        if (options.epochs === undefined)
          this.#line(`checkpoint ${name} at ${counted(step.sentencesSeen, 'sentence')}`, {
            checkpoint: name,
            ...figures(step),
          });
      },
      ...checkpointEvents(options.log),
      onFirstModel: (file, number, of) => {
        this.#hasFirst = true;
        this.#line(`first model ${file}: training ${number} of ${of}`, { first: file, number, of });
      },
      onPart: part => {
        this.#hasFirst = true;
        this.#line(`training ${part}`, { part });
      },
      onStart: (file, { taken, offered }) =>
        this.#line(`starting from ${taken} of the ${offered} weights of ${file}`, {
          start: file,
          taken,
          offered,
        }),
      onResume: seen =>
        this.#line(`resumed after ${counted(seen, 'sentence')}`, { sentencesSeen: seen }),
    };
  }

  /** Removes the bar. */
  end(): void {
    this.#bar?.stop();
  }

  #step(step: TrainingStep): void {
    if (this.#firstSentence < 0) {
      if (this.#hasFirst) this.#start = Date.now();
      this.#firstSentence = step.sentencesSeen - step.contribution.sentenceCount;
      const total = this.#total();
      if (total !== undefined) this.#bar?.start(total, this.#firstSentence, this.#payload(step));
    }
    const now = Date.now();
    if (this.#bar !== undefined && now - this.#lastRefresh >= refreshMilliseconds) {
      this.#lastRefresh = now;
      this.#bar.update(step.sentencesSeen, this.#payload(step));
    }
    if (
      this.#bar === undefined &&
      now - Math.max(this.#lastLine, this.#start) >= withinMilliseconds
    ) {
      this.#within(step, now);
    }
    const ending = step.iteration?.ending ?? step.ending;
    const last = step.passEnd === this.#passes || ending !== undefined;
    const ended = step.iteration?.path?.ended === true;
    const due =
      last || ended || step.scores !== undefined || now - this.#lastLine >= lineMilliseconds;
    if (step.passEnd === undefined || !due) return;
    this.#lastLine = now;
    const { pass, rate, loss, left } = this.#payload(step);
    const scores = step.scores === undefined ? '' : `  ${formatScores(step.scores)}`;
    const course =
      step.iteration === undefined ? `loss ${loss} per token` : described(step.iteration);
    const { margin } = step;
    const margins =
      margin === undefined
        ? ''
        : `  ${counted(margin.mistakes, 'mistake')}, smallest margin ${margin.smallest.toFixed(3)}`;
    const rest = left === '' ? '' : `  ${left}`;
    this.#line(`${pass}  ${course}${margins}${scores}  ${rate} sentences/s${rest}`, {
      pass: step.passEnd,
      ...figures(step),
      ...(margin && { margin }),
      ...(step.scores === undefined ? {} : { scores: scoresOrNone(step.scores) }),
      ...(step.iteration === undefined ? {} : { iteration: step.iteration }),
    });
    if (ending !== undefined) this.#line(endings[ending], { ending });
  }

  /** Logs a line within a pass, with the loss of the pass so far. */
  #within(step: TrainingStep, now: number): void {
    const size = this.#options.corpusSize();
    if (step.passEnd !== undefined || size === undefined) return;
    this.#lastLine = now;
    const { pass, rate, loss, left } = this.#payload(step);
    const share = Math.floor((100 * (step.sentencesSeen % size)) / size);
    const rest = left === '' ? '' : `  ${left}`;
    this.#line(`${pass}  ${share} %  loss ${loss} per token  ${rate} sentences/s${rest}`, {
      ...figures(step),
      share: share / 100,
    });
  }

  #payload(step: TrainingStep): Record<'pass' | 'rate' | 'loss' | 'left', string> {
    const { epochs, seeds = 1, corpusSize } = this.#options;
    const seconds = Math.max(0.001, (Date.now() - this.#start) / 1000);
    const rate = (step.sentencesSeen - this.#firstSentence) / seconds;
    const total = this.#total();
    const done = total === undefined ? 0 : (step.sentencesSeen - this.#firstSentence) / total;
    const isKnown =
      seconds >= leastSeconds && done > 0 && (done >= leastShare || step.passEnd !== undefined);
    const left = total === undefined || !isKnown ? undefined : (total - step.sentencesSeen) / rate;
    const size = corpusSize() ?? 1;
    const last = this.#passes ?? 1;
    const pass = step.passEnd ?? Math.min(last, Math.floor(step.sentencesSeen / size) + 1);
    const before = epochs === undefined ? 0 : Math.floor((pass - 1) / epochs);
    const seed = seeds > 1 ? `seed ${before + 1}/${seeds}  ` : '';
    return {
      pass:
        epochs === undefined ? `round ${pass}` : `${seed}pass ${pass - before * epochs}/${epochs}`,
      rate: grouped(Math.round(rate)),
      loss: step.meanLoss.toFixed(4),
      left: left === undefined ? '' : `${timeLeftText(left)} left`,
    };
  }

  #total(): number | undefined {
    const passes = this.#passes;
    const size = this.#options.corpusSize();
    return passes === undefined || size === undefined ? undefined : passes * size;
  }

  /** Number of passes with all seeds. */
  get #passes(): number | undefined {
    const { epochs, seeds = 1 } = this.#options;
    return epochs === undefined ? undefined : epochs * seeds;
  }

  #line(text: string, fields: LogFields): void {
    if (this.#bar?.isActive === true) standardStreams().stderr.write(`\r\u001b[2K`);
    this.#options.log.info(text, fields);
  }
}

/**
 * Formats a duration in its largest unit, rounded up.
 *
 * @example
 * [12.2, 400, 9000].map(timeLeftText) // => ['13 s', '7 min', '2.5 h']
 */
export function timeLeftText(seconds: number): string {
  if (seconds <= 99) return `${Math.ceil(seconds)} s`;
  if (seconds <= 99 * 60) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.ceil(seconds / 360) / 10} h`;
}

function figures({ sentencesSeen, meanLoss }: TrainingStep): LogFields {
  return { sentencesSeen, meanLoss };
}

/** Descriptions of the reasons why an optimizer ended. */
const endings: Readonly<Record<Ending, string>> = {
  gradient: 'done: the gradient is below the convergence threshold',
  decrease: 'done: the objective no longer decreases noticeably',
  precision: 'done: the objective cannot decrease further in float64',
  gap: 'done: the duality gap is below the convergence threshold',
  separated: 'done: a pass without a mistake, the training data is separable',
  iterations: 'done: the last step of the path used all its iterations',
};

function described({ objective, gradientNorm, active, path }: Iteration): string {
  const weights = grouped(active);
  const on =
    path === undefined
      ? ''
      : `l1 ${path.l1} (${path.step}/${path.of}), ${path.iterations} iterations  `;
  return `${on}objective ${objective.toFixed(3)}  gradient ${gradientNorm.toPrecision(3)}  ${weights} weights`;
}

/**
 * Returns scores in machine-readable form, without figures if no sentence could be scored.
 *
 * @example
 * scoresOrNone({ sentences: 0, tokens: 0, accuracy: null, skipped: 3 }) // => { sentences: 0, tokens: 0, skipped: 3 }
 */
export function scoresOrNone(scores: Scores): Pick<Scores, 'sentences' | 'tokens' | 'skipped'> {
  const { sentences, tokens, skipped = 0 } = scores;
  return sentences === 0 ? { sentences, tokens, skipped } : scores;
}
