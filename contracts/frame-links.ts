import type { FrameLink } from './frozen';

/** How shots use what one another's takes leave, read off their file and text parameters, checked or frozen. */

type AnyFile = FrameLink | { readonly kind: 'address' | 'asset' | 'local' };

/** A shot, as far as its links go. */
export interface LinkedShot {
  readonly id: string;
  readonly files: Readonly<Record<string, AnyFile | readonly AnyFile[]>>;
  readonly texts?: Readonly<Record<string, { readonly shot: string }>> | undefined;
}

/**
 * All that a shot needs of others, each named once: frames, pictures and texts.
 *
 * A frame whose colour is corrected needs the chain's first clip as well: it stands there by its last frame, which the
 * chain begins on.
 */
export function frameLinks({ files, texts = {} }: Pick<LinkedShot, 'files' | 'texts'>): readonly FrameLink[] {
  const linked = Object.values(files)
    .flat()
    .filter((source) => source.kind === 'link')
    .flatMap((link) => (link.anchor === undefined ? [link] : [link, anchorLink(link.anchor)]));
  const links = [...linked, ...Object.values(texts).map(({ shot }) => wholeLink(shot))];
  return [...new Map(links.map((link) => [`${link.frame} ${link.shot}`, link])).values()];
}

/** The link by which a shot uses the very picture or text that another one makes. */
export function wholeLink(shot: string): FrameLink {
  return { kind: 'link', shot, frame: 'whole' };
}

/** The link by which a shot depends on the first shot of its chain. */
export function anchorLink(shot: string): FrameLink {
  return { kind: 'link', shot, frame: 'last' };
}

/** The link by which a shot goes on from the last frame of another; undefined where it is a cut. */
export function carriedFrame({ files }: Pick<LinkedShot, 'files'>): FrameLink | undefined {
  const [start] = [files['startFrame'] ?? []].flat();
  return start?.kind === 'link' && start.frame === 'last' ? start : undefined;
}

/** The first shot of the chain by each shot that goes on from another; of a circle, which no check lets through, any. */
export function chainFirsts(shots: readonly LinkedShot[]): ReadonlyMap<string, string> {
  const before = new Map(
    shots.flatMap((shot) => {
      const link = carriedFrame(shot);
      return link === undefined ? [] : [[shot.id, link.shot] as const];
    }),
  );
  return new Map(
    [...before].map(([id, from]) => {
      let first = from;
      const seen = new Set([id]);
      for (let next = before.get(first); next !== undefined && !seen.has(first); next = before.get(first)) {
        seen.add(first);
        first = next;
      }
      return [id, first];
    }),
  );
}

/** Whether a shot goes on from another, or another from it. */
export function isChained(shots: readonly LinkedShot[], id: string): boolean {
  return shots.some((shot) => {
    const link = carriedFrame(shot);
    return link !== undefined && (shot.id === id || link.shot === id);
  });
}

/** As `last frame of dawn`; of what is used as it is, the name of the shot that makes it. */
export function frameInWords({ frame, shot }: Pick<FrameLink, 'frame' | 'shot'>): string {
  return frame === 'whole' ? shot : `${frame} frame of ${shot}`;
}
