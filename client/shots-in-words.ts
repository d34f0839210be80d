import { type OutputKind } from '../contracts/models';

/** A shot, or a still or text that is written inside of one, and stands among the shots as one of its own. */
export interface Counted {
  readonly id: string;
  /** Undefined if nobody knows. */
  readonly makes: OutputKind | undefined;
}

/** `10 shots, 2 stills and 1 text`: what is written inside of a shot is called after it, and is no shot to a person. */
export function shotsInWords(shots: readonly Counted[], all: readonly string[]): string {
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

/** As `dawn.startFrame` beside `dawn`; an id of a person's own may have dots too. */
function isNested(id: string, ids: ReadonlySet<string>): boolean {
  const parts = id.split('.');
  return parts.some((_part, index) => index > 0 && ids.has(parts.slice(0, index).join('.')));
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
