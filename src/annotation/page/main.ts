import { AnnotationPage } from './annotation-page.js';
import type { Answers } from './answers.js';
import { ask } from './api.js';
import { element } from './dom.js';

const root = document.getElementById('page')!;

ask<Answers['start']>('start').then(
  start => new AnnotationPage(root, start),
  (error: Error) => root.replaceChildren(element('p', { class: 'banner' }, error.message)),
);
