import { type FileSource, type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type RunValues } from '../../contracts/file/run-values';
import { fillTexts } from '../../contracts/file/template';
import { shotDigest } from '../../store';

/**
 * Fills in the variables of a frozen production, and gives it another id.
 *
 * MAINTENANCE: fill exactly the places in which client/production-file/run-variables.ts allows variables.
 */
export function fillProduction(template: FrozenProduction, id: string, values: RunValues): FrozenProduction {
  const { title, shots, assembly } = template;
  return {
    ...template,
    id,
    title: fillTexts(title, values),
    shots: shots.map((shot) => fillShot(shot, values)),
    ...(assembly?.title === undefined
      ? {}
      : { assembly: { ...assembly, title: { ...assembly.title, text: fillTexts(assembly.title.text, values) } } }),
  };
}

export function filledPlan(plan: ProductionPlan, { title, shots }: FrozenProduction): ProductionPlan {
  const digests = new Map(shots.map((shot) => [shot.id, shotDigest(shot)]));
  return {
    ...plan,
    title,
    shots: plan.shots.map((shot) => ({ ...shot, digest: digests.get(shot.id) ?? shot.digest })),
  };
}

function fillShot(shot: FrozenShot, values: RunValues): FrozenShot {
  const { parameters, files, caption } = shot;
  return {
    ...shot,
    parameters: fillTexts(parameters, values),
    files: Object.fromEntries(
      Object.entries(files).map(([name, source]) => [
        name,
        Array.isArray(source) ? source.map((one) => fillFile(one, values)) : fillFile(source, values),
      ]),
    ),
    ...(caption === undefined ? {} : { caption: fillTexts(caption, values) }),
  };
}

function fillFile(source: FileSource, values: RunValues): FileSource {
  return source.kind === 'address' ? { ...source, url: fillTexts(source.url, values) } : source;
}
