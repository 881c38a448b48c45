import { from, lastValueFrom } from 'rxjs';
import { tokenCount } from '../corpus/token-count.mjs';
import {
  batch,
  contribute,
  createLearner,
  createModel,
  logLoss,
  optimize,
  ParallelLearner,
  passes,
  sgd,
  ThreadGroup,
} from '../library.mjs';
import { median } from '../timing/median.mjs';

/** Ways to train, and the minibatches that they are compared at; hogwild has rounds of 256. */
const ways = [
  { mode: 'deterministic', sentences: 16 },
  { mode: 'deterministic', sentences: 64 },
  { mode: 'deterministic', sentences: 256 },
  { mode: 'hogwild', sentences: 256, alone: 1 },
];

/**
 * A pass of training in two threads against one in one thread, pass by pass in turn, so that both meet
 * the same noise; the ratio is the median of those of the pairs. Some passes before do not count: the
 * compilers are not done with the first ones.
 */
export async function threads({ corpus, spec, runs, scale }) {
  const rows = [];
  for (const way of ways)
    rows.push(...(await compare(way, corpus.train, spec, { runs, warm: scale.warmPasses })));
  return { rows };
}

async function compare({ mode, sentences, alone = sentences }, train, spec, { runs, warm }) {
  // The sum of so many gradients at once takes a smaller step.
  const optimizer = sgd({ eta0: Math.min(0.1, 2 / sentences) });
  const options = optimizer.component.options.parse(optimizer.options);
  const single = begin(train, spec, model => createLearner(model, { loss: logLoss(), optimizer }));
  const pool = new ThreadGroup(2);
  const double = begin(train, spec, model => {
    return new ParallelLearner(model, {
      ...{ loss: logLoss(), optimizer: 'sgd' },
      ...{ options, mode, group: pool },
    });
  });
  const seconds = { single: [], double: [], ratios: [] };
  for (let pass = 1; pass <= runs + warm; pass += 1) {
    const one = await secondsOf(single, pass, alone);
    const two = await secondsOf(double, pass, sentences);
    if (pass <= warm) continue;
    seconds.single.push(one);
    seconds.double.push(two);
    seconds.ratios.push(one / two);
  }
  await pool.close();
  const name = `a pass in one thread, minibatches of ${alone}`;
  const row = { group: 'threads', runs, tokens: tokenCount(train) };
  const what = `${mode}, two threads, minibatches of ${sentences}`;
  const ratios = { [name]: 1 / median(seconds.ratios) };
  return [
    { ...row, what: `${name} (${mode})`, seconds: median(seconds.single), ratios: {} },
    { ...row, what, seconds: median(seconds.double), ratios },
  ];
}

function begin(sentences, spec, learnerOf) {
  const model = createModel(spec);
  const encoded = sentences.map(sentence => model.encode(sentence));
  return { model, encoded, learner: learnerOf(model), begun: false };
}

async function secondsOf(run, pass, sentences) {
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
  return (performance.now() - began) / 1000;
}
