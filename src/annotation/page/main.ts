import { AnnotationPage, ask } from './annotation-page.js';
import { element } from './dom.js';
import type { Answers } from './review-content.js';

const root = document.getElementById('page')!;

ask<Answers['start']>('start').then(
  start => new AnnotationPage(root, start),
  (error: Error) => root.replaceChildren(element('p', { class: 'banner' }, error.message)),
);
