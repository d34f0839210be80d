import { z } from 'zod';
import { AssetRef } from '../../contracts/asset';
import { type Assets } from '../assets';
import { createKeptPieces, type KeptPieces, removePieces, sweepPieces } from './kept-pieces';
import { ifReadable, type Records } from '../records';
import { hashOf } from '../ledger/take-key';
import { filmHash, type WantedFilm } from './wanted-film';

const FILMS = 'films';
const FRAMES = 'anchored';

const MadeFilm = z.looseObject({ film: AssetRef });
const MadeFrame = z.looseObject({ frame: AssetRef });

/**
 * Records of the films and color-corrected frames that were made from takes, so that none is made twice. A lost film or
 * frame can be made again at no cost, so an unreadable record counts as absent, and is replaced.
 */
export interface Films {
  /** The stored film; undefined if it was not made, or its bytes are gone. */
  made(film: WantedFilm): Promise<AssetRef | undefined>;
  note(film: WantedFilm, asset: AssetRef): Promise<void>;
  /** All recorded films, without those with these hashes (`filmHash`). Unreadable records are left out too. */
  allExcept(hashes: ReadonlySet<string>): Promise<readonly AssetRef[]>;
  /** The stored frame for `recipe` (source frame and correction); undefined if not made, or if its bytes are gone. */
  frame(recipe: unknown): Promise<AssetRef | undefined>;
  noteFrame(recipe: unknown, asset: AssetRef): Promise<void>;
  /** The pieces of a production's film that are rendered before the film is assembled. */
  pieces(productionId: string): KeptPieces;
  /** Removes abandoned pieces, such as those of a terminated production. */
  sweepPieces(): Promise<void>;
  /** Removes the pieces of all productions, to free space. A film in progress keeps its hard links to pieces. */
  removePieces(): Promise<void>;
}

/** @param scratch local folder for pieces. */
export function createFilms(records: Records, assets: Assets, scratch: string): Films {
  const frameKey = (recipe: unknown): string => `${FRAMES}/${hashOf(recipe)}`;
  const ifThere = async (asset: AssetRef | undefined): Promise<AssetRef | undefined> =>
    asset !== undefined && (await assets.has(asset)) ? asset : undefined;
  const read = async (key: string): Promise<unknown> => (await ifReadable(() => records.read(key)))?.value;
  const film = async (name: string): Promise<AssetRef | undefined> =>
    MadeFilm.safeParse(await read(`${FILMS}/${name}`)).data?.film;
  return {
    made: async (wanted) => ifThere(await film(filmHash(wanted))),
    note: (wanted, asset) => records.replace(`${FILMS}/${filmHash(wanted)}`, { film: asset }),
    async allExcept(hashes) {
      const names = (await records.list(FILMS)).filter((name) => !hashes.has(name));
      return (await Promise.all(names.map(film))).filter((found) => found !== undefined);
    },
    frame: async (recipe) => ifThere(MadeFrame.safeParse(await read(frameKey(recipe))).data?.frame),
    noteFrame: (recipe, frame) => records.replace(frameKey(recipe), { frame }),
    pieces: (productionId) => createKeptPieces(scratch, productionId),
    sweepPieces: () => sweepPieces(scratch),
    removePieces: () => removePieces(scratch),
  };
}
