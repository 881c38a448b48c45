import { TagstreamError } from '../../core/errors.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { ModelContents } from '../../models/files/model-contents.js';
import type { ModelNotes } from '../../models/files/model-notes.js';
import { ModelNoter, type NamesKept } from '../../models/inspection/note-model.js';
import { passesIn } from '../options/passes-in.js';
import type { LearnPlan, TrainPlan } from '../plan/plan.js';
import type { TrainingParts } from '../stages/build-training.js';
import type { TrainingCorpus } from './data-warnings.js';

/** What is noted. */
export interface NotedRun {
  readonly plan: TrainPlan | LearnPlan;
  readonly training: Pick<TrainingParts, 'model' | 'history'>;
  /** It is let go. */
  readonly corpus: TrainingCorpus;
}

/**
 * What is noted of a run in its model file: its history, sizes by template and names of features. None of
 * a stream that is read once, whose sentences nobody has kept.
 *
 * Costs a look at each feature of the corpus; where other threads have read it, or a run was at its end
 * before it began, its files are read once more.
 */
export async function notesOfRun(
  { plan, training, corpus }: NotedRun,
  contents: ModelContents,
  kept: NamesKept,
): Promise<ModelNotes | undefined> {
  if (plan.kind !== 'train') return undefined;
  const { model, history } = training;
  const noter = new ModelNoter(model, contents, kept);
  const { sentences } = corpus;
  if (sentences === undefined || corpus.isElsewhere) {
    corpus.letGo();
    await corpus.readAgain(
      sentence => add(noter, sentence),
      () => noter.done,
    );
  } else {
    noter.addCorpus(sentences);
    corpus.letGo();
  }
  const epochs = passesIn(plan.train.options)!;
  const optimizer = plan.optimizer.component.name;
  return noter.notes(history.passes, { optimizer, epochs });
}

function add(noter: ModelNoter, sentence: Sentence): void {
  if (sentence.tags === undefined && sentence.partialTags === undefined) return;
  try {
    noter.addSentence(sentence);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
  }
}
