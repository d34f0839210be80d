import type { FrameLink } from '../render/frozen';

/** Links between shots, read from the file and text parameters of checked or frozen shots. */

type AnyFile = FrameLink | { readonly kind: 'address' | 'asset' | 'local' };

/** A shot with the fields that links depend on. */
export interface LinkedShot {
  readonly id: string;
  readonly files: Readonly<Record<string, AnyFile | readonly AnyFile[]>>;
  readonly texts?: Readonly<Record<string, { readonly shot: string }>> | undefined;
}

/**
 * Returns the frames, pictures and texts that a shot needs from other shots, each once.
 *
 * In a chain, each shot starts on the last frame of the shot before. If the link has an `anchor`, that frame is
 * color-corrected towards the chain's first clip, and the result includes `anchorLink` of the chain's first shot.
 */
export function frameLinks({ files, texts = {} }: Pick<LinkedShot, 'files' | 'texts'>): readonly FrameLink[] {
  const linked = Object.values(files)
    .flat()
    .filter((source) => source.kind === 'link')
    .flatMap((link) => (link.anchor === undefined ? [link] : [link, anchorLink(link.anchor)]));
  const links = [...linked, ...Object.values(texts).map(({ shot }) => wholeLink(shot))];
  return [...new Map(links.map((link) => [`${link.frame} ${link.shot}`, link])).values()];
}

/** A link to the whole picture or text that a shot makes. */
export function wholeLink(shot: string): FrameLink {
  return { kind: 'link', shot, frame: 'whole' };
}

/** A link to the last frame of a chain's first shot. */
export function anchorLink(shot: string): FrameLink {
  return { kind: 'link', shot, frame: 'last' };
}

/** Returns the link by which a shot starts on another shot's last frame; undefined if it has no such link. */
export function carriedFrame({ files }: Pick<LinkedShot, 'files'>): FrameLink | undefined {
  const [start] = [files['startFrame'] ?? []].flat();
  return start?.kind === 'link' && start.frame === 'last' ? start : undefined;
}

/**
 * Maps each shot that starts on another shot's last frame to the first shot of its chain.
 *
 * In a cycle, which the checks refuse, any shot of the cycle counts as the first.
 */
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

/** Whether a shot starts on another shot's last frame, or another shot starts on its last frame. */
export function isChained(shots: readonly LinkedShot[], id: string): boolean {
  return shots.some((shot) => {
    const link = carriedFrame(shot);
    return link !== undefined && (shot.id === id || link.shot === id);
  });
}

/** Names a link, for example `last frame of dawn`; for a whole picture or text, the shot's id. */
export function frameInWords({ frame, shot }: Pick<FrameLink, 'frame' | 'shot'>): string {
  return frame === 'whole' ? shot : `${frame} frame of ${shot}`;
}
