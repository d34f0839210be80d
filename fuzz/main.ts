import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, fuzz, type FuzzReport } from './run';

const USAGE = `Usage: npm run fuzz -- [--minutes M] [--seed N] [--round R]

Changes good clips, pictures, production files, batches and gateway answers at random, and reads them as Dailies does.
No reader may die, hang, throw an undocumented error, or leave a file outside its folder.
With --round, runs only that round of the seed.
`;

/** Exit codes: 0 if nothing was found, 1 if something was found or the fuzzer failed, 2 for wrong arguments. */
async function main(): Promise<number> {
  const args = readArguments();
  if (args === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'dailies-fuzz-'));
  process.stdout.write(`Fuzz with seed ${args.seed}, ${args.minutes} min\n`);
  const onFinding = ({ kind, target, round, words, path }: Finding): void => {
    process.stdout.write(`FOUND: ${kind} of ${target} in round ${round}, bytes in ${path}\n${words}\n`);
  };
  const report = await fuzz({ ...args, root: join(__dirname, '..', '..'), folder, onFinding });
  process.stdout.write(formatReport(report, args.seed));
  if (report.findings.length > 0) return 1;
  await rm(folder, { recursive: true, force: true });
  return 0;
}

function formatReport({ cases, read, refused, findings }: FuzzReport, seed: number): string {
  const targets = [...new Set([...Object.keys(read), ...Object.keys(refused)])].toSorted();
  return [
    ...targets.map((name) => `${name.padEnd(12)}${read[name] ?? 0} read, ${refused[name] ?? 0} refused`),
    `${cases} cases, ${findings.length} findings`,
    ...findings.map(
      ({ round, kind, target }) => `${kind} of ${target}: npm run fuzz -- --seed ${seed} --round ${round}`,
    ),
    '',
  ].join('\n');
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
        minutes: { type: 'string', default: '10' },
        round: { type: 'string' },
      },
    });
    const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
    const round = values.round === undefined ? undefined : Number(values.round);
    if (!Number.isSafeInteger(seed) || !(minutes > 0)) return undefined;
    if (round !== undefined && (!Number.isSafeInteger(round) || round < 0)) return undefined;
    return { seed, minutes, ...(round === undefined ? {} : { round }) };
  } catch {
    return undefined;
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
