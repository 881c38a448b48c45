// The entry `tagstream/element`: importing it in a page defines `<tagstream-text model="people.model">`.

export { TaggedTextElement } from '../reports/tagger-page/tagged-text-element.js';
