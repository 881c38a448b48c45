import { join } from 'node:path';
import { identity, type MonoTypeOperatorFunction, pipe, tap } from 'rxjs';
import type { QuestionStatus } from '../../core/run-status.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import { questionsNoteName } from '../../io/checkpoints/directory.js';
import { NoteFile } from '../../io/checkpoints/note-file.js';
import type { OutputState } from '../../io/writing/output-place.js';
import { ResumableFile } from '../../io/writing/resumable-file.js';
import { QuestionBudget } from '../../models/learning/question-budget.js';
import type { Model } from '../../models/model.js';
import { ask, type Question } from '../../operators/ask.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import type { RunContext } from '../definition/run-context.js';
import { defineStage } from '../definition/stage-component.js';
import { askOptions } from '../options/stage-options.js';
import type { AnyPlan } from '../plan/plan.js';
import { restorePart } from '../setup/restore-run.js';
import type { RunOptions } from '../setup/run-options.js';
import type { Saves } from './checkpoint.js';

export const askStage = defineStage({
  name: 'ask',
  summary: 'asks for the labels of a share of the tokens, those that teach most',
  example: 'ask: { share: 0.05, of: tokens, file: questions.ndjson }',
  takes: ['training step'],
  gives: 'training step',
  options: askOptions,
  files: ({ file }) => [{ file, at: 'file', what: 'the questions', written: true }],
});

/** Answered records that were drawn at random, from one report of the estimates to the next. */
const reportEvery = 50;

/** Questions of a run on their way to their file. */
export interface Questions {
  readonly asking: MonoTypeOperatorFunction<TrainingStep>;
  /** What checkpoints hold of them. */
  readonly saves: Saves;
  /** What became of them; absent where nothing is asked. */
  readonly status?: () => QuestionStatus;
  /** Has all questions so far on the disk. */
  sync(): void;
  /** Gives the file its name. */
  commit(): Promise<void>;
  /** Leaves the file for a run that resumes. */
  abort(): Promise<void>;
}

/**
 * Opens the file of the questions of a plan, where the run resumes at the place of its checkpoint.
 *
 * @throws TagstreamError `file`, `checkpoint`
 */
export function openQuestions(
  { ask: part, checkpoint }: Pick<AnyPlan, 'ask' | 'checkpoint'>,
  model: Model,
  { paths, restored, lock, events, status }: RunContext,
  { resume = false }: Pick<RunOptions, 'resume'>,
): Questions {
  if (part === undefined) return withoutQuestions();
  const { file: name, ...options } = part.options;
  const budget = new QuestionBudget(options);
  // A run that died before its first checkpoint may have left some.
  let from: OutputState | undefined = resume ? { bytes: 0, total: 0 } : undefined;
  if (restored !== undefined) {
    restorePart(restored, 'ask', state => {
      budget.restore(state);
      from = state.json.file as OutputState;
    });
  }
  const file = new ResumableFile(paths.resolve(name), {
    from,
    recordEnd: '\n',
    ...(checkpoint && {
      notes: new NoteFile(join(checkpoint.directory, questionsNoteName), lock, true),
    }),
    onMoved: events.onMoved,
  });
  const questionStatus = (): QuestionStatus => {
    const estimates = budget.estimates(isSpanScheme(model.scheme));
    return { ...budget.counts, ...(estimates && { estimates }) };
  };
  if (status !== undefined) status.questions = questionStatus;
  let reported = budget.counts.answered;
  const reportEstimates = () => {
    if (budget.counts.answered < reported + reportEvery) return;
    reported = budget.counts.answered;
    events.onEstimates?.(questionStatus());
  };
  const write = (question: Question) =>
    file.write(`${JSON.stringify(question)}\n`, error => {
      if (error !== undefined) throw error;
    });
  return {
    asking: pipe(ask(model, budget, write), tap(reportEstimates)),
    saves: {
      ask: {
        save: () => {
          const { json, arrays } = budget.save();
          return { json: { ...json, file: file.state }, arrays };
        },
      },
    },
    status: questionStatus,
    sync: () => file.sync(),
    commit: () => file.commit(),
    abort: () => file.abort(),
  };
}

function withoutQuestions(): Questions {
  return {
    asking: identity,
    saves: {},
    sync() {},
    commit: async () => {},
    abort: async () => {},
  };
}
