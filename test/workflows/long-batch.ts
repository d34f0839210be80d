import { batchEnded, batchHistories, startRows, textRows } from '../support/batches';
import { type HistoryBounds } from '../../workflows/temporal/history-bound';
import { type Rig } from '../support/rig';
import { boundedClient } from './bounded-client';

/** The size that Temporal warns about, and the bound that a batch of any length keeps. */
const MOST_EVENTS = 4_096;
const MOST_BYTES = 4_000_000;

/** Number of events beyond its bound that a history needs in order to end. */
const EVENTS_OF_END = 60;

/** Maximum that one row adds to a payload of a history. */
const MOST_BYTES_OF_ROW = 500;

/**
 * Renders a batch that needs several histories. Expects that no row is lost or paid for twice, and that each history
 * stays far below the limits.
 *
 * @param bounds of its histories. Default: those of every batch.
 */
export async function batchOverHistories(
  rig: Rig,
  { rows, parallel, bounds }: { readonly rows: number; readonly parallel: number; readonly bounds?: HistoryBounds },
): Promise<void> {
  const before = rig.sandbox.tasks().length;
  const client = bounds === undefined ? rig.client : boundedClient(rig, bounds);
  await startRows({ client, store: rig.store }, 'long', textRows(rows), { parallel });
  expect(await batchEnded(rig, 'long')).toMatchObject({ state: 'completed', counts: { completed: rows } });
  const tasks = rig.sandbox.tasks().slice(before);
  expect(new Set(tasks.map(({ parameters }) => parameters['prompt'])).size).toBe(rows);
  expect(tasks).toHaveLength(rows);
  const histories = await batchHistories(rig, 'long');
  expect(histories.length).toBeGreaterThan(1);
  for (const { events, bytes, largestPayload } of histories) {
    expect(events).toBeLessThan(Math.min(MOST_EVENTS, (bounds?.mostEvents ?? Infinity) + EVENTS_OF_END));
    expect(bytes).toBeLessThan(MOST_BYTES);
    expect(largestPayload).toBeLessThan(Math.min(256_000, MOST_BYTES_OF_ROW * rows));
  }
}
