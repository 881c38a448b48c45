/** Filters the errors by label and by pair of tags, and opens what a link asks for; nothing else. */
export const evaluationScript = `
'use strict';
{
const form = document.getElementById('filter');
const items = [...document.querySelectorAll('ol.errors > li')];
const count = document.getElementById('count');
const has = (list, number) => number === '' || (' ' + list + ' ').includes(' ' + number + ' ');
const show = () => {
  let shown = 0;
  for (const item of items) {
    const fits = has(item.dataset.l, form.label.value) && has(item.dataset.p, form.pair.value);
    item.hidden = !fits;
    if (fits) shown += 1;
  }
  count.textContent = shown + ' of ' + items.length + ' sentences shown';
};
if (form !== null) {
  form.hidden = false;
  form.addEventListener('input', show);
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(show));
  for (const link of document.querySelectorAll('a[data-pair]')) {
    link.addEventListener('click', () => {
      form.label.value = '';
      form.pair.value = link.dataset.pair;
      show();
    });
  }
  show();
}
}
`;
