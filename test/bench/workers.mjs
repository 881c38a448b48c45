import { from, lastValueFrom } from 'rxjs';
import * as tagstream from '../../dist/index.js';
import { corpus, templates } from './corpus.mjs';
import { median } from './median.mjs';

const { batch, contribute, createLearner, createModel, logLoss, optimize, passes, sgd } = tagstream;
const { ParallelLearner, TrainingCrew } = tagstream;

/** Ways to train, and the minibatches that they are compared at; hogwild has rounds of 256. */
const ways = [
  { mode: 'deterministic', sentences: 16 },
  { mode: 'deterministic', sentences: 64 },
  { mode: 'deterministic', sentences: 256 },
  { mode: 'hogwild', sentences: 256, alone: 1 },
];

/**
 * Milliseconds of a pass over a corpus in one thread and in two, pass by pass in turn, so that both meet
 * the same noise, and the median of the ratios.
 */
export async function workers(runs, given = { sentences: corpus(4000), spec: { templates } }) {
  const rows = [];
  for (const { mode, sentences, alone = sentences } of ways) {
    // The sum of so many gradients at once takes a smaller step.
    const options = sgd.options.parse({ eta0: Math.min(0.1, 2 / sentences) });
    const one = start(given, model =>
      createLearner(model, { loss: logLoss, optimizer: sgd, options }),
    );
    const crew = new TrainingCrew(2);
    const two = start(given, model => {
      return new ParallelLearner(model, { loss: logLoss, optimizer: 'sgd', options, mode, crew });
    });
    const times = { one: [], two: [], ratios: [] };
    for (let pass = 1; pass <= runs + 4; pass += 1) {
      const a = await passOf(one, pass, alone);
      const b = await passOf(two, pass, sentences);
      // The compilers are not done with the first ones.
      if (pass <= 4) continue;
      times.one.push(a);
      times.two.push(b);
      times.ratios.push(a / b);
    }
    await crew.close();
    rows.push({
      way: `${mode}, ${sentences}`,
      one: median(times.one),
      two: median(times.two),
      timesAsFast: median(times.ratios),
    });
  }
  return rows;
}

function start({ sentences, spec }, learnerOf) {
  const model = createModel(spec);
  const encoded = sentences.map(sentence => model.encode(sentence));
  return { model, encoded, learner: learnerOf(model), begun: false };
}

async function passOf(run, pass, sentences) {
  const { model, encoded, learner } = run;
  let began = 0;
  const onSettled = settled => {
    if (!run.begun) learner.begin?.(settled);
    run.begun = true;
    began = performance.now();
  };
  const skip = (pass - 1) * encoded.length;
  await lastValueFrom(
    from(encoded).pipe(
      passes(model, { epochs: pass, skip, onSettled }),
      batch({ sentences }),
      contribute(learner),
      optimize(learner),
    ),
  );
  return performance.now() - began;
}
