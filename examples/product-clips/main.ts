import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { type Dailies, type Generated, Refused, type Task } from 'dailies';
import { ID_PATTERN } from 'dailies/contracts/identifiers';
import { openDailies } from 'dailies/workers';

/**
 * For each row of a sheet, makes a picture, a clip that starts on the picture, and a caption. Prints one JSON line per
 * row.
 *
 * Each task is named after its row, so another run pays only for what is missing or has changed.
 */

/** Rows in progress at once. */
const PARALLEL = 4;

/** The sandbox's models. Put your own here. */
const MODELS = { picture: 'pixel-image-1', clip: 'beta-2.5', caption: 'quill-text-1' };

/** The columns of the sheet. `sku` identifies a row. */
interface Row {
  readonly sku: string;
  readonly product: string;
  readonly scene: string;
}

/** The result of a row. `reason` says why something is missing. */
interface Line {
  readonly sku: string;
  readonly picture: string | null;
  readonly clip: string | null;
  readonly caption: string | null;
  readonly credits: number;
  readonly reason: string | null;
}

async function main(sheet: string): Promise<void> {
  const rows = rowsOf(await readFile(resolve(sheet), 'utf8'));
  const dailies = await openDailies();
  try {
    const waiting = rows.values();
    const work = async (): Promise<void> => {
      // All calls of `work` share this iterator, so each call takes the next row.
      for (const row of waiting) console.log(JSON.stringify(await lineOf(dailies, row)));
    };
    // Wait for all rows, even if one fails, before the connection closes: paid tasks must be collected and reported.
    const ended = await Promise.allSettled(Array.from({ length: PARALLEL }, work));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  } finally {
    await dailies.close();
  }
}

async function lineOf(dailies: Dailies, { sku, product, scene }: Row): Promise<Line> {
  const made: Generated[] = [];
  const make = async (task: Task): Promise<Generated> => {
    const generated = await dailies.generate(task);
    made.push(generated);
    if (generated.state === 'completed') return generated;
    throw new RowFailed(`${generated.id}: ${generated.parked?.command ?? generated.reason ?? generated.state}`);
  };
  let reason: string | null = null;
  try {
    const picture = await make({
      id: `${sku}.picture`,
      model: MODELS.picture,
      output: 'image',
      prompt: `${product}, ${scene}`,
    });
    const both = await Promise.allSettled([
      make({
        id: `${sku}.clip`,
        model: MODELS.clip,
        prompt: `the camera moves around ${product}`,
        parameters: { duration: 4, resolution: '480p' },
        files: { startFrame: picture.asset?.path ?? '' },
      }),
      make({ id: `${sku}.caption`, model: MODELS.caption, output: 'text', prompt: `one line that sells ${product}` }),
    ]);
    for (const one of both) if (one.status === 'rejected') throw one.reason;
  } catch (error) {
    // The other rows continue. The next run tries this row again.
    if (!(error instanceof RowFailed || error instanceof Refused)) throw error;
    reason = error.message;
  }
  const of = (part: string): Generated | undefined => made.find(({ id }) => id === `${sku}.${part}`);
  return {
    sku,
    picture: of('picture')?.asset?.path ?? null,
    clip: of('clip')?.asset?.path ?? null,
    caption: of('caption')?.text ?? null,
    credits: made.reduce((sum, { credits }) => sum + (credits ?? 0), 0),
    reason,
  };
}

class RowFailed extends Error {}

/** @throws if a value is missing, a sku cannot name a task, or two rows have the same sku. */
function rowsOf(text: string): readonly Row[] {
  const rows = parse<Record<string, string>>(text, { columns: true, skip_empty_lines: true, trim: true });
  const known = new Set<string>();
  return rows.map(({ sku = '', product = '', scene = '' }, index) => {
    if (sku === '' || product === '' || scene === '') throw new Error(`row ${index + 1} lacks sku, product or scene`);
    if (!ID_PATTERN.test(`${sku}.picture`)) {
      throw new Error(
        `row ${index + 1} has the sku ${sku}; give at most 56 letters, digits, dots, dashes or underscores, a letter or digit first`,
      );
    }
    if (known.has(sku)) throw new Error(`row ${index + 1} has the sku ${sku} of an earlier row`);
    known.add(sku);
    return { sku, product, scene };
  });
}

const [sheet = 'rows.csv'] = process.argv.slice(2);
main(sheet).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
