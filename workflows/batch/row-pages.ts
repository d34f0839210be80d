import type { BatchInput, RowPlace } from '../../contracts/render/batch';
import type { BatchRow, OpenRows } from '../../contracts/render/batch-page';
import { untilServed } from '../temporal/activity-failures';
import { batchActivities } from '../temporal/activity-options';
import type { PlacedRow } from './start-row';

/** The rows to render, read from the store one page at a time. */
export interface RowPages {
  /** The next row to start; undefined after the last row. */
  next(): Promise<PlacedRow | undefined>;
  /** Undoes the last call of `next`: the next call returns the same row. */
  putBack(): void;
  /** Finds a row of this run again; undefined if its page lacks the row. */
  rowAt(place: RowPlace): Promise<PlacedRow | undefined>;
  /** The position from which `next` continues. */
  position(): { readonly page: number; readonly begun: number };
}

export function openRowPages({ batchId, index, pages, carried }: BatchInput): RowPages {
  let page = carried?.page ?? 0;
  let begun = carried?.begun ?? 0;
  let current: OpenRows | undefined;

  /** Waits while the batch is paused or the store is unavailable. */
  const open = (number: number): Promise<OpenRows> =>
    untilServed(() => batchActivities().openRows({ batchId, index, page: number }));

  return {
    position: () => ({ page, begun }),
    async next() {
      while (page < pages) {
        current ??= await open(page);
        const row = current.rows[begun];
        if (row !== undefined) {
          begun += 1;
          return placed(row, page, current);
        }
        current = undefined;
        page += 1;
        begun = 0;
      }
      return undefined;
    },
    putBack() {
      begun -= 1;
    },
    async rowAt(place) {
      const opened = await open(place.page);
      const row = opened.rows.find(({ key }) => key === place.key);
      return row && placed(row, place.page, opened);
    },
  };
}

function placed(row: BatchRow, page: number, { frozen, lowered }: OpenRows): PlacedRow {
  const { key, digest, kind } = row;
  const low = lowered === undefined ? {} : { lowered };
  return { place: { key, digest, page, isProduction: kind === 'production' }, row, frozen, ...low };
}
