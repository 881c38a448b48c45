import { TagstreamError } from '../../core/errors.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { ModelContents } from '../../models/files/model-contents.js';
import type { ModelNotes } from '../../models/files/model-notes.js';
import { ModelNoter, type NamesKept } from '../../models/inspection/note-model.js';
import type { RunSetup } from '../definition/run-setup.js';
import { DistantSentence } from '../extraction/distant-sentence.js';
import { passesIn } from '../options/passes-in.js';
import { readCorpusAgain } from './data-warnings.js';

/**
 * What is noted of a run in its model file: its history, sizes by template and names of features. None of
 * a stream that is read once, whose sentences nobody has kept.
 *
 * Costs a look at each feature of the corpus; where other threads have read it, or a run was at its end
 * before it began, its files are read once more.
 */
export async function notesOfRun(
  setup: RunSetup,
  contents: ModelContents,
  kept: NamesKept,
  optimizer: string,
): Promise<ModelNotes | undefined> {
  if (setup.train?.epochs === undefined) return undefined;
  const noter = new ModelNoter(setup.model, contents, kept);
  const { corpus } = setup;
  // It is needed no more after this.
  setup.corpus = undefined;
  if (corpus === undefined || corpus.some(({ sentence }) => sentence instanceof DistantSentence)) {
    await readCorpusAgain(
      setup,
      sentence => add(noter, sentence),
      () => noter.done,
    );
  } else {
    noter.addCorpus(corpus);
  }
  const epochs = passesIn(setup.train)!;
  return noter.notes(setup.history.passes, { optimizer, epochs });
}

function add(noter: ModelNoter, sentence: Sentence): void {
  if (sentence.tags === undefined && sentence.partialTags === undefined) return;
  try {
    noter.addSentence(sentence);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
  }
}
