import { join } from 'node:path';
import {
  identity,
  lastValueFrom,
  type MonoTypeOperatorFunction,
  map,
  type Observable,
  pipe,
  tap,
} from 'rxjs';
import { joined } from '../../../engine/core/arrays.js';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import type { TrainingStep } from '../../../engine/core/training/training-step.js';
import { modelContents, modelPieces } from '../../../engine/models/files/model-file.js';
import { saveModelState } from '../../../engine/models/state/model-state.js';
import { rememberTags } from '../../../engine/operators/join-labels.js';
import { tokenize } from '../../../engine/operators/tokenize.js';
import { outputNoteName } from '../../io/checkpoints/directory.js';
import { NoteFile } from '../../io/checkpoints/note-file.js';
import type { Output } from '../../io/writing/open-output.js';
import { ResumableFile } from '../../io/writing/resumable-file.js';
import { writeModelFile } from '../../io/writing/write-model-file.js';
import type { LearningPipeline } from '../definition/pipeline.js';
import type { RunContext } from '../definition/run-context.js';
import { weightSelectionOf } from '../learners/finished-model.js';
import { MixingTrainee, type OnSettled } from '../learners/trainee.js';
import { openSink, sinkCodec } from '../open-sink.js';
import { collectGarbage } from '../setup/collect-garbage.js';
import { outputStateOf } from '../setup/restore-run.js';
import type { RunOptions, RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { assembled, runSink } from '../setup/run-sink.js';
import { openQuestions, type Questions } from '../stages/ask.js';
import type { TrainingParts } from '../stages/build-training.js';
import { type CheckpointGiven, writeCheckpoints } from '../stages/checkpoint.js';
import { joinSaves, joinWith } from '../stages/join.js';
import { KeptWhenStopped } from '../tagging/progress/kept-when-stopped.js';
import type { Deployment } from '../tagging/registered/deployment.js';

/** A training run whose parts are built and open. */
export interface OpenTraining {
  readonly pipeline: LearningPipeline;
  readonly training: TrainingParts;
  /** Scores each step at which scoring is due, if the plan has an evaluation. */
  readonly score: MonoTypeOperatorFunction<TrainingStep> | undefined;
  /** The file of the trained model, if one is written. */
  readonly modelFile: string | undefined;
  /** Deploys the run's models, if requested. */
  readonly deployment: Deployment | undefined;
  readonly context: RunContext;
}

/**
 * Trains on a corpus to the end of its passes or iterations.
 *
 * @param onSettled receives the corpus before training begins
 */
export async function trainOnCorpus(
  sentences: Observable<EncodedSentence>,
  open: OpenTraining,
  onSettled: OnSettled,
): Promise<void> {
  const { training, pipeline, score = identity, context } = open;
  const { trainee, history } = training;
  const steps = sentences.pipe(
    trainee.over(onSettled),
    pipeline.plan.optimizer.kind === 'batch' ? collectAfterFirst() : identity,
    score,
    reportProgress(context),
    tap(step => history.note(step)),
    keepCheckpoints(open),
    reportSteps(context),
  );
  await drain(steps);
  const { stagnation } = history;
  if (stagnation !== undefined) context.events.onWarning?.('no-progress', stagnation);
}

/**
 * Learns from a stream to its end, and writes its records if the plan tags them. Returns the outcome of the records and
 * of the questions.
 */
export async function learnFromStream(
  documents: Observable<Document>,
  open: OpenTraining,
  options: RunWithDeadLetters,
): Promise<Pick<RunResult, 'records' | 'questions'>> {
  const { training, pipeline, score = identity, context } = open;
  const { trainee, encode, reading, model, tag, waiting, added } = training;
  const questions = await openQuestions(pipeline, model, context, options);
  let newest: Document | undefined;
  const isNewest = (step: TrainingStep) => {
    const { position } = step.contribution.minibatch.sentences.at(-1)?.sentence.delivery ?? {};
    return position !== undefined && position === newest?.delivery?.position;
  };
  const learned = documents.pipe(
    pipe(
      tap<Document>(document => {
        newest = document;
      }),
      added.over('document', ({ after }) => !after.includes('join')),
      waiting === undefined ? identity : joinWith(waiting, pipeline, context, options),
      added.over('document', ({ after }) => after.includes('join')),
    ),
    tokenize(reading.tokenizer),
    added.over('sentence'),
    trainee.along(encode),
    waiting === undefined ? identity : rememberTags(model, waiting),
    reportProgress(context),
    score,
    pipe(questions.asking, deployChampions(open)),
    added.over('training step'),
  );
  try {
    let records = 0;
    if (tag === undefined) {
      await drain(
        learned.pipe(keepCheckpoints(open, { questions, isNewest }), reportSteps(context)),
      );
    } else {
      const { output, file } = await openOutput(open, options);
      const flushes: (() => void)[] = [];
      const flush = () => {
        for (const each of flushes) each();
      };
      const tagged = learned.pipe(
        keepCheckpoints(open, { questions, isNewest, output: file && { file, flush } }),
        reportSteps(context),
        tag,
        added.over('tagged sentence'),
        assembled(model, pipeline.plan.decode!.options),
        warnOfUntagged(context),
      );
      const hooks = { onFlush: (each: () => void) => flushes.push(each) };
      records = await runSink(tagged, pipeline, context, output, hooks);
    }
    if (context.signal?.aborted === true) await questions.abort();
    else await questions.commit();
    const asked = questions.status?.();
    return { records, ...(asked && { questions: asked }) };
  } catch (thrown) {
    await questions.abort();
    throw thrown;
  }
}

/** Warns at the first record that passes untagged. */
function warnOfUntagged({ events }: RunContext): MonoTypeOperatorFunction<TaggedDocument> {
  let isSaid = false;
  return tap(({ untagged }) => {
    if (untagged !== true || isSaid) return;
    isSaid = true;
    const reason = 'records pass untagged, with null for each tag, until the first label arrives';
    events.onWarning?.('untagged', reason);
  });
}

/** Publishes the progress of steps. */
function reportProgress({ status }: RunContext): MonoTypeOperatorFunction<TrainingStep> {
  if (status === undefined) return identity;
  status.beginTraining();
  return tap(({ sentencesSeen, meanLoss, passEnd, scores, iteration }) => {
    status.sentencesSeen = sentencesSeen;
    status.meanLoss = meanLoss;
    if (passEnd !== undefined) status.passes = passEnd;
    if (scores !== undefined) status.heldOut = scores;
    if (iteration !== undefined) status.objective = iteration.objective;
  });
}

/** Reports each step once everything that belongs to it is done. */
function reportSteps({ events }: RunContext): MonoTypeOperatorFunction<TrainingStep> {
  return events.onStep === undefined ? identity : tap(step => events.onStep?.(step));
}

/**
 * Collects the garbage of reading after the first step: a batch optimizer creates few objects for minutes, so the
 * engine would not collect it.
 */
function collectAfterFirst(): MonoTypeOperatorFunction<TrainingStep> {
  return map((step, i) => {
    if (i === 0) void collectGarbage();
    return step;
  });
}

/** Returns the model as if training ended now; undefined before it knows a label, because it could not tag. */
function currentModel(training: TrainingParts): Uint8Array[] | undefined {
  if (training.model.labels.size === 0) return undefined;
  const { finishing } = training;
  return modelPieces(modelContents(finishing.learner, weightSelectionOf(finishing)));
}

/** Writes the model of each new champion, and deploys it once it is found as good as the deployed one. */
function deployChampions({
  training,
  modelFile,
  deployment,
  context,
}: OpenTraining): MonoTypeOperatorFunction<TrainingStep> {
  const { contest } = training.trainee;
  if (contest === undefined && deployment === undefined) return identity;
  let switches = contest?.switches;
  return tap(({ contribution }) => {
    deployment?.see(contribution);
    const isSwitch = contest?.switches !== switches;
    if (!isSwitch && deployment?.isDue !== true) return;
    const pieces = currentModel(training);
    if (pieces === undefined) return;
    switches = contest?.switches;
    if (isSwitch && modelFile !== undefined) {
      writeModelFile(modelFile, pieces, context.catalogue.functions);
    }
    deployment?.offer(joined(pieces));
  });
}

/** What a stream adds to checkpoints. */
interface StreamParts extends Pick<CheckpointGiven, 'output'> {
  readonly questions?: Questions | undefined;
  /** Returns whether a step ends with the newest record that was read. */
  isNewest(step: TrainingStep): boolean;
}

/** Writes checkpoints between steps, if the plan has any. */
function keepCheckpoints(
  { pipeline, training, modelFile, deployment, context }: OpenTraining,
  { questions, output, isNewest = () => false }: Partial<StreamParts> = {},
): MonoTypeOperatorFunction<TrainingStep> {
  const { plan, config } = pipeline;
  if (plan.checkpoint === undefined) return identity;
  const { model, trainee, history, evaluation, memory, waiting, contestSaves, added } = training;
  const { learner } = trainee;
  const isStream = plan.kind === 'learn';
  const { index } = model.spec;
  const counts = isStream && index.mode === 'exact' && (index.cutoff ?? 1) > 1;
  const saves = {
    model: { save: () => saveModelState(model) },
    learner,
    ...(isStream ? {} : { history }),
    ...(memory === undefined ? {} : { replay: memory }),
    ...joinSaves(waiting),
    ...questions?.saves,
    ...evaluation?.saves,
    ...contestSaves,
    ...(deployment && { deployment }),
    ...added.saves,
  };
  const writeModel = () => {
    const pieces = currentModel(training);
    if (modelFile === undefined || pieces === undefined) return;
    writeModelFile(modelFile, pieces, context.catalogue.functions);
  };
  // Records of an incomplete minibatch already wait for labels.
  const isHeld = waiting !== undefined || trainee instanceof MixingTrainee;
  const countsAhead = (step: TrainingStep) =>
    (isHeld && trainee.waiting > 0) || ((counts || added.countsAhead) && !isNewest(step));
  const position = waiting && (() => waiting.positions.records);
  const sync = () => questions?.sync();
  const given = { saves, config, isStream, position, output, sync, countsAhead, writeModel };
  return writeCheckpoints(plan.checkpoint, given, context);
}

/** Opens the output of a learning stream; with checkpoints, a file that a resumed run continues. */
async function openOutput(
  { pipeline, context }: OpenTraining,
  { stdout, resume = false }: Pick<RunOptions, 'stdout' | 'resume'>,
): Promise<{ readonly output: Output; readonly file?: ResumableFile }> {
  const { sink, checkpoint } = pipeline.plan;
  const { signal, paths, restored, lock, events } = context;
  const path = paths.resolve(sink?.options.file ?? '-');
  if (path === '-' || checkpoint === undefined) {
    return { output: await openSink(pipeline, { stdout, signal }) };
  }
  const file = new ResumableFile(path, {
    // A run that was killed before its first checkpoint may have closed files.
    from: outputStateOf(restored) ?? (resume ? { bytes: 0, total: 0 } : undefined),
    recordEnd: sinkCodec(pipeline).recordEnd,
    rotation: sink?.options.rotate,
    notes: new NoteFile(join(checkpoint.directory, outputNoteName), lock, true),
    onMoved: events.onMoved,
  });
  const isStopped = () => signal?.aborted === true;
  return { output: new KeptWhenStopped(file, { isStopped }), file };
}

/** Runs training steps to their end, freeing each record with its step. */
async function drain(steps: Observable<TrainingStep>): Promise<void> {
  const released = steps.pipe(
    tap(step => {
      for (const { sentence } of step.contribution.minibatch.sentences)
        sentence.delivery?.release();
    }),
  );
  await lastValueFrom(released, { defaultValue: undefined });
}
