import { z } from 'zod';
import { GENERATIONS, ID_PATTERN, toId } from '../../contracts/identifiers';
import { BETA_REFERENCE_MAX_SECONDS } from '../../contracts/models';
import { Defaults, ProductionFile } from '../../contracts/production';
import { createLimiter } from '../../media/limiter';
import { checkAssembly, checkedOutput } from './check-assembly';
import { checkShot, type ShotCheck } from './check-shot';
import { type CheckedProduction } from './checked-production';
import { type Finding, type Path, wrongKey, wrongValue } from './finding';
import { createLookInto, type FileValuePolicy, type LookInto, notSendable, wrongKind } from './local-files';
import { schemaFindings } from './schema-findings';
import { linkFindings } from './shot-links';
import { knownOwners, readModels } from './shot-model';
import { anyOf, shown } from './wording';

/** Files looked into at once; more only waits for the disk. */
const FILES_AT_ONCE = 4;

/** Everything but the shots, whose rules depend on their models. */
const Frame = ProductionFile.extend({
  defaults: z.looseObject({}).optional(),
  shots: z.array(z.record(z.string(), z.unknown()), 'must be a list of shots').min(1),
});

export interface CheckContext {
  /** Paths in the production are relative to it. */
  readonly folder: string;
  /** The id where the production names none. */
  readonly fallbackId: string;
  readonly policy: FileValuePolicy;
}

/** Finds everything that is wrong with a production, all at once, or nothing. Sends and stores nothing. */
export async function checkProduction(
  value: unknown,
  context: CheckContext,
): Promise<{ readonly production: CheckedProduction } | { readonly findings: readonly Finding[] }> {
  const frame = readFrame(value);
  const lookInto = createLookInto();
  const { catalogue, findings: modelFindings } = await readModels(frame.models, context.folder);
  const shots = frame.shots.map(({ raw, path }) => checkShot(raw, path, frame.defaults, catalogue, context.folder));
  const identity = identityOf(frame.id, frame.title, context);
  const hasCaptions = shots.some(({ shot }) => shot?.caption !== undefined);
  const assembly = await checkAssembly(frame.assembly, shots, identity.title, { ...context, lookInto, hasCaptions });

  const findings = distinct([
    ...frame.findings,
    ...identity.findings,
    ...modelFindings,
    ...defaultFindings(frame.defaults, shots),
    ...shots.flatMap((shot) => shot.findings),
    ...idFindings(shots),
    ...linkFindings(
      shots.flatMap(({ id, links }) => (id === undefined ? [] : links.map((link) => ({ shot: id, ...link })))),
      new Map(shots.flatMap(({ id, model }) => (id === undefined ? [] : [[id, model?.output] as const]))),
    ),
    ...(await fileFindings(shots, context.policy, lookInto)),
    ...assembly.findings,
  ]);
  const checked = shots.flatMap(({ shot }) => shot ?? []);
  const [first] = checked;
  if (findings.length > 0 || first === undefined) return { findings };

  const makesFilm = checked.some(({ model }) => model.output === 'video');
  return {
    production: {
      id: identity.id,
      title: identity.title,
      shots: checked,
      maxInFlight: frame.maxInFlight ?? null,
      ...(makesFilm && assembly.assembly !== undefined
        ? { assembly: assembly.assembly, output: checkedOutput(frame.output, first.parameters) }
        : {}),
    },
  };
}
