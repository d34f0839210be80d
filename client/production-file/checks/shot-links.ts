import { wholeLink } from '../../../contracts/file/frame-links';
import { type FrameLink, type FrozenShot } from '../../../contracts/render/frozen';
import { type OutputKind } from '../../../contracts/gateway/models';
import { type Finding, type Path, wrongValue } from '../../wording/finding';
import { anyOf, didYouMean, outputInWords, shown } from '../../wording/phrases';

export interface PlacedLink {
  readonly shot: string;
  readonly link: FrameLink;
  /** The output that the linked shot must have. */
  readonly wants: OutputKind;
  readonly path: Path;
}

/** The kind of each shot's output; undefined if the shot's model is invalid. */
type Outputs = ReadonlyMap<string, OutputKind | undefined>;

/** The links of a frozen shot. Their paths are empty, because their places in the file are unknown. */
export function placedLinks({ id, files, texts = {} }: FrozenShot): readonly PlacedLink[] {
  const links = Object.values(files)
    .flat()
    .flatMap((link) => (link.kind === 'link' ? [{ link, wants: outputWantedBy(link) }] : []));
  const written = Object.values(texts).map(({ shot }) => ({ link: wholeLink(shot), wants: 'text' as const }));
  return [...links, ...written].map((link) => ({ shot: id, path: [], ...link }));
}

/** Finds links to missing shots, links to shots with the wrong output, links of a shot to itself, and cycles. */
export function linkFindings(links: readonly PlacedLink[], outputs: Outputs): readonly Finding[] {
  const single = links.flatMap(({ shot, link, wants, path }) => {
    const message = wrongTarget(shot, link, wants, outputs);
    return message === undefined ? [] : [wrongValue(placeOf(path, link), message)];
  });
  return [...single, ...cycleFindings(links)];
}

export function outputWantedBy({ frame }: FrameLink): OutputKind {
  return frame === 'whole' ? 'image' : 'video';
}

function wrongTarget(
  shot: string,
  { shot: target, frame }: FrameLink,
  wants: OutputKind,
  outputs: Outputs,
): string | undefined {
  if (target === shot) return `shot ${shown(shot)} cannot link to itself; name another shot`;
  if (!outputs.has(target)) {
    // Do not suggest the shot itself: it cannot link to itself.
    const ids = [...outputs.keys()].filter((id) => id !== shot);
    if (ids.length === 0) return `there is no shot ${shown(target)}; the production has no other shot`;
    return `there is no shot ${shown(target)}.${didYouMean(target, ids) || ` Allowed are ${anyOf(ids.map(shown))}.`}`;
  }
  const output = outputs.get(target);
  if (output === undefined || output === wants) return undefined;
  if (wants === 'text')
    return `shot ${shown(target)} must make text, and its model makes ${outputInWords(output)}; name a text model`;
  if (frame === 'whole') return withoutStill(target, outputs);
  const remedy = output === 'image' ? `; to use the picture itself, write { stillOf: ${target} }` : '';
  return `shot ${shown(target)} makes ${outputInWords(output)}, and only a video has a ${frame} frame${remedy}`;
}

function placeOf(path: Path, { frame }: FrameLink): Path {
  return [...path, frame === 'whole' ? 'stillOf' : `${frame}FrameOf`];
}

function withoutStill(target: string, outputs: Outputs): string {
  const stills = [...outputs]
    .filter(([id, output]) => output === 'image' && id.startsWith(`${target}.`))
    .map(([id]) => id.slice(target.length + 1));
  if (stills.length > 1)
    return `shot ${shown(target)} has several stills; to name one, add parameter: ${anyOf(stills)}`;
  return `shot ${shown(target)} has no still, and makes no picture; name a shot that has a still or makes a picture`;
}

/** Reports a cycle at each link that closes one. If cycles share links, it may report only some of the cycles. */
function cycleFindings(links: readonly PlacedLink[]): readonly Finding[] {
  const linksFrom = (shot: string): PlacedLink[] => links.filter((link) => link.shot === shot);
  const done = new Set<string>();
  const findings: Finding[] = [];

  for (const { shot: start } of links) {
    if (done.has(start)) continue;
    // An explicit stack, because a chain can have a thousand shots and recursion could overflow.
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
            placeOf(next.path, next.link),
            `these shots wait for one another: ${circle}; remove one of the links`,
          ),
        );
      }
    }
  }
  return findings;
}
