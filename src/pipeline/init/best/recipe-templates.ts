import type { Recipe } from './recipe.js';

/** What labels a word and its neighbours had in training. */
const seen = [
  'US0:%seen[0,0]',
  'US1:%seen[-1,0]',
  'US2:%seen[1,0]',
  'US3:%seen[-1,0]/%seen[0,0]',
  'US4:%seen[0,0]/%seen[1,0]',
];

/** How a word was written before in its document, and what stood beside it. */
const document = [
  'UD0:%document[0,0,case]',
  'UD1:%document[0,0,case]/%type[0,0]',
  'UD2:%document[0,0,case]/%first[0,0]',
  'UDL:%document[0,0,left]',
  'UDL:%document[0,0,left2]',
  'UDR:%document[0,0,right]',
  'UDR:%document[0,0,right2]',
];

/** The templates that a recipe adds. */
export function recipeTemplates(recipe: Recipe): string[] {
  return [...(recipe.seen ? seen : []), ...(recipe.document ? document : [])];
}
