import { type Priority } from '../../contracts/gateway/arbiter';
import { type ProductionBudget } from '../../contracts/money/budget';
import { type OnUnclear } from '../../contracts/render/decision';
import { z } from 'zod';
import { type Notify } from '../../contracts/file/notify';
import { Assembly } from '../../contracts/file/assembly';
import { Defaults, type FallbackInFile, ModelEntry, Output, ProductionFile } from '../../contracts/file/production';
import { type Finding, type Path, wrongValue } from '../wording/finding';
import { schemaFindings } from './text/schema-findings';
import { shown } from '../wording/phrases';

/** Example of a shot for messages. */
const A_SHOT = '{ id: dawn, model: beta-video, prompt: The sea at dawn. }';

/** Schema of a production file. Shots and defaults may have any keys, because their rules depend on the models. */
const Frame = ProductionFile.extend({
  defaults: Defaults.loose().optional(),
  shots: z.array(z.record(z.string(), z.unknown()).meta({ example: A_SHOT })).min(1),
});

const Plain = ProductionFile.pick({
  id: true,
  title: true,
  maxInFlight: true,
  onUnclear: true,
  budget: true,
  notify: true,
  priority: true,
  readyBy: true,
  fallback: true,
});

/**
 * The parts of a production. Wrong parts are left out and reported in `findings`, so that the rest can be checked too.
 * The values in `defaults` and in the shots are unchecked.
 */
export interface ProductionFrame {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly maxInFlight?: number | undefined;
  readonly onUnclear?: OnUnclear | undefined;
  readonly budget?: ProductionBudget | undefined;
  readonly priority?: Priority | undefined;
  readonly notify?: Notify | undefined;
  readonly readyBy?: string | undefined;
  readonly fallback?: FallbackInFile | undefined;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly models: Readonly<Record<string, ModelEntry>>;
  readonly shots: readonly { readonly raw: Readonly<Record<string, unknown>>; readonly path: Path }[];
  readonly assembly: Assembly;
  readonly output: Output;
  readonly findings: readonly Finding[];
}

export function readFrame(value: unknown): ProductionFrame {
  const parts = asMap(value);
  const shots: readonly unknown[] = Array.isArray(parts['shots']) ? parts['shots'] : [];
  return {
    ...validParts(Plain, parts),
    defaults: asMap(parts['defaults']),
    models: Object.fromEntries(
      Object.entries(asMap(parts['models'])).map(([id, entry]) => [id, validParts(ModelEntry, asMap(entry))]),
    ),
    shots: shots.flatMap((raw, index) => (isMap(raw) ? [{ raw, path: ['shots', index] }] : [])),
    assembly: validParts(Assembly, asMap(parts['assembly'])),
    output: validParts(Output, asMap(parts['output'])),
    findings: frameFindings(value),
  };
}

function frameFindings(value: unknown): readonly Finding[] {
  if (value === null || value === undefined)
    return [
      wrongValue(
        [],
        'the file is empty; a production has at least a list of shots, each with an id, a model and a prompt',
      ),
    ];
  if (!isMap(value)) return [wrongValue([], `the file holds ${shown(value)}; a production is a map with shots in it`)];
  return schemaFindings(Frame, value).filter(({ path }) => path[0] !== 'defaults' || path.length === 1);
}

/** The parts of a map that are valid on their own. */
function validParts<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  value: Readonly<Record<string, unknown>>,
): z.infer<z.ZodObject<Shape>> {
  const right = (name: string, part: unknown): boolean =>
    Object.hasOwn(schema.shape, name) && (schema.shape[name] as z.ZodType).safeParse(part).success;
  const valid = Object.entries(value).filter(([name, part]) => right(name, part));
  return Object.fromEntries(valid) as z.infer<z.ZodObject<Shape>>;
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
