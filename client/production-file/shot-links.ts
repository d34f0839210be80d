import { type FrameLink } from '../../contracts/frozen';
import { type Finding, type Path, wrongValue } from './finding';
import { type CheckedShot } from './checked-production';
import { anyOf, didYouMean, shown } from './wording';

/** A link with the place where it is written. */
export interface PlacedLink {
  readonly shot: string;
  readonly link: FrameLink;
  readonly path: Path;
}

/** Links to shots that are not there, that make no video, to themselves, and in circles. */
export function linkFindings(
  links: readonly PlacedLink[],
  outputs: ReadonlyMap<string, CheckedShot['model']['output'] | undefined>,
): readonly Finding[] {
  const single = links.flatMap(({ shot, link, path }) => {
    const message = wrongTarget(shot, link, outputs);
    return message === undefined ? [] : [wrongValue([...path, `${link.frame}FrameOf`], message)];
  });
  return [...single, ...cycleFindings(links)];
}

function wrongTarget(
  shot: string,
  { shot: target, frame }: FrameLink,
  outputs: ReadonlyMap<string, CheckedShot['model']['output'] | undefined>,
): string | undefined {
  if (target === shot) return `shot ${shown(shot)} cannot link to itself; name another shot`;
  if (!outputs.has(target)) {
    const ids = [...outputs.keys()];
    return `there is no shot ${shown(target)}.${didYouMean(target, ids) || ` Allowed are ${anyOf(ids.map(shown))}.`}`;
  }
  const output = outputs.get(target);
  if (output === undefined || output === 'video') return undefined;
  return `shot ${shown(target)} makes ${output === 'text' ? 'text' : `an ${output}`}, and only a video has a ${frame} frame`;
}

/** Each circle once, at the link that closes it. */
function cycleFindings(links: readonly PlacedLink[]): readonly Finding[] {
  const linksFrom = (shot: string): PlacedLink[] => links.filter((link) => link.shot === shot);
  const done = new Set<string>();
  const findings: Finding[] = [];

  for (const { shot: start } of links) {
    if (done.has(start)) continue;
    // A stack of its own rather than recursion: a chain may have a thousand shots.
    const way = [{ shot: start, left: linksFrom(start) }];
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const next = here.left.shift();
      if (next === undefined) {
        done.add(here.shot);
        way.pop();
        continue;
      }
      const target = next.link.shot;
      if (done.has(target) || target === here.shot) continue;
      const from = way.findIndex(({ shot }) => shot === target);
      if (from === -1) way.push({ shot: target, left: linksFrom(target) });
      else {
        const circle = [...way.slice(from).map(({ shot }) => shot), target].join(' → ');
        findings.push(
          wrongValue(
            [...next.path, `${next.link.frame}FrameOf`],
            `these shots wait for one another: ${circle}; remove one of the links`,
          ),
        );
      }
    }
  }
  return findings;
}
