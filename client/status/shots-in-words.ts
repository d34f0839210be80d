import { counted } from '../../contracts/counted';
import { type OutputKind } from '../../contracts/gateway/models';

/** A shot, or a still or text that the file nests in a shot. */
export interface CountedShot {
  readonly id: string;
  /** Undefined if unknown. */
  readonly makes: OutputKind | undefined;
}

/**
 * Counts shots in words, such as `10 shots, 2 stills and 1 text`.
 *
 * @param all ids of all shots, to tell which shots are nested.
 */
export function shotsInWords(shots: readonly CountedShot[], all: readonly string[]): string {
  const ids = new Set(all);
  const nested = shots.filter(({ id }) => isNested(id, ids));
  const texts = nested.filter(({ makes }) => makes === 'text').length;
  const stills = nested.length - texts;
  const own = shots.length - nested.length;
  const counts = [
    ...(own > 0 || nested.length === 0 ? [counted(own, 'shot')] : []),
    ...(stills > 0 ? [counted(stills, 'still')] : []),
    ...(texts > 0 ? [counted(texts, 'text')] : []),
  ];
  const last = counts.pop() ?? '';
  return counts.length === 0 ? last : `${counts.join(', ')} and ${last}`;
}

/** Whether an id is nested, such as `dawn.startFrame` if `dawn` exists. Other ids may have dots too. */
function isNested(id: string, ids: ReadonlySet<string>): boolean {
  const parts = id.split('.');
  return parts.some((_part, index) => index > 0 && ids.has(parts.slice(0, index).join('.')));
}
