/** What was asked for cannot be done as things stand; nothing was changed. The message says what to do instead. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export function unknownProduction(productionId: string): Refused {
  return new Refused(`no production "${productionId}" is known here; see \`dailies list\``);
}
