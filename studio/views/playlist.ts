import { assetAddress } from '../server/serve-asset';
import { type FilmView } from './film-view';

/** A clip of the film so far, or a slate in its place. */
export interface PlaylistEntry {
  readonly shot: string;
  readonly number: number;
  /** Address of the clip; null for a slate. */
  readonly src: string | null;
  /** Length of the chosen take, or else the requested length; `DEFAULT_SECONDS` if both are unknown. */
  readonly seconds: number;
  /** The shot's caption. A slate without a caption has the shot's prompt, if any. Otherwise null. */
  readonly caption: string | null;
  readonly state: string;
}

/** Used if the length of a shot is not known. */
const DEFAULT_SECONDS = 3;

/** The film so far, in film order. Omits skipped shots, and shots whose output is not video or not known. */
export function playlistOf({ shots }: Pick<FilmView, 'shots'>): readonly PlaylistEntry[] {
  return shots.flatMap(({ id, number, status, frozen, shown, seconds, caption, prompt }) => {
    if (frozen?.model.output !== 'video' || status.state === 'skipped') return [];
    // While another take is made, the existing clip plays.
    const asset = shown?.asset;
    const src = asset == null ? null : assetAddress(asset);
    const words = caption ?? (src === null ? prompt : null);
    return [{ shot: id, number, src, seconds: seconds ?? DEFAULT_SECONDS, caption: words, state: status.state }];
  });
}
