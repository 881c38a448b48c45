import type { LearningCurve } from '../../metrics/learning-curve.js';
import { baseStyle } from '../page/base-style.js';
import { html } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { evaluationStyle } from './evaluation-style.js';
import { learningCurveSection } from './learning-curve-section.js';

/** A learning curve as a page of its own. */
export function learningCurvePage(curve: LearningCurve): string {
  const title = `Learning curve of ${curve.name}`;
  const { head, tail } = pageFrame({ title, style: baseStyle + evaluationStyle });
  const body = html`<header><h1>${title}</h1></header>
<main>
${learningCurveSection(curve)}</main>
<footer><p>Written by tagstream curve. Scores are percentages.</p></footer>
`;
  return `${head}${body.text}${tail}`;
}
