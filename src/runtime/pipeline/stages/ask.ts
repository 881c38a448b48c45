import { join } from 'node:path';
import {
  endWith,
  identity,
  type MonoTypeOperatorFunction,
  merge,
  NEVER,
  type Observable,
  pipe,
  Subject,
  takeWhile,
  tap,
} from 'rxjs';
import type { Position } from '../../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { QuestionStatus } from '../../../engine/core/run-status.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import type { State } from '../../../engine/core/training/state.js';
import type { TrainingStep } from '../../../engine/core/training/training-step.js';
import { counted, kibibytes } from '../../../engine/core/wording/numbers.js';
import type { TransportComponent } from '../../../engine/interfaces/loaded-plugin.js';
import { QuestionBudget } from '../../../engine/models/learning/question-budget.js';
import type { Model } from '../../../engine/models/model.js';
import { ask, askedRecord, type Question } from '../../../engine/operators/ask.js';
import { spansOf } from '../../../engine/text/tags/spans.js';
import { isSpanScheme } from '../../../engine/text/tags/tag-scheme.js';
import { resultId } from '../../../formats/result-id.js';
import { questionsNoteName } from '../../io/checkpoints/directory.js';
import { NoteFile } from '../../io/checkpoints/note-file.js';
import type { OutputState } from '../../io/writing/output-place.js';
import { ResumableFile } from '../../io/writing/resumable-file.js';
import type { Pipeline } from '../definition/pipeline.js';
import { transportSetting } from '../definition/places.js';
import type { RunContext } from '../definition/run-context.js';
import { defineStage, type StageComponent } from '../definition/stage-component.js';
import { chosenOf } from '../options/one-of.js';
import { askOptionsOf } from '../options/stage-options.js';
import type { AnyPlan } from '../plan/plan.js';
import { restorePart } from '../setup/restore-run.js';
import type { RunOptions } from '../setup/run-options.js';
import type { Saves } from './checkpoint.js';

/** Returns the stage `ask` with the transports that it can name. */
export function askStage(transports: readonly TransportComponent[]): StageComponent {
  return defineStage({
    name: 'ask',
    summary: 'asks for the labels of the most informative tokens, up to a share of all',
    example: 'ask: { share: 0.05, of: tokens, file: questions.ndjson }',
    takes: ['training step'],
    gives: 'training step',
    options: askOptionsOf(transports),
    files: ({ file }) =>
      file === undefined ? [] : [{ file, at: 'file', what: 'the questions', written: true }],
  });
}

/** Number of answers about randomly drawn records between two reports of the estimates. */
const reportEvery = 50;

/** Questions of a run on their way to an annotator. */
export interface Questions {
  readonly asking: MonoTypeOperatorFunction<TrainingStep>;
  /** The questions' parts of checkpoints. */
  readonly saves: Saves;
  /** Counts of the questions; absent if the pipeline asks none. */
  readonly status?: () => QuestionStatus;
  /** Flushes all questions so far to disk, if they go to a file. */
  sync(): void;
  /** Gives the file its final name, or waits until all messages are durable. */
  commit(): Promise<void>;
  /** Leaves the remaining questions to a resumed run. */
  abort(): Promise<void>;
}

/** The destination of questions. */
interface QuestionOutput extends Pick<Questions, 'sync' | 'commit' | 'abort'> {
  write(question: Question, record: TaggedDocument): void;
  /** The output's part of a checkpoint. */
  readonly state: object;
  /** Errors when a question cannot be sent. */
  readonly failed: Observable<never>;
}

/**
 * Opens the output of a plan's questions; in a resumed run, at the position of its checkpoint.
 *
 * @throws (rejects with) TagstreamError `file`, `checkpoint`, and errors of opening a transport
 */
