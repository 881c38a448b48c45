/** Every loss that a pipeline file can name. */
export { losses } from '../../losses/losses.js';
