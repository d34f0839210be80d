import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { editorSchema } from '../../client/production-file/text/editor-schema';
import { AlphaVideoParameters, BetaVideoParameters } from '../../contracts/gateway/models';

const productions = join(__dirname, '..', '..', 'productions');
const samples = readdirSync(productions).filter((name) => name.endsWith('.yaml'));

interface SchemaPart {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly items?: SchemaPart;
  readonly anyOf?: readonly SchemaPart[];
}

const schema = JSON.parse(editorSchema()) as SchemaPart;
const shots = schema.properties?.['shots']?.items?.anyOf ?? [];

describe("the editors' schema", () => {
  it('in the tree is the one that the contract makes (run `npm run schema` after a change)', () => {
    expect(readFileSync(join(productions, 'production.schema.json'), 'utf8')).toBe(editorSchema());
  });

  it.each(samples)('accepts the sample %s, and is named in its first line', (name) => {
    const text = readFileSync(join(productions, name), 'utf8');
    expect(z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(parse(text)).error).toBeUndefined();
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/production\.schema\.json\n/);
  });

  it('refuses what the contract refuses', () => {
    const check = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    const shot = { id: 'a', model: 'alpha-video' };
    expect(check.safeParse({ shots: [shot] }).success).toBe(true);
    expect(check.safeParse({ shots: [{ ...shot, colorDepth: '8bit' }] }).success).toBe(false);
    expect(check.safeParse({ shots: [{ ...shot, duration: 7 }] }).success).toBe(false);
    expect(check.safeParse({ shots: [shot], titel: 'Sea' }).success).toBe(false);
    expect(check.safeParse({ shots: [] }).success).toBe(false);
  });

  it('completes every parameter of both models, with a word on each', () => {
    for (const [index, parameters] of [AlphaVideoParameters, BetaVideoParameters].entries()) {
      const properties = shots[index]?.properties ?? {};
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(parameters.shape)));
    }
  });

  it('describes every field', () => {
    expect(undescribed(schema, 'production')).toEqual([]);
  });
});

function undescribed(part: SchemaPart, path: string): string[] {
  const named = Object.entries(part.properties ?? {}).flatMap(([name, property]) => [
    ...(property.description === undefined ? [`${path}.${name}`] : []),
    ...undescribed(property, `${path}.${name}`),
  ]);
  const parts = [...(part.items === undefined ? [] : [part.items]), ...(part.anyOf ?? [])];
  return [...named, ...parts.flatMap((inner) => undescribed(inner, path))];
}
