import { z } from 'zod';
import { KNOWN_MODELS } from '../../../contracts/gateway/models';
import { ProductionFile } from '../../../contracts/file/production';

/**
 * The JSON Schema of a production file, as text with a final line break.
 *
 * Uses draft 07, which all editors support. Lacks rules that relate different parts of the file, for example that a
 * linked shot must exist.
 */
export function editorSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(ProductionFile, { io: 'input', target: 'draft-07' });
  return `${JSON.stringify({ $schema, title: 'Dailies production', ...schema }, null, 2)}\n`;
}

/** A key of a production file, or a model. */
export interface EditorWord {
  readonly word: string;
  readonly means: string;
}

/** The words that an editor completes. */
export interface EditorWords {
  /** Top-level keys of the file. */
  readonly file: readonly EditorWord[];
  /** Keys of shots, for all models together. */
  readonly shot: readonly EditorWord[];
  readonly models: readonly EditorWord[];
}

export function editorWords(): EditorWords {
  words ??= readWords();
  return words;
}

/** Cached, because making the schema takes a tenth of a second. */
let words: EditorWords | undefined;

function readWords(): EditorWords {
  const { properties } = z.toJSONSchema(ProductionFile, { io: 'input', target: 'draft-07' });
  const shots = properties?.['shots'] as { readonly items: { readonly anyOf: readonly Described[] } };
  return {
    file: wordsOf({ properties: properties as Described['properties'] }),
    shot: wordsOf({
      properties: Object.fromEntries(
        shots.items.anyOf.toReversed().flatMap(({ properties: own = {} }) => Object.entries(own)),
      ),
    }),
    models: KNOWN_MODELS.map(({ title, id, output }) => ({ word: title, means: `${id}, makes ${output}` })),
  };
}

interface Described {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>> | undefined;
}

function wordsOf({ properties = {} }: Described): readonly EditorWord[] {
  return Object.entries(properties).map(([word, { description = '' }]) => ({ word, means: description }));
}
