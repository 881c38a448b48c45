import { TagstreamError } from '../../engine/core/errors.js';
import type { LearningCurve } from '../../engine/metrics/learning-curve.js';
import { readBytes } from '../../formats/reading/read-bytes.js';
import { type EvaluationPage, evaluationPage } from '../../reports/evaluation/evaluation-page.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import type { EvalArguments } from './eval-arguments.js';

/** Writes the page of an evaluation to the file of `--html`. */
export function writeEvalPage(
  { model, gold, html }: EvalArguments & { readonly model: string },
  shown: Omit<EvaluationPage, 'model' | 'gold'>,
): Promise<void> {
  const data = gold === '' || gold === '-' ? 'the standard input' : gold;
  return writeWhole(html!, evaluationPage({ model, gold: data, ...shown }));
}

/**
 * Reads the learning curve of `--curve`, if given.
 *
 * @throws TagstreamError `file` if it cannot be read, `wrong-shape` if it is invalid
 */
export function readCurve({ curve: file }: EvalArguments): LearningCurve | undefined {
  if (file === undefined) return undefined;
  const text = new TextDecoder().decode(readBytes(file));
  try {
    const curve = JSON.parse(text) as LearningCurve;
    if (isCurve(curve)) return curve;
  } catch {
    // Reported as an error below.
  }
  throw new TagstreamError('wrong-shape', 'this is not a learning curve', {
    place: { source: file },
    fix: 'write it with tagstream curve PIPELINE --json',
  });
}

function isCurve(value: LearningCurve): boolean {
  const number = (score: unknown) => typeof score === 'number' && Number.isFinite(score);
  const figure = (score: unknown) => score === null || number(score);
  return (
    typeof value?.name === 'string' &&
    Array.isArray(value.points) &&
    value.points.length > 0 &&
    value.points.every(
      point =>
        number(point?.records) &&
        figure(point.scores?.accuracy) &&
        (point.scores.f1 === undefined || figure(point.scores.f1)),
    )
  );
}
