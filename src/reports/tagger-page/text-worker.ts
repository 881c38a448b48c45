import { type TaggedText, Tagger } from '../../engine/models/tagger.js';

/** A page's question to the tagging thread. */
export interface TextQuestion {
  readonly number: number;
  /** The address of a model file. */
  readonly model: string;
  readonly text: string;
  readonly spanProbabilities: boolean;
}

/** The worker's answer: the tagged text with the model's labels, or an error. */
export type TextAnswer = { readonly number: number } & (
  | { readonly tagged: TaggedText; readonly labels: readonly string[] }
  | { readonly error: string }
);

/** Models by address, each fetched once. */
const taggers = new Map<string, Promise<Tagger>>();

async function fetchTagger(model: string): Promise<Tagger> {
  const response = await fetch(model);
  if (!response.ok) throw new Error(`${model}: the server answers ${response.status}`);
  return Tagger.fromBytes(await response.arrayBuffer(), { source: model });
}

function taggerOf(model: string): Promise<Tagger> {
  let tagger = taggers.get(model);
  if (tagger === undefined) {
    tagger = fetchTagger(model);
    taggers.set(model, tagger);
    // The next question tries again.
    tagger.catch(() => taggers.delete(model));
  }
  return tagger;
}

async function answer(question: TextQuestion): Promise<TextAnswer> {
  const { number, model, text, spanProbabilities } = question;
  try {
    const tagger = await taggerOf(model);
    const tagged = tagger.tagText(text, spanProbabilities ? { spanProbabilities } : {});
    return { number, tagged, labels: tagger.labels };
  } catch (error) {
    return { number, error: (error as Error).message };
  }
}

/** Answers the questions of a page; runs in a separate thread. */
export function answerQuestions(): void {
  globalThis.addEventListener('message', ({ data }: MessageEvent<TextQuestion>) => {
    answer(data).then(found => globalThis.postMessage(found));
  });
}
