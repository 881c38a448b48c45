import { AnnotationPage, annotator, ask } from './annotation-page.js';
import { element } from './dom.js';
import { type Answers, namesContent } from './review-content.js';

const root = document.getElementById('page')!;

async function begin(): Promise<void> {
  if (annotator === null) {
    const names = await ask<Answers['people']>('people');
    if (names.people.length > 0) return root.replaceChildren(...namesContent(names));
  }
  new AnnotationPage(root, await ask<Answers['start']>('start'));
}

begin().catch(async (error: Error) => {
  const said = element('p', { class: 'banner', attributes: { role: 'alert' } }, error.message);
  root.replaceChildren(said);
  const names = await ask<Answers['people']>('people');
  if (names.people.length > 0) root.append(...namesContent(names));
});