export async function openQuestions(
  pipeline: Pick<Pipeline, 'plan' | 'catalogue' | 'trains'>,
  model: Model,
  context: RunContext,
  { resume = false }: Pick<RunOptions, 'resume'>,
): Promise<Questions> {
  const part = pipeline.plan.ask;
  if (part === undefined) return withoutQuestions();
  const { restored, events, status } = context;
  const { file, to, ...options } = part.options;
  const budget = new QuestionBudget(options);
  // A run that was killed before its first checkpoint may have left some questions.
  let saved: State['json'] = resume ? { file: { bytes: 0, total: 0 } } : {};
  if (restored !== undefined) {
    restorePart(restored, 'ask', state => {
      budget.restore(state);
      saved = state.json;
    });
  }
  const output =
    to === undefined
      ? questionFile(file!, pipeline.plan, context, saved.file as OutputState | undefined)
      : await questionMessages(
          to,
          pipeline,
          { ...context, model },
          (saved.unsent ?? []) as Unsent[],
        );
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
  const send = (question: Question, record: TaggedDocument) => output.write(question, record);
  return {
    asking: pipe(ask(model, budget, send), tap(reportEstimates), failWith(output.failed)),
    saves: {
      ask: {
        save: () => {
          const { json, arrays } = budget.save();
          return { json: { ...json, ...output.state }, arrays };
        },
      },
    },
    status: questionStatus,
    sync: () => output.sync(),
    commit: () => output.commit(),
    abort: () => output.abort(),
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

/** Passes items on, and fails as soon as another observable does. */
function failWith<Item>(failed: Observable<never>): MonoTypeOperatorFunction<Item> {
  return source =>
    merge(source.pipe(endWith(undefined)), failed).pipe(
      takeWhile((item): item is Item => item !== undefined),
    );
}

/** Opens the file of questions, which a resumed run continues. */
function questionFile(
  name: string,
  { checkpoint }: Pick<AnyPlan, 'checkpoint'>,
  { paths, lock, events }: RunContext,
  from: OutputState | undefined,
): QuestionOutput {
  const file = new ResumableFile(paths.resolve(name), {
    from,
    recordEnd: '\n',
    ...(checkpoint && {
      notes: new NoteFile(join(checkpoint.directory, questionsNoteName), lock, true),
    }),
    onMoved: events.onMoved,
  });
  return {
    write: question =>
      file.write(`${JSON.stringify(question)}\n`, error => {
        if (error !== undefined) throw error;
      }),
    get state() {
      return { file: file.state };
    },
    failed: NEVER,
    sync: () => file.sync(),
    commit: () => file.commit(),
    abort: () => file.abort(),
  };
}

/** A question that may not be durable yet, and the position of its record. */
type Unsent = readonly [question: Question, position: Position | undefined];

/** Maximum number of bytes of questions in transit. */
const mostUnsent = 2 ** 26;

/**
 * Sends questions as messages. Checkpoints contain the questions that may not be durable yet. A resumed run sends them
 * again with the same ids, by which a NATS stream recognizes them.
 */
async function questionMessages(
  to: Readonly<Record<string, unknown>>,
  { catalogue, trains }: Pick<Pipeline, 'catalogue' | 'trains'>,
  { paths, events, model }: Pick<RunContext, 'paths' | 'events'> & { readonly model: Model },
  unsent: readonly Unsent[],
): Promise<QuestionOutput> {
  const { component, options } = chosenOf(catalogue.transports.items, to);
  const target = component.writing(options, transportSetting(paths, trains));
  const writer = await target.write();
  const sending = new Map<Unsent, Promise<unknown>>();
  const failed = new Subject<never>();
  let failure: { readonly thrown: unknown } | undefined;
  const fail = (thrown: unknown) => {
    failure ??= { thrown };
    failed.error(thrown);
  };
  let bytes = 0;
  const send = (question: Question, position: Position | undefined) => {
    const text = Buffer.from(JSON.stringify(question));
    const key: Unsent = [question, position];
    bytes += text.length;
    const record = recordOf(question, position, isSpanScheme(model.scheme));
    const id = question.id ?? (position && resultId(position, record.document));
    const forget = () => {
      bytes -= text.length;
      sending.delete(key);
    };
    const sent = writer.send(text, id, record).then(forget, (thrown: unknown) => {
      if (!isTooLarge(thrown)) return fail(thrown);
      forget();
      events.onWarning?.('unsent-question', TagstreamError.from(thrown, 'too-large').message);
    });
    sending.set(key, sent);
    if (bytes > mostUnsent) throw tooMany(target.name, sending.size);
  };
  for (const [question, position] of unsent) send(question, position);
  return {
    write: (question, { document }) => {
      const { delivery } = document;
      // Differs from the position of the result, which may go to the same stream.
      const position = delivery && {
        ...delivery.position,
        source: `question of ${delivery.position.source}`,
      };
      send(question, position);
    },
    get state() {
      return { unsent: [...sending.keys()] };
    },
    failed,
    sync() {},
    commit: async () => {
      await Promise.all(sending.values());
      if (failure !== undefined) throw failure.thrown;
      await writer.close?.();
    },
    abort: async () => writer.close?.(),
  };
}

/** Returns the parts of a question's record that a transport may need: its id, tags, spans and position. */
function recordOf(
  question: Question,
  position: Position | undefined,
  marksSpans: boolean,
): TaggedDocument {
  const record = askedRecord(question, position);
  const isMarked = marksSpans && record.untagged !== true;
  return isMarked ? { ...record, spans: spansOf(record.tags) } : record;
}

function isTooLarge(thrown: unknown): boolean {
  return thrown instanceof TagstreamError && thrown.code === 'too-large';
}

function tooMany(place: string, questions: number): TagstreamError {
  return new TagstreamError(
    'connection',
    `${counted(questions, 'question')} are waiting to be sent to ${place}, more than ${kibibytes(mostUnsent)}`,
    { fix: 'check the servers, and continue with --resume; a smaller share asks fewer questions' },
  );
}
