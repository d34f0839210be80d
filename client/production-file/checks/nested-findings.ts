import { type Finding, wrongValue } from '../../wording/finding';
import { nearestName } from '../../wording/nearest-name';
import { type RawShot } from '../nested-shots';
import { type ShotModel } from '../shot-model';
import { outputInWords, shown } from '../../wording/phrases';

/** Checks that the model of a still makes pictures, and the model of a nested text makes text. */
export function outputFindings({ title, known, frozen }: ShotModel, nested: RawShot['nested']): readonly Finding[] {
  if (nested === undefined || frozen.output === nested.makes) return [];
  const [what, kind] =
    nested.makes === 'image' ? ['a still is a picture', 'an image'] : ['this is to be text', 'a text'];
  if (known !== undefined)
    return [wrongValue(['model'], `${what}, and ${title} makes ${outputInWords(frozen.output)}; name ${kind} model`)];
  const message = `${what}, and ${title} makes ${outputInWords(frozen.output)} as far as this file says; name ${kind} model, or declare this one, as models: { ${title}: { output: ${nested.makes} } }`;
  return [wrongValue(['model'], message)];
}

/** Checks that a nested shot has a prompt, unless its model has a schema: then the schema decides. */
export function promptFindings(
  merged: Readonly<Record<string, unknown>>,
  { title, known, ownSchema }: ShotModel,
  nested: RawShot['nested'],
): readonly Finding[] {
  const { prompt } = merged;
  const isBlank = prompt === undefined || prompt === null || (typeof prompt === 'string' && prompt.trim() === '');
  if (nested === undefined || known !== undefined || ownSchema !== undefined || !isBlank) return [];
  const what = nested.makes === 'image' ? 'a still' : 'a text';
  const slip = Object.keys(merged).find((key) => nearestName(key, ['prompt']) !== undefined && key !== 'prompt');
  const meant = slip === undefined ? '' : ` Is ${shown(slip)} meant to be prompt?`;
  const message = `prompt is ${prompt === undefined ? 'missing' : 'empty'}; ${what} needs one, unless ${title} has a schema that says otherwise.${meant}`;
  return [wrongValue(['prompt'], message.replace(/\.$/, ''))];
}
